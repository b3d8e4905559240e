"""Tables with a sentence or a pair of sentences a row, of which shards are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.own_files import PAIR, TEXT, has_trees, is_tree, score_of, sentence
from dglsent.corpora.tables import Row, rows
from graphs.columns import Constituency, Dependencies
from graphs.errors import SentenceError
from graphs.formats.source import Extract

COLUMNS: Final = (TEXT, *PAIR, "label", "score")

Parsing: TypeAlias = Callable[[Sequence[str]], Sequence[Constituency | Dependencies | SentenceError]]
"""Parses sentences; one that cannot be parsed gives its error in its place."""


def examples_of(
    table: Extract,
    split: str,
    first: int,
    known: dict[str, int],
    parsing: Parsing | None,
    columns: Mapping[str, str],
) -> Iterator[Example | SentenceError]:
    """The examples of a part of a table; in the place of a row that cannot be used, why.

    A sentence stands in the column `text`, a pair in `first` and `second`; its class, if there are any, in `label`, its
    score in `score`.

    Args:
        table: the rows.
        split: the split that they belong to.
        first: the number of the first in it.
        known: numbers of the classes that were met; others are added.
        parsing: of sentences that are no trees; None where words are enough.
        columns: names of those columns that have others in the table.
    """
    found = [_renamed(row, columns) if isinstance(row, Row) else row for row in rows(table)]
    pairs = any(PAIR[0] in row.cells for row in found if isinstance(row, Row))
    read = [row if isinstance(row, SentenceError) else _texts(row, PAIR if pairs else (TEXT,)) for row in found]
    said = [text for one in read if isinstance(one, tuple) for text in one[1]]
    trees = has_trees(said)  # of the part alone, as its hash must say all that decides what its shard holds
    raw = [text for text in said if not is_tree(text, trees)]
    parses = iter(parsing(raw) if parsing and raw else ())
    for number, one in enumerate(read, first):
        if isinstance(one, SentenceError):
            yield one
            continue
        row, texts = one
        parsed = [next(parses) if parsing and not is_tree(text, trees) else None for text in texts]
        try:
            sentences = tuple(_sentence(text, found, row, trees) for text, found in zip(texts, parsed, strict=True))
            yield Example(sentences, _targets(row, known), f"{split}-{number}")
        except SentenceError as error:
            yield error


def _renamed(row: Row, columns: Mapping[str, str]) -> Row | SentenceError:
    missing = next((name for name in columns.values() if name not in row.cells), None)
    if missing is not None:
        return SentenceError(f"no column {missing!r}; there are {', '.join(row.cells)}", row.origin)
    cells = {**row.cells, **{ours: row.cells[theirs] for ours, theirs in columns.items()}}
    return Row(cells, row.origin, row.no_text | {ours for ours, theirs in columns.items() if theirs in row.no_text})


def _texts(row: Row, columns: Sequence[str]) -> tuple[Row, list[str]] | SentenceError:
    try:
        return row, [row.cell(column) for column in columns]
    except SentenceError as error:
        return error


def _sentence(text: str, found: Constituency | Dependencies | SentenceError | None, row: Row, trees: bool) -> Parsed:
    if found is None:
        return sentence(text, row.origin, trees)
    if isinstance(found, SentenceError):
        raise SentenceError(found.reason, row.origin)
    found.origin = row.origin
    return unlabelled(found)


def unlabelled(parse: Constituency | Dependencies) -> Parsed:
    """A sentence with one parse and no gold classes of its nodes."""
    if isinstance(parse, Constituency):
        return Parsed(constituency=parse)
    return Parsed(dependencies=parse)


def _targets(row: Row, known: dict[str, int]) -> dict[str, int | float]:
    """The class and the score of a row, of which one may be blank where the other is not."""
    label = row.cells.get("label", "").strip()
    targets: dict[str, int | float] = {}
    if "score" in row.cells and (row.cells["score"].strip() or not label):
        targets["score"] = score_of(row, "score")
    if label:
        targets["label"] = known.setdefault(row.cell("label"), len(known))
    return targets
