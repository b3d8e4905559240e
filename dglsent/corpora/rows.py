"""Lines and tab-separated rows of corpus files, with errors that name the line."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from graphs.errors import InputError, counted
from graphs.formats.numbers import decimal_number
from graphs.formats.source import packed, packed_by, read_lines, unreadable

_LINE_END = re.compile(rb"\r\n|\n|\r")


def read_text_lines(file: Path) -> list[str]:
    r"""The lines of a file, each in UTF-8 or, as in some older corpora, in ISO-8859-1.

    Only `\n`, `\r\n` and `\r` end a line, since `str.splitlines` cuts at ISO-8859-1's 0x85 too. Blank lines at the
    end are none.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise unreadable(file, error) from None
    if packer := packed_by(raw):
        raise packed(str(file), packer)
    if b"\0" in raw:
        raise InputError(f"{file}: holds bytes that are 0, as UTF-16 does and text does not; convert the file to UTF-8")
    lines = [_decoded(line) for line in _LINE_END.split(raw.removeprefix(codecs.BOM_UTF8))]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("iso-8859-1")


def read_tokens(file: Path) -> list[list[str]]:
    """The tokens of each line; they stand between spaces.

    Raises:
        InputError: a line has no tokens, or there is none.
    """
    sentences = [line.split() for line in read_text_lines(file)]
    for number, sentence in enumerate(sentences, 1):
        if not sentence:
            raise InputError(f"{file}:{number}: a blank line where a sentence should stand")
    if not sentences:
        raise InputError(f"{file}: has no sentences; download it again")
    return sentences


def read_rows(file: Path, columns: int, *, sentences: Sequence[int], header: str = "") -> list[list[str]]:
    """The rows of a tab-separated file; quotation marks are text.

    Args:
        file: the file.
        columns: how many cells a row has.
        sentences: the columns, from 0, that hold sentences and so may not be blank.
        header: how the first line starts, where it names the columns.

    Raises:
        InputError: the header or a row is not as expected.
    """
    lines = read_text_lines(file)
    if header:
        if not lines or not lines[0].startswith(header):
            raise InputError(f"{file}:1: the first line should start with {header!r}; this is another file")
        lines = lines[1:]
    rows = [line.split("\t") for line in lines]
    for number, row in enumerate(rows, 2 if header else 1):
        if len(row) != columns:
            raise InputError(f"{file}:{number}: {counted(len(row), 'column')}, expected {columns} separated by tabs")
        if not all(row[column].strip() for column in sentences):
            raise InputError(f"{file}:{number}: a sentence without words")
    return rows


def read_named(
    file: Path, columns: Sequence[str], what: str, *, delimiter: str = ",", strict: bool = True
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a file whose first line names the columns, each after the number of its last line.

    A cell in quotation marks may go over several lines.

    Args:
        file: the file.
        columns: those that it has to have.
        what: what the file should be, for the error.
        delimiter: what stands between cells.
        strict: whether a stray quotation mark is an error; else it is text, or makes one row of many.

    Raises:
        InputError: a column is missing, or a row is not as expected.
    """
    reader = csv.DictReader((f"{line}\n" for line in read_lines(file)), delimiter=delimiter, strict=strict)
    try:
        missing = [name for name in columns if name not in (reader.fieldnames or ())]
        if missing:
            raise InputError(f"{file}:1: no column for {', '.join(missing)}; this is not {what}")
        for row in reader:
            if None in row or None in row.values():
                raise InputError(f"{file}:{reader.line_num}: a row of another length than the header")
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(
            f"{file}:{reader.line_num + 1}: cannot be read ({error}); repair the line or download the file again"
        ) from None


def binary_label(text: str, file: Path, line: int) -> int:
    """The class that "0" or "1" stands for.

    Raises:
        InputError: it is neither.
    """
    if text not in ("0", "1"):
        raise InputError(f"{file}:{line}: label {text!r}, expected 0 or 1")
    return int(text)


def score(text: str, file: Path, line: int, lowest: float, highest: float) -> float:
    """The number that a text stands for.

    Raises:
        InputError: it is no number from `lowest` to `highest`.
    """
    number = decimal_number(text)
    if number is None or not lowest <= number <= highest:
        raise InputError(f"{file}:{line}: {text[:40]!r} is not a score from {lowest:g} to {highest:g}")
    return number
