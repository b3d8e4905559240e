"""Quora as Gupta, Zhang 2018 ("To Attend or not to Attend", section 5.2) cut it: a sample of 50,000 pairs.

Iyer, Dandekar, Csernai 2017, "First Quora Dataset Release: Question Pairs".
"""

from __future__ import annotations

import zlib
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.parses import parsed_pairs
from dglsent.corpora.rows import binary_label, read_named
from graphs.errors import InputError

_FOLDERS = ("quora", "Quora", ".")
_FILE = "quora_duplicate_questions.tsv"
_COLUMNS = ("id", "question1", "question2", "is_duplicate")
_SENTENCES = {"a": "question1", "b": "question2"}
_PAIRS = 50_000


class QuoraSample(Corpus):
    """50,000 pairs of questions, with the same share of duplicates as all have, in train, dev and test alike.

    A fifth is test, 5 % of the others dev. Which pairs the paper drew is not known; here, of each class, those come
    first whose ids have the smallest CRC-32, so the sample is the same on every machine. Of a file with fewer pairs all
    are taken. The questions are raw text, so parses are needed, whatever the graphs.
    """

    labels = ("different", "duplicate")

    def load(self, data: Path) -> Splits:
        """Reads `quora_duplicate_questions.tsv`, and parses `quora-sample-{train,dev,test}-{a,b}`."""
        splits = self._rows(data)
        texts = _texts(splits)
        return {
            split: parsed_pairs(
                data,
                "quora-sample",
                f"quora-sample-{split}",
                texts,
                [{"label": int(row["is_duplicate"])} for row in rows],
                [row["id"] for row in rows],
            )
            for split, rows in splits.items()
        }

    def texts(self, data: Path) -> dict[str, list[str]]:
        """The questions by parse file."""
        return _texts(self._rows(data))

    @staticmethod
    def _rows(data: Path) -> dict[str, list[dict[str, str]]]:
        folder = require_folder(data, "Quora's file of pairs", _FOLDERS, [_FILE], _FILE)
        rows = _read(folder / _FILE)
        splits: dict[str, list[dict[str, str]]] = {"train": [], "dev": [], "test": []}
        for label in ("0", "1"):
            some = sorted((row for row in rows if row["is_duplicate"] == label), key=_place)
            some = some[: round(min(1, _PAIRS / len(rows)) * len(some))]
            test = round(0.2 * len(some))
            dev = test + round(0.05 * (len(some) - test))
            for split, part in (("test", some[:test]), ("dev", some[test:dev]), ("train", some[dev:])):
                splits[split] += part
        return splits


def _place(row: dict[str, str]) -> tuple[int, str]:
    return zlib.crc32(row["id"].encode()), row["id"]


def _texts(splits: dict[str, list[dict[str, str]]]) -> dict[str, list[str]]:
    return {
        f"quora-sample-{split}-{side}": [" ".join(row[column].split()) for row in rows]
        for split, rows in splits.items()
        for side, column in _SENTENCES.items()
    }


def _read(file: Path) -> list[dict[str, str]]:
    """The pairs of two questions with words."""
    rows = []
    # Not strict: the file comes with quotation marks that are text.
    for line, row in read_named(file, _COLUMNS, "Quora's file of pairs", delimiter="\t", strict=False):
        binary_label(row["is_duplicate"], file, line)
        if row["question1"].split() and row["question2"].split():
            rows.append(row)
    if not rows:
        raise InputError(f"{file}: no pairs; download it again")
    return rows
