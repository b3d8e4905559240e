"""Quora as Gupta, Zhang 2018 ("To Attend or not to Attend", section 5.2) cut it: a sample of 50,000 pairs.

Iyer, Dandekar, Csernai 2017, "First Quora Dataset Release: Question Pairs".
"""

from __future__ import annotations

import csv
import zlib
from collections.abc import Iterable
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.parses import parsed_pairs
from dglsent.corpora.rows import binary_label
from graphs.errors import InputError
from graphs.formats.source import read_lines

_FOLDERS = ("quora", "Quora", ".")
_FILE = "quora_duplicate_questions.tsv"
_COLUMNS = ("id", "question1", "question2", "is_duplicate")
_SENTENCES = {"a": "question1", "b": "question2"}
_PAIRS = 50_000


class QuoraSample(Corpus):
    """50,000 pairs with the share of duplicates of the whole, in train, dev and test with the same share.

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
        folder = find_folder(data, _FOLDERS, [_FILE])
        if folder is None:
            raise InputError(f"{data}: Quora's pairs are missing; expected {data / 'quora' / _FILE} (docs/data.md)")
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
    """The pairs of two questions with words; a cell in quotation marks may go over several lines."""
    reader = csv.DictReader((f"{line}\n" for line in read_lines(file)), delimiter="\t")
    try:
        rows = list(_checked(file, reader))
    except csv.Error as error:
        raise InputError(f"{file}:{reader.line_num + 1}: cannot be read ({error}); download it again") from None
    if not rows:
        raise InputError(f"{file}: no pairs; download it again")
    return rows


def _checked(file: Path, reader: csv.DictReader[str]) -> Iterable[dict[str, str]]:
    missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise InputError(f"{file}:1: no column for {', '.join(missing)}; this is not Quora's file of pairs")
    for row in reader:
        if None in row or None in row.values():
            raise InputError(f"{file}:{reader.line_num}: a row of another length than the header")
        binary_label(row["is_duplicate"], file, reader.line_num)
        if row["question1"].split() and row["question2"].split():
            yield row
