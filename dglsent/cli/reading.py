"""Sentences that commands are given: text, brackets, CoNLL-U, tables or tab-separated pairs, broken ones included."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from dglsent.building.endings import form_named
from dglsent.cli.in_twos import in_twos
from dglsent.cli.taken_for_text import csv_cells, first_line, numbered_lines, refuse_header
from dglsent.corpora.own_files import are_brackets, has_trees, is_tree, tree
from dglsent.corpora.tables import Row, columns_named, rows, tsv_cells
from dglsent.inference.given import Given, Raw, given_of, parsed
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, Origin, SentenceError, counted
from graphs.formats.brackets import read_brackets
from graphs.formats.conllu import read_conllu
from graphs.formats.source import Extract, read_lines

Format: TypeAlias = Literal["text", "tokens", "brackets", "conllu", "columns", "tsv", "csv", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)

TOKEN = re.compile(r"[^ \t]+")  # U+00A0 and its like may stand in a token
_OBJECT = re.compile(r'[ \t]*\{[ \t]*"')


def guess(name: str, text: str) -> Format:
    """The format of a file, by its name, else by its first line that is not blank or a comment, for brackets by all.

    Raises:
        InputError: it is JSON, and not an object a line.
    """
    named = form_named(name)
    return _guess_by_lines(name, text) if named in (None, "text") else named  # any text may be named .txt


def _guess_by_lines(name: str, text: str) -> Format:
    lines = [line for _, line in numbered_lines(text) if not line.startswith("#")]
    first = lines[0] if lines else ""
    if re.match(r"[0-9]+([-.][0-9]+)?\t", first):
        return "conllu"
    if "\t" in first.strip():
        return "tsv"
    if _OBJECT.match(first) and first.rstrip().endswith("}"):
        return "jsonl"
    if lines and (name.removesuffix(".gz").endswith(".json") or _is_json(text)):
        raise InputError(
            f"{name}: JSON, and not sentences; give JSON lines, an object a line, or add --format text if it is text"
        )
    return "brackets" if lines and are_brackets(lines) else "text"


def _is_json(text: str) -> bool:
    """Whether a text is one array or object of JSON, on however many lines."""
    if not text.lstrip().startswith(("[", "{")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def read(
    text: str, form: Format, columns: Sequence[str], name: str = "", *, named: bool = False
) -> list[tuple[Given, ...]]:
    """The examples of a text in its order, each of a sentence, or of two where there are two columns.

    Args:
        text: what was read.
        form: its format; "text" is a raw sentence a line, "tokens" one whose tokens stand between spaces.
        columns: the columns of a table in which the sentences stand. Pairs may be two sentences in a row, too, or the
            two columns of "tsv" whose first line names none, and of other text with a tab in a line.
        name: the file, for messages.
        named: whether someone asked for these columns, without which a table is refused.

    Raises:
        InputError: a table has no such columns, pairs are given to a model of single sentences, or of the form that
            was asked for there is nothing.
    """
    found = _read(text, form, columns, name, named)
    _refuse_other(found, text, form, name)
    return found


def _refuse_other(found: Sequence[tuple[Given, ...]], text: str, form: Format, name: str) -> None:
    """Refuses a file of another form than that as which it was read, where each of its lines would be an error."""
    errors = [one for example in found for one in example if isinstance(one, SentenceError)]
    if form not in ("brackets", "conllu", "jsonl") or not found or len(errors) < sum(map(len, found)):
        return
    looks = _guess_by_lines(name, text)
    if looks == form or (looks == "text" and len(found) == 1):
        return
    kinds = {"brackets": "trees in brackets", "conllu": "CoNLL-U"}
    as_asked = f"can be read as {kinds.get(form, form)}"
    if looks in kinds:
        raise InputError(f"{name or 'input'}: {kinds[looks]}, and nothing in it {as_asked}; give --format {looks}")
    raise InputError(f"{errors[0]}; nor is there anything else that {as_asked}; give the --format that it has")


def _read(text: str, form: Format, columns: Sequence[str], name: str, named: bool) -> list[tuple[Given, ...]]:
    sentences = len(columns)
    if form in ("csv", "jsonl") or (form == "tsv" and (named or names_columns(text, columns))):
        return _of_table(Extract(text, name, 1, 1), f".{form}", columns)
    if form == "tsv":
        if sentences != 2:
            raise InputError(
                f"{name or 'input'}: tab-separated pairs, but the model reads single sentences; of a table the first "
                f"line names the columns, {columns[0]!r} among them (or another: --columns text=NAME)"
            )
        pairs = _tabbed(text, name)
        refuse_header([cells for cells, _ in pairs], name)
        trees = has_trees(cell for cells, _ in pairs for cell in cells)
        return [_pair(cells, origin, partial(_cell, origin=origin, among_trees=trees)) for cells, origin in pairs]
    if sentences == 2 and form in ("text", "tokens") and any("\t" in line.strip() for _, line in numbered_lines(text)):
        tokens = form == "tokens"
        return [
            _pair(cells, origin, partial(_raw, origin=origin, tokens=tokens)) for cells, origin in _tabbed(text, name)
        ]
    single = _single(text, form, name)
    if sentences == 2 and single:
        places = _places(single, form, len(numbered_lines(text)))
        # `dglsent parse` leaves the line of a failed tree empty, so the lines of its pairs are even in number.
        numbered = form == "conllu" or (form == "brackets" and not len(text.split("\n")) % 2)
        return in_twos(single, places, name, numbered=numbered)
    return [(one,) for one in single]


def _places(sentences: Sequence[Given], form: Format, lines: int) -> list[int] | None:
    """The numbers of sentences, of which those that `dglsent parse` could not parse are left out; None without such.

    That is a `sent_id` in CoNLL-U, if they count up from 1 or nearly so, and else the line, where each has one of its
    own.
    """
    if form == "conllu":
        numbers = [int(one.origin.sentence) if one.origin.sentence.isdecimal() else 0 for one in sentences]
        rising = numbers[0] > 0 and all(one < other for one, other in pairwise(numbers))
        return numbers if rising and (numbers[0] <= 2 or 2 * len(numbers) > numbers[-1]) else None
    starts = [one.origin.line for one in sentences]
    return starts if len({*starts}) == len(starts) == lines else None


def is_csv(text: str, columns: Sequence[str]) -> bool:
    """Whether the first line of a text names columns of a table as commas part them, one of those that are read."""
    first = csv_cells(first_line(text))
    return len(first) > 1 and all(map(str.isidentifier, first)) and not set(columns).isdisjoint(first)


def names_columns(text: str, columns: Sequence[str]) -> bool:
    """Whether the first line of a table, whose cells tabs part, names columns, one of those that are read at least."""
    return not set(columns).isdisjoint(tsv_cells(first_line(text)))


def _of_table(table: Extract, suffix: str, columns: Sequence[str]) -> list[tuple[Given, ...]]:
    """The examples of a table, which training on it takes for the same.

    Raises:
        InputError: of several rows none can be read, or no row has one of the columns.
    """
    read = list(rows(table, suffix))
    known = [row for row in read if isinstance(row, Row)]
    if suffix != ".jsonl" and len(read) > 1 and not known:  # the separator is another; JSON has none
        raise InputError(f"{read[0]}; nor can any other row be read")
    lacking = next((each for each in columns if known and not any(each in row.cells for row in known)), None)
    if lacking is not None:
        there = columns_named(known[0].cells)
        raise InputError(
            f"{table.name or 'input'}: no column {lacking!r}, which the model reads; there are {there} (--columns)"
        )
    trees = has_trees(row.cells.get(column, "").strip() for row in known for column in columns)
    return [(row,) if isinstance(row, SentenceError) else _of_row(row, columns, trees) for row in read]


def _of_row(row: Row, columns: Sequence[str], among_trees: bool) -> tuple[Given, ...]:
    try:
        return tuple(_cell(row.cell(column), row.origin, among_trees) for column in columns)
    except SentenceError as error:
        return (error,)


def _tabbed(text: str, name: str) -> list[tuple[list[str], Origin]]:
    """The cells of each line that is not blank, and where it stands."""
    return [([cell.strip() for cell in tsv_cells(line)], Origin(name, number)) for number, line in numbered_lines(text)]


def _pair(row: Sequence[str], origin: Origin, read: Callable[[str], Given]) -> tuple[Given, ...]:
    if len(row) != 2:
        return (SentenceError(f"{counted(len(row), 'column')}, expected the two sentences of a pair", origin),)
    return tuple(map(read, row))


def _cell(text: str, origin: Origin, among_trees: bool) -> Given:
    """A sentence of a table, which is what training on it takes it for."""
    if not is_tree(text, among_trees):
        return _raw(text, origin)
    try:
        return parsed(tree(text, origin))
    except SentenceError as error:
        return error


def _raw(text: str, origin: Origin, *, tokens: bool = False) -> Given:
    said = TOKEN.findall(text) if tokens else text.strip()
    return Raw(said, origin) if said else SentenceError("the sentence has no words", origin)


def _single(text: str, form: Format, name: str) -> list[Given]:
    if form in ("text", "tokens"):
        lines = numbered_lines(text)
        return [_raw(line, Origin(name, number, str(number)), tokens=form == "tokens") for number, line in lines]
    source = Extract(text, name, 1, 1)
    read: Sequence[Constituency | Dependencies | SentenceError]
    if form == "brackets":
        read = read_brackets(source, on_error="skip", unescape=True).in_order()
        if len({one.origin.line for one in read}) == len(read) == len(numbered_lines(text)):
            read = [_numbered(one) for one in read]
    else:
        read = read_conllu(source, on_error="skip").in_order()
    return given_of(read)


def _numbered(one: Constituency | SentenceError) -> Constituency | SentenceError:
    """With the line as its number, as text has it, so that trees which `dglsent parse` made keep that of their text."""
    origin = replace(one.origin, sentence=str(one.origin.line))
    return SentenceError(one.reason, origin) if isinstance(one, SentenceError) else replace(one, origin=origin)


def text_of(name: str) -> str:
    """The text of a file, or of standard input for "-"; line ends of every kind become one."""
    return "\n".join(lines_of(name))


def lines_of(name: str) -> Iterator[str]:
    """The lines of a file, or of standard input for "-"."""
    return read_lines(sys.stdin.buffer if name == "-" else name)
