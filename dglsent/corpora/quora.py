"""Quora: pairs of questions, duplicates or not.

Iyer, Dandekar, Csernai 2017, "First Quora Dataset Release: Question Pairs"; files of Wang, Hamza, Florian 2017 (BiMPM).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.parses import parsed_pairs
from dglsent.corpora.rows import binary_label, read_rows
from dglsent.corpora.splits import hold_out
from graphs.formats.brackets import unescaped

_FOLDERS = ("quora", "Quora")
_SENTENCES, _LABEL = {"a": 0, "b": 1}, 2


class Quora(Corpus):
    """Quora's dev and test questions as a corpus of their own, or the whole corpus where `train.txt` is there.

    Without `train.txt` the 10,000 pairs of `dev.txt` are the training set, a tenth of it dev (`corpora.splits`), and
    the 10,000 of `test.txt` the test set. Both are balanced, unlike Quora at large, and the training set is small:
    scores cannot be compared with those published for a subset of 50,000 pairs, or for the whole corpus.
    """

    labels = ("different", "duplicate")

    def load(self, data: Path) -> Splits:
        """Reads `question TAB question TAB 0 or 1` a line, and parses `quora-{dev,test}-{a,b}`."""
        read = self._rows(data)
        texts = self._texts(read)
        files = {}
        for name, (file, rows) in read.items():
            targets = [{"label": binary_label(row[_LABEL], file, line)} for line, row in enumerate(rows, 1)]
            ids = [f"{name}-{number}" for number in range(1, len(rows) + 1)]
            files[name] = parsed_pairs(data, "quora", f"quora-{name}", texts, targets, ids)
        train, dev = (files["train"], files["dev"]) if "train" in files else hold_out(files["dev"])
        return {"train": train, "dev": dev, "test": files["test"]}

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of the questions by parse file; `(` for `-LRB-`."""
        return self._texts(self._rows(data))

    @staticmethod
    def _texts(read: Mapping[str, tuple[Path, list[list[str]]]]) -> dict[str, list[list[str]]]:
        return {
            f"quora-{name}-{side}": [[unescaped(token) for token in row[column].split()] for row in rows]
            for name, (_, rows) in read.items()
            for side, column in _SENTENCES.items()
        }

    @staticmethod
    def _rows(data: Path) -> dict[str, tuple[Path, list[list[str]]]]:
        """The files and their rows, of two questions and a label."""
        layout = "{dev,test}.txt, train.txt beside them for the whole corpus"
        folder = require_folder(data, "Quora", _FOLDERS, ["dev.txt", "test.txt"], layout)
        names = [name for name in ("train", "dev", "test") if (folder / f"{name}.txt").is_file()]
        sentences = list(_SENTENCES.values())
        return {
            name: (folder / f"{name}.txt", read_rows(folder / f"{name}.txt", 3, sentences=sentences)) for name in names
        }
