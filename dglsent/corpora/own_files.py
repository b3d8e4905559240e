"""Files of one's own: where they lie, their rows, and the classes that they name."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dglsent.corpora.corpus import Splits
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.splits import hold_out
from graphs.columns import Dependencies
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets
from graphs.formats.source import read_lines
from graphs.tokens import tokens

REMEDY = (
    "parse the text with `dglsent parse` and give trees: CoNLL-U with a comment `# label = CLASS`, or brackets in the "
    "column of the text"
)
TABLES = (".tsv", ".csv", ".jsonl")


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes:
        cells: its cells by the names of their columns.
        origin: where it stands.
    """

    cells: Mapping[str, str]
    origin: Origin

    def cell(self, column: str) -> str:
        """A cell that may not be blank.

        Raises:
            SentenceError: it is, or there is no such column.
        """
        if column not in self.cells:
            raise SentenceError(f"no column {column!r}; there are {', '.join(self.cells)}", self.origin)
        text = self.cells[column].strip()
        if not text:
            raise SentenceError(f"column {column!r} is blank", self.origin)
        return text


def read_table(file: Path) -> Iterator[Row]:
    """The rows of a table (.gz too): TSV or CSV whose first line names the columns, or JSON lines.

    Raises:
        InputError: it is none, or a row is broken.
    """
    suffix = Path(file.name.removesuffix(".gz")).suffix
    lines = read_lines(file)
    if suffix == ".jsonl":
        yield from _json_rows(file, lines)
    elif suffix in (".tsv", ".csv"):
        yield from _cells(file, lines, tabs=suffix == ".tsv")
    else:
        raise InputError(f"{file}: no table; its name should end in {', '.join(TABLES)}, or these and .gz")


def _cells(file: Path, lines: Iterable[str], *, tabs: bool) -> Iterator[Row]:
    reader: Any
    if tabs:
        reader = ([*line.split("\t")] for line in lines if line.strip())
    else:
        reader = csv.reader(f"{line}\n" for line in lines)
    header: list[str] | None = None
    for number, row in enumerate(reader, 1):
        if header is None:
            header = row
        elif row:
            origin = Origin(str(file), reader.line_num if not tabs else number, str(number - 1))
            if len(row) != len(header):
                raise SentenceError(f"{len(row)} cells, and {len(header)} columns: {', '.join(header)}", origin)
            yield Row(dict(zip(header, row, strict=True)), origin)


def _json_rows(file: Path, lines: Iterable[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        origin = Origin(str(file), number, str(number))
        try:
            loaded = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SentenceError(f"not a line of JSON ({error})", origin) from None
        if not isinstance(loaded, dict):
            raise SentenceError('no object of JSON; a line is such as {"text": "...", "label": "..."}', origin)
        yield Row({key: each if isinstance(each, str) else json.dumps(each) for key, each in loaded.items()}, origin)


def sentence(text: str, origin: Origin) -> Parsed:
    """A sentence of a cell: a tree in brackets, or text that is cut into tokens."""
    if text.startswith("(") and text.endswith(")") and text.count("(") > 1:
        trees = parse_brackets(text, unescape=True)
        if len(trees) != 1:
            raise SentenceError(f"{len(trees)} trees in one cell, expected one", origin)
        trees[0].origin = origin
        return Parsed(constituency=trees[0], remedy=REMEDY)
    words = tokens(text)
    unknown = np.full(len(words), -1)
    return Parsed(unparsed=Dependencies(words, unknown, ["_"] * len(words), origin=origin), remedy=REMEDY)


def found(file: str, split: str) -> Path:
    """The path of a file, if it is there.

    Raises:
        InputError: it is not.
    """
    path = Path(file).expanduser()
    if not path.is_file():
        raise InputError(f"{path.absolute()}: no such file; corpus.{split} names it, from the working folder")
    return path


def classes(names: Iterable[str], file: str) -> tuple[str, ...]:
    """The classes that a training split names, in order; numbers in the order of numbers.

    Raises:
        InputError: there are fewer than two.
    """
    known = sorted(set(names), key=lambda name: (0, int(name), "") if name.isdecimal() else (1, 0, name))
    if len(known) < 2:
        raise InputError(f"{file}: names {len(known)} class{'es' * (len(known) != 1)}; a corpus has at least 2")
    return tuple(known)


def number_of(name: str, labels: Sequence[str], origin: Origin) -> int:
    """The number of a class.

    Raises:
        SentenceError: training has no such class.
    """
    if name not in labels:
        raise SentenceError(f"class {name!r} is none of those of training: {', '.join(labels)}", origin)
    return labels.index(name)


def splits(train: list[Example], dev: list[Example] | None, test: list[Example]) -> Splits:
    """The splits; without dev a tenth of train."""
    if dev is None:
        train, dev = hold_out(train)
    for name, examples in (("train", train), ("dev", dev), ("test", test)):
        if not examples:
            raise InputError(f"corpus.{name}: has no examples")
    return {"train": train, "dev": dev, "test": test}
