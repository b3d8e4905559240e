"""Files of one's own: where they lie, their rows, and the classes that they name."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dglsent.corpora.corpus import Splits, some_of
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.splits import hold_out
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets
from graphs.formats.numbers import decimal_number
from graphs.formats.source import Extract, read_lines, source_name, source_start
from graphs.tokens import tokens

REMEDY = (
    "of a table `dglsent build FILE STORE --graph KIND` parses the text into a store, from which a recipe of that "
    "graph trains; or, for a graph of your own too, parse it with `dglsent parse` and give CoNLL-U with a comment "
    "`# label = CLASS` before each sentence, or for constituency trees brackets in the column of the text"
)
PAIR_REMEDY = (
    "`dglsent build FILE STORE --graph KIND` parses the pairs into a store, from which a recipe of that graph trains; "
    "or for constituency trees, of a graph of your own too, give brackets in the columns of the text"
)
NO_CLASS = ("", "_", "-1")  # labels of a phrase that has none
PIECE = re.compile(r"[()]|[^ \t\r\n()]+")  # as in `graphs.formats.brackets`
_LONGEST = 1 << 24  # characters of a cell of CSV, as of a line of any file
TABLES = (".tsv", ".csv", ".jsonl")
CONLLU = (".conllu", ".conll")
TEXT, PAIR = "text", ("first", "second")  # columns of the sentences


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
            raise SentenceError(f"no column {column!r}; there are {', '.join(self.cells)}", self.origin)
        if column in self.no_text:
            raise SentenceError(f"column {column!r} is {self.cells[column]}; give text or a number", self.origin)
        text = self.cells[column].strip()
        if not text:
            raise SentenceError(f"column {column!r} is blank", self.origin)
        if wrong := half_character(f"column {column!r}", text):
            raise SentenceError(wrong, self.origin)
        return text


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
    for place, (number, row) in enumerate(cells, ordinal):
        origin = Origin(name, number, str(place))
        if isinstance(row, csv.Error):
            yield SentenceError(_no_csv(row), origin)
        elif len(row) == len(header):
            yield Row(dict(zip(header, row, strict=True)), origin)
        else:
            broken = len(row) < len(header) and row[-1].startswith('"') and not row[-1].endswith('"')
            hint = "; a cell in quotes that goes on in the next line is for .csv" if broken else ""
            yield SentenceError(f"{len(row)} cells, and {len(header)} columns: {', '.join(header)}{hint}", origin)


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
    # Without strict, a stray quote silently makes one row of many.
    reader = csv.reader((f"{text}\n" for text in lines), strict=True)
    row: list[str] | csv.Error
    while True:
        number = first + reader.line_num
        before = csv.field_size_limit(_LONGEST)  # of the whole process, and so lent for a row at a time
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            row = error
        finally:
            csv.field_size_limit(before)
        if row:
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


def has_trees(texts: Iterable[str]) -> bool:
    """Whether cells of a column hold trees: one of them has brackets within brackets, as text hardly has."""
    return any(is_tree(text, among_trees=False) for text in texts)


def is_tree(text: str, among_trees: bool) -> bool:
    """Whether a cell holds a tree in brackets, be it a broken one.

    Args:
        text: the cell.
        among_trees: what `has_trees` says of its column; `(UH Yes)` is a tree among trees, and text elsewhere.
    """
    depth = _depth(text)
    return depth > 0 if among_trees else depth > 1 and text.endswith(")")


def tree(text: str, origin: Origin) -> Constituency:
    """The tree of a cell.

    Raises:
        SentenceError: it is broken, or there are several.
    """
    try:
        trees = parse_brackets(text, unescape=True)
    except SentenceError as error:
        raise SentenceError(error.reason.removeprefix("line 1: "), origin) from None
    if len(trees) != 1:
        raise SentenceError(f"{len(trees)} trees in one cell, expected one", origin)
    trees[0].origin = origin
    return trees[0]


def sentence(text: str, origin: Origin, among_trees: bool, remedy: str = REMEDY) -> Parsed:
    """A sentence of a cell: a tree in brackets, or text that is cut into tokens; arguments as of `is_tree`.

    Raises:
        SentenceError: the tree is broken.
    """
    if is_tree(text, among_trees):
        return Parsed(constituency=tree(text, origin), remedy=remedy)
    return Parsed(unparsed=Dependencies.unparsed(tokens(text), origin), remedy=remedy)


def _depth(text: str) -> int:
    """How deep the brackets of a tree are nested; 0 for text.

    Text has a word outside brackets, or a bracket with a word alone, such as `(Laughs)`. Brackets that do not match are
    no sign of text: a tree that lacks one should be refused and not read as words.
    """
    if not text.startswith("("):
        return 0
    depth = deepest = 0
    before = last = ""
    for piece in PIECE.findall(text):
        if piece == "(":
            depth += 1
            deepest = max(deepest, depth)
        elif piece == ")":
            if "(" in (before, last):
                return 0
            depth -= 1
        elif depth < 1:
            return 0
        before, last = last, piece
    return deepest


def told_class(sentence: Dependencies, name: str = "label") -> str:
    """The class that a comment `# NAME = CLASS` before a sentence gives; "" without one."""
    for comment in sentence.comments:
        key, _, value = comment.partition("=")
        if key.strip() == name and value.strip():
            return value.strip()
    return ""


def of_classes(tree: Constituency, number: Callable[[str], int], id_: str, remedy: str = "") -> Example:
    """The example of a tree whose labels are classes; that of its root is the sentence's.

    Args:
        tree: the tree.
        number: that of a class.
        id_: name of the example.
        remedy: as of `Parsed`.

    Raises:
        SentenceError: the root has no class.
    """
    if tree.label[0] in NO_CLASS:
        raise SentenceError("the root has no class", tree.origin)
    labels = [-1 if label in NO_CLASS else number(label) for label in tree.label]
    # The labels are gold classes, not tags: a model must not read them.
    bare = Constituency([""] * len(tree), tree.word, tree.parent, tree.origin)
    return Example((Parsed(bare, labels=labels, remedy=remedy),), {"label": labels[0]}, id_)


def found(file: str, split: str) -> Path:
    """The path of a file, if it is there.

    Raises:
        InputError: it is not.
    """
    path = Path(file).expanduser()
    if not path.is_file():
        raise InputError(f"{path.absolute()}: no such file; corpus.{split} names it, from the working folder")
    return path


def sorted_classes(names: Iterable[str]) -> list[str]:
    """Different names of classes in order: numbers first, as numbers, and then text."""

    def place(name: str) -> tuple[bool, float, str]:
        number = decimal_number(name)
        return number is None, number or 0.0, name

    return sorted(set(names), key=place)


def classes(names: Iterable[str], file: str) -> tuple[str, ...]:
    """The classes that a training split names, in the order of `sorted_classes`.

    Raises:
        InputError: there are fewer than two.
    """
    known = sorted_classes(names)
    if len(known) < 2:
        raise InputError(f"{file}: names {len(known)} class{'es' * (len(known) != 1)}; a corpus has at least 2")
    return tuple(known)


def number_of(name: str, labels: Sequence[str], origin: Origin) -> int:
    """The number of a class.

    Raises:
        SentenceError: training has no such class.
    """
    if name not in labels:
        raise SentenceError(f"class {name!r} is none of those of training: {some_of(labels)}", origin)
    return labels.index(name)


def splits(train: list[Example], dev: list[Example] | None, test: list[Example]) -> Splits:
    """The splits; without dev a tenth of train.

    Raises:
        InputError: that leaves one of them empty.
    """
    if dev is None:
        kept, dev = hold_out(train)
        if not (kept and dev):
            raise InputError(
                f"corpus.dev: not given, and a tenth of the {len(train)} examples of corpus.train would be dev, which "
                f"leaves {'train' if dev else 'dev'} empty; give corpus.dev"
            )
        train = kept
    return {"train": train, "dev": dev, "test": test}
