"""TREC: questions by the kind of their answer.

Li, Roth 2002, "Learning Question Classifiers".
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.example import Example
from dglsent.corpora.parses import parsed
from dglsent.corpora.rows import read_text_lines
from dglsent.corpora.splits import with_dev
from graphs.errors import InputError

_FOLDERS = ("mr_subj_trec/qc", "qc", "trec", "TREC")
_LAYOUTS = (("train.txt", "test.txt"), ("train_5500.label", "TREC_10.label"))
_SPLITS = ("train", "test")


class TREC(Corpus):
    """Questions by the kind of their answer, six coarse classes; a tenth of train is dev (`corpora.splits`).

    The questions are given as tokens. A parser that cuts tokens itself may split them further (`X - rays`), and
    then the words are the parser's.
    """

    labels = ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM")

    def load(self, data: Path) -> Splits:
        """Reads `train.txt` and `test.txt`, `COARSE:fine question` a line, and parses `trec-train`, `trec-test`."""
        splits = {}
        for split, questions in self._questions(data).items():
            sentences = parsed(data, "trec", f"trec-{split}", [tokens for _, tokens in questions])
            splits[split] = [
                Example((sentence,), {"label": label}, f"{split}-{line}")
                for line, ((label, _), sentence) in enumerate(zip(questions, sentences, strict=True), 1)
                if sentence is not None
            ]
        return with_dev(splits)

    def texts(self, data: Path) -> dict[str, list[str]]:
        """The questions by parse file."""
        return {
            f"trec-{split}": [" ".join(tokens) for _, tokens in questions]
            for split, questions in self._questions(data).items()
        }

    def _questions(self, data: Path) -> dict[str, list[tuple[int, list[str]]]]:
        """Label and tokens of the questions of the two files."""
        for layout in _LAYOUTS:
            folder = find_folder(data, _FOLDERS, layout)
            if folder is not None:
                return {
                    split: [self._question(line, folder / file, i) for i, line in enumerate(lines, 1)]
                    for split, file in zip(_SPLITS, layout, strict=True)
                    for lines in [read_text_lines(folder / file)]
                }
        raise InputError(f"{data}: TREC is missing; expected {data / _FOLDERS[0]}/{{train,test}}.txt (docs/data.md)")

    def _question(self, line: str, file: Path, number: int) -> tuple[int, list[str]]:
        label, *tokens = line.split() or [""]
        coarse = label.partition(":")[0]
        if coarse not in self.labels or not tokens:
            raise InputError(
                f"{file}:{number}: {line[:40]!r} is not `COARSE:fine question` with one of {', '.join(self.labels)}"
            )
        return self.labels.index(coarse), tokens
