"""AI2-8grade: answers to science questions of the 8th grade as hypotheses, each with sentences of evidence.

Baudis, Stanko, Sedivy 2016, "Joint Learning of Sentence Embeddings for Relevance and Entailment".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.parses import parsed_pairs
from dglsent.corpora.rows import binary_label, read_named
from graphs.errors import InputError, check_choice

Version: TypeAlias = Literal["enwv0", "ck12v0"]

_FOLDERS = ("ai2_8grade", "ai2-8grade", "ai2", ".")
_SPLITS = ("train", "dev", "test")
_COLUMNS = ("label", "qid", "htext", "mtext")
_SENTENCES = {"a": "htext", "b": "mtext"}


class AI2(Corpus):
    """Science questions of the 8th grade with official splits: a pair is a hypothesis and a sentence of evidence.

    Targets are "label" (1 where the hypothesis states the right answer), "question" and "hypothesis": numbers that
    pairs share which are about the same question or hypothesis, for accuracy by question. An example's id ends in
    the question's own id.

    Args:
        version: "enwv0" has evidence from Wikipedia, "ck12v0" from CK-12 textbooks. Published results of attentive
            tree models are by pair on ck12v0, where "false" is right for 76 % of the dev pairs.

    Raises:
        InputError: there is no such version.
    """

    labels = ("false", "true")

    def __init__(self, version: Version = "enwv0") -> None:
        check_choice("version", version, get_args(Version))
        self.version = version

    def load(self, data: Path) -> Splits:
        """Reads `VERSION-{train,dev,test}.csv`, and parses `ai2-{train,dev,test}-{a,b}` or `ai2-ck12v0-...`."""
        read = self._rows(data)
        texts = self._texts(read)
        splits = {}
        for split, rows in read.items():
            questions: dict[str, int] = {}
            hypotheses: dict[tuple[str, str], int] = {}
            targets = [
                {
                    "label": int(row["label"]),
                    "question": questions.setdefault(row["qid"], len(questions)),
                    "hypothesis": hypotheses.setdefault((row["qid"], row["htext"]), len(hypotheses)),
                }
                for row in rows
            ]
            ids = [f"{split}-{number}-{row['qid']}" for number, row in enumerate(rows, 1)]
            splits[split] = parsed_pairs(data, self._name, f"{self._name}-{split}", texts, targets, ids)
        return splits

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of hypotheses (a) and evidence (b) by parse file."""
        return self._texts(self._rows(data))

    def _texts(self, read: Mapping[str, Sequence[Mapping[str, str]]]) -> dict[str, list[list[str]]]:
        return {
            f"{self._name}-{split}-{side}": [row[column].split() for row in rows]
            for split, rows in read.items()
            for side, column in _SENTENCES.items()
        }

    @property
    def _name(self) -> str:
        """That of the corpus for `dglsent parse`, with which those of its parse files begin."""
        return "ai2" if self.version == "enwv0" else f"ai2-{self.version}"

    def _rows(self, data: Path) -> dict[str, list[dict[str, str]]]:
        files = {split: f"{self.version}-{split}.csv" for split in _SPLITS}
        layout = f"{self.version}-{{train,dev,test}}.csv"
        folder = require_folder(data, f"AI2-8grade {self.version}", _FOLDERS, list(files.values()), layout)
        return {split: _read(folder / file) for split, file in files.items()}


def _read(file: Path) -> list[dict[str, str]]:
    """The rows of a file; its columns are found by their names."""
    rows = []
    for line, row in read_named(file, _COLUMNS, "a file of AI2-8grade"):
        if not row["htext"].split() or not row["mtext"].split():
            raise InputError(f"{file}:{line}: a sentence without words")
        if not row["qid"].strip():  # all such rows would be of one question
            raise InputError(f"{file}:{line}: no qid, which says of which question the row is")
        binary_label(row["label"], file, line)
        rows.append(row)
    return rows
