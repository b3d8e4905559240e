"""Tables of one's own: TSV, CSV or JSON lines, a row an example, with cells by the names of their columns."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.source import Extract, read_lines, source_name, source_start

TABLES = (".tsv", ".csv", ".jsonl")
_LONGEST = 1 << 24  # characters of a cell of CSV, as of a line of any file


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes:
        cells: its cells by the names of their columns.
        origin: where it stands.
        no_text: columns whose cells hold neither text nor a number, and say what they hold.
    """

    cells: Mapping[str, str]
    origin: Origin
    no_text: frozenset[str] = frozenset()

    def cell(self, column: str) -> str:
        """A cell that may not be blank.

        Raises:
            SentenceError: it is, it holds no text or half a character, or there is no such column.
        """
        if column not in self.cells:
            raise SentenceError(f"no column {column!r}; there are {columns_named(self.cells)}", self.origin)
        if column in self.no_text:
            raise SentenceError(f"column {column!r} is {self.cells[column]}; give text or a number", self.origin)
        text = self.cells[column].strip()
        if not text:
            raise SentenceError(f"column {column!r} is blank; fill it, or delete the row", self.origin)
        if wrong := half_character(f"column {column!r}", text):
            raise SentenceError(wrong, self.origin)
        return text


def columns_named(columns: Iterable[str]) -> str:
    """The names of columns, for an error; of one alone, whether it looks like several that something else parts."""
    names = list(columns)
    if len(names) == 1 and re.search("[;,\t]", names[0]):
        return f"{names[0]}, read as one: what parts columns is a comma in .csv and a tab in .tsv"
    return ", ".join(names)


def half_character(what: str, text: str) -> str:
    """What is wrong with a text, named `what`, that no file can hold; "" if nothing is."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        return f"{what} has {text[error.start]!a}, half a character, as of an emoji that was cut; delete it"
    return ""


def read_table(source: Path | Extract) -> Iterator[Row]:
    """The rows of a table (.gz too): TSV or CSV whose first line names the columns, or JSON lines.

    Raises:
        InputError: it is none.
        SentenceError: a row is broken.
    """
    for row in rows(source):
        if isinstance(row, SentenceError):
            raise row
        yield row


def rows(source: Path | Extract, suffix: str | None = None) -> Iterator[Row | SentenceError]:
    """The rows of a table; in the place of a broken one what is wrong with it.

    Args:
        source: the table.
        suffix: one of `TABLES`; None for that of its name.

    Raises:
        InputError: it is none.
    """
    name = source_name(source)
    line, ordinal = source_start(source)
    lines = read_lines(source)
    suffix = suffix or Path(name.removesuffix(".gz")).suffix
    if suffix == ".jsonl":
        filled = ((number, text) for number, text in enumerate(lines, line) if text.strip())
        for place, (number, text) in enumerate(filled, ordinal):
            yield _json_row(text, Origin(name, number, str(place)))
        return
    cells: Iterator[tuple[int, list[str] | csv.Error]]
    if suffix == ".tsv":
        cells = ((number, tsv_cells(text)) for number, text in enumerate(lines, line) if text.strip())
    elif suffix == ".csv":
        cells = _csv_rows(lines, line)
    else:
        raise InputError(f"{name}: no table; its name should end in {', '.join(TABLES)}, or these and .gz")
    number, header = next(cells, (0, []))
    if isinstance(header, csv.Error):
        raise InputError(f"{name}:{number}: {_no_csv(header)}")
    twice = _twice(filter(None, header))
    if twice is not None:
        raise InputError(f"{name}:{number}: column {twice!r} is named twice; give each column a name of its own")
    # A semicolon after the quotes of a cell breaks CSV before the number of its cells can.
    alone = f"; the only column is {columns_named(header)}" if len(header) == 1 else ""
    for place, (number, row) in enumerate(cells, ordinal):
        origin = Origin(name, number, str(place))
        if isinstance(row, csv.Error):
            yield SentenceError(f"{_no_csv(row)}{alone}", origin)
        elif len(row) == len(header):
            yield Row(dict(zip(header, row, strict=True)), origin)
        else:
            broken = len(row) < len(header) and row[-1].startswith('"') and not row[-1].endswith('"')
            hint = "; a cell in quotes that goes on in the next line is for .csv" if broken else ""
            yield SentenceError(f"{len(row)} cells, and {len(header)} columns: {columns_named(header)}{hint}", origin)


def tsv_cells(line: str) -> list[str]:
    """The cells of a line of TSV.

    Quotation marks are text, but for a cell in quotes within which all are doubled: so programs write a cell with such.
    """
    return [_unquoted(cell) for cell in line.split("\t")]


def _unquoted(cell: str) -> str:
    inner = cell[1:-1]
    if cell[:1] == cell[-1:] == '"' and '""' in inner and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


def _csv_rows(lines: Iterator[str], first: int) -> Iterator[tuple[int, list[str] | csv.Error]]:
    """The rows that are not blank, or what is wrong with them, each with its first line."""
    text = ""

    def ended() -> Iterator[str]:
        nonlocal text
        for text in lines:
            yield f"{text}\n"

    # Without strict, a stray quote silently makes one row of many.
    reader = csv.reader(ended(), strict=True)
    row: list[str] | csv.Error
    while True:
        number = first + reader.line_num
        before = csv.field_size_limit(_LONGEST)  # of the whole process, and so lent for a row at a time
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            last = first + reader.line_num - 1
            row = csv.Error(f"{error}, up to line {last}") if last > number else error
        finally:
            csv.field_size_limit(before)
        # A row ends in a line that is not blank; one of spaces is none, as where `dglsent build` cuts files into parts.
        if isinstance(row, csv.Error) or text.strip():
            yield number, row


def _no_csv(error: csv.Error) -> str:
    return f"no row of CSV ({error}); a quote within quotes is written twice, and the last one ends the cell"


def _json_row(text: str, origin: Origin) -> Row | SentenceError:
    try:
        # Python writes NaN for a value that is missing.
        loaded = json.loads(text, parse_constant=lambda name: None, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        return SentenceError(f"not a line of JSON ({error})", origin)
    if not isinstance(loaded, dict):
        return SentenceError('no object of JSON; a line is such as {"text": "...", "label": "..."}', origin)
    # Refused only where it is asked for: SNLI, for one, has lists of annotators' labels beside what is read.
    no_text = frozenset(key for key, each in loaded.items() if isinstance(each, list | dict))
    return Row({key: _json_cell(each) for key, each in loaded.items()}, origin, no_text)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    twice = _twice(key for key, _ in pairs)
    if twice is not None:
        raise ValueError(f"{twice!r} stands there twice")
    return dict(pairs)


def _twice(names: Iterable[str]) -> str | None:
    """The first name that stands there more than once."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _json_cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    return "" if value is None else json.dumps(value)
