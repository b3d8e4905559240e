"""MSRpar: pairs of sentences from news with a similarity from 0 to 5.

Agirre et al. 2012, SemEval-2012 task 6.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.parses import parsed_pairs
from dglsent.corpora.rows import read_rows, score
from dglsent.corpora.splits import hold_out
from graphs.errors import InputError

_FOLDERS = ("sts2012_msrpar", "msrpar", "MSRpar", ".")
_FILES = {split: f"MSRpar.{split}.tsv" for split in ("train", "test")}
_SCORE, _SENTENCES = 0, {"a": 1, "b": 2}


class MSRpar(Corpus):
    """MSRpar with its official test split; a tenth of train is dev (`corpora.splits`).

    The sentences come as raw text, so parses are needed, whatever the graphs.
    """

    def load(self, data: Path) -> Splits:
        """Reads `MSRpar.{train,test}.tsv` and parses `msrpar-{train,test}-{a,b}`."""
        texts = self.texts(data)
        splits = {}
        for split, (file, rows) in self._rows(data).items():
            targets = [{"score": score(row[_SCORE], file, line, 0, 5)} for line, row in enumerate(rows, 1)]
            ids = [f"{split}-{number}" for number in range(1, len(rows) + 1)]
            splits[split] = parsed_pairs(data, "msrpar", f"msrpar-{split}", texts, targets, ids)
        train, dev = hold_out(splits["train"])
        return {"train": train, "dev": dev, "test": splits["test"]}

    def texts(self, data: Path) -> dict[str, list[str]]:
        """The sentences by parse file."""
        return {
            f"msrpar-{split}-{side}": [row[column] for row in rows]
            for split, (_, rows) in self._rows(data).items()
            for side, column in _SENTENCES.items()
        }

    @staticmethod
    def _rows(data: Path) -> dict[str, tuple[Path, list[list[str]]]]:
        """The files and their rows, of score and two sentences."""
        folder = find_folder(data, _FOLDERS, list(_FILES.values()))
        if folder is None:
            raise InputError(
                f"{data}: MSRpar is missing; expected {data / _FOLDERS[0]}/MSRpar.{{train,test}}.tsv (docs/data.md)"
            )
        return {
            split: (folder / file, read_rows(folder / file, 3, sentences=list(_SENTENCES.values())))
            for split, file in _FILES.items()
        }
