"""What would be taken for text and scored as sentences: tables, trees, markup, columns of tokens, headers of pairs."""

from __future__ import annotations

import csv
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from dglsent.corpora.own_files import PAIR, TEXT, are_brackets, is_tree
from graphs.errors import InputError, counted

_NAME = re.compile(r"[^\W\d]\w*(?: \w+){0,2}")  # of a column; text has a space after a comma, or more words
_OF_SENTENCE = re.compile(
    r"(?:#?[12][ _-]?)?(?:premise|hypothesis|first|second|(?:sentence|sent|text|question|string|s|q)[ _-]?[12ab]?)",
    re.IGNORECASE,
)  # usual names of columns of pairs: sentence1, Sentence A, text_b, #1 String
_MOST_COLUMNS = 20  # in a line that is a token
_NEARLY = 0.9  # of the lines of such a file; the others are broken
_OF_COLUMNS = (
    "add --format columns for a tagger of such files, or --format tokens or --format text if a line is a sentence"
)


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    return [(number, line) for number, line in enumerate(_lines(text), 1) if line.strip()]


def first_line(text: str) -> str:
    """The first line that is not blank, for which the others are not cut; "" where there is none."""
    lines = (found.group() for found in re.finditer(r"[^\r\n]+", text))
    return next(filter(str.strip, lines), "")


def csv_cells(line: str, separator: str = ",") -> list[str]:
    """The cells of a line of CSV, without the quotes around them; none of another line."""
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def refuse_trees(text: str, name: str) -> None:
    """Refuses trees among lines of text, as `dglsent build` does: their brackets and tags would be scored as words.

    Raises:
        InputError: a line is a tree.
    """
    lines = numbered_lines(text)
    found = next((number for number, line in lines if is_tree(line.strip(), among_trees=False)), None)
    if found is None:
        return
    other = next((number for number, line in lines if not is_tree(line.strip(), among_trees=True)), None)
    mixed = f", and line {other} is none" if other else ""
    raise InputError(
        f"{name or 'input'}:{found}: a tree in brackets{mixed}; give trees alone, or add --format text if it is text"
    )


def refuse_markup(text: str, name: str) -> None:
    """Refuses trees in brackets between lines of markup, such as `<S ID=1>` of the Chinese Treebank.

    Raises:
        InputError: a line begins with `<`, and the others are trees.
    """
    lines = numbered_lines(text)
    marked = [(number, line) for number, line in lines if line.startswith("<")]
    trees = [line for _, line in lines if not line.startswith("<")]
    if marked and trees and are_brackets(trees):
        number, line = marked[0]
        raise InputError(
            f"{name or 'input'}:{number}: {line[:40]!r} is markup between trees; give the trees alone, as "
            "`grep -v '^<' FILE` leaves them"
        )


def csv_table(lines: Sequence[str]) -> tuple[str, list[list[str]]] | None:
    """The separator of a table, a comma or a semicolon, and its rows, of which the first has the names; None for text.

    Prose has a space after a comma, and not as many commas in every line.

    Args:
        lines: those that are not blank.
    """
    for separator in ",;":
        head = csv_cells(lines[0], separator) if lines else []
        if len(head) < 2 or not all(map(_NAME.fullmatch, head)):
            continue
        try:
            rows = list(csv.reader(lines, delimiter=separator, strict=True))
        except csv.Error:
            continue
        if len(rows) > 1 and all(len(row) == len(head) for row in rows):
            return separator, rows
    return None


def refuse_csv(text: str, name: str, columns: Sequence[str]) -> None:
    """Refuses a table whose cells commas or semicolons part, and whose first line names no column that is read.

    Its header would be scored as a sentence, and its labels as words.

    Args:
        text: what was taken for text.
        name: the file, for messages.
        columns: the columns that the model reads.

    Raises:
        InputError: it is such a table.
    """
    table = csv_table([line for _, line in numbered_lines(text)])
    if table is None:
        return
    separator, (head, *rows) = table
    start = f"{name or 'input'}:1: {', '.join(head)} look like names of columns"
    if separator == ";":
        raise InputError(f"{start}; give the table with commas or tabs, or add --format text if it is text")
    # The text is what is longest.
    longest = sorted(range(len(head)), key=lambda place: -sum(len(row[place]) for row in rows))
    chosen = [head[place] for place in sorted(longest[: len(columns)])]
    usual = PAIR if len(columns) == 2 else (TEXT,)
    named = ",".join(f"{ours}={theirs}" for ours, theirs in zip(usual, chosen, strict=True))
    raise InputError(f"{start}; add --format csv --columns {shlex.quote(named)}, or --format text if it is text")


def refuse_columns(text: str, name: str, least: int = 2, remedy: str = _OF_COLUMNS) -> None:
    """Refuses a file of a token a line, such as CoNLL-2003's: each token and its classes would be taken for a sentence.

    Lines of prose or verse do not nearly all have as many words; where they do, as pairs may, they stand alone or in
    twos.

    Args:
        text: what was taken for text.
        name: the file, for messages.
        least: columns that its lines have; 1 for a tagger of such files, to whom a word alone is one without its class.
        remedy: what to do, as the end of a message.

    Raises:
        InputError: it is such a file.
    """
    lines = numbered_lines(text)
    start = next((number for number, line in lines if line.startswith("-DOCSTART-")), None)
    if start is not None:
        found = f"{name or 'input'}:{start}: -DOCSTART-"
    else:
        blocks = sum(filled for filled, _ in groupby(_lines(text), lambda line: bool(line.strip())))
        if blocks < 2 or len(lines) <= 2 * blocks:
            return
        ((usual, times),) = Counter(len(line.split()) for _, line in lines).most_common(1)
        if not least <= usual <= _MOST_COLUMNS or times < _NEARLY * len(lines):
            return
        found = f"{name or 'input'}: {counted(usual, 'column')} in {'nearly ' * (times < len(lines))}every line"
    raise InputError(f"{found}, as files of a token a line have; {remedy}")


def refuse_header(rows: Sequence[Sequence[str]], name: str) -> None:
    """Refuses a first line of names, usual ones or as no other line is: it would be scored as a pair."""
    bare = [[cell.strip('"') for cell in row] for row in rows]  # R writes names in quotes
    (head, *others), naming = bare, [all(map(str.isidentifier, row)) for row in bare]
    usual = [cell for cell in head if _OF_SENTENCE.fullmatch(cell)]
    known = len(usual) > 1 and usual[0] != usual[1]
    if known or (others and naming[0] and not any(naming[1:]) and len(head) > 1):
        one, other = usual[:2] if known else head[:2]
        remedy = f"say which hold the sentences, as by --columns {shlex.quote(f'first={one},second={other}')}"
        if head != [*rows[0]]:
            remedy = "give the file as CSV, or without quotes around its cells, which would be words of them"
        raise InputError(
            f"{name or 'input'}:1: {', '.join(head)} look like names of columns; {remedy}, or let another pair be the "
            "first"
        )
