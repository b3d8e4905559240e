"""Files of one's own: where they lie, what the cells of their tables say, and the classes that they name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from dglsent.corpora.corpus import Splits, some_of
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.splits import hold_out
from dglsent.corpora.tables import Row
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets
from graphs.formats.numbers import decimal_number
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
CONLLU_WORD = r"[0-9]+(?:[-.][0-9]+)?(?:\t[^\t\r\n]*){9}"  # ten columns, the first a number
_CONLL_WORD = re.compile(r"[0-9]+(?:\t[^\t\r\n]*){7,}")  # CoNLL-X may have 8 columns, CoNLL-2009 has 14 and more
_DERIVATION = re.compile(r"\(<[TL] ")  # of CCGbank, whose categories have brackets of their own
_PIECE = re.compile(r"[()]|[^ \t\r\n()]+")  # as in `graphs.formats.brackets`
_OF_ONE_WORD = re.compile(r"(?:\([ \t]*[^ \t()a-z]+[ \t]+[^ \t()]+[ \t]*\)[ \t]*)+")
_CONLLU = (".conllu", ".conll")
TEXT, PAIR = "text", ("first", "second")  # columns of the sentences


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


def are_brackets(lines: Iterable[str]) -> bool:
    """Whether lines are trees, be some of them broken: no word stands outside brackets.

    Where no brackets stand within brackets, all trees are of one word, `(UH Yes)`; `(Laughs)` and `(Great film)` are
    text, for no tag has small letters.
    """
    depth, nested, of_one_word = 0, False, True
    for line in lines:
        if line.startswith("("):
            depth = 0  # as for the reader of brackets, which lets a tree that is not closed end here
        elif not line.startswith((" ", "\t", ")")):
            return False
        for piece in _PIECE.findall(line):
            depth += (piece == "(") - (piece == ")")
            if piece not in ("(", ")") and depth < 1:
                return False
            nested |= depth > 1
        of_one_word &= _OF_ONE_WORD.fullmatch(line.strip()) is not None
    return nested or of_one_word


def refuse_parses(lines: Iterable[tuple[int, str]], name: str, remedy: str) -> None:
    """Refuses parses among lines of raw text, which have their numbers: their marks would be parsed as words.

    Raises:
        InputError: a line is a tree in brackets, a derivation of CCGbank, or a word of CoNLL-U or of its forerunners,
            or all lines are trees; `remedy` says what to do.
    """
    lines = list(lines)
    for number, line in lines:
        if what := _part_of_parse(line):
            raise InputError(f"{name}:{number}: {what}, and not text; {remedy}")
    filled = [line for _, line in lines if line.strip()]
    if filled and are_brackets(filled):
        raise InputError(f"{name}: trees in brackets, and not text; {remedy}")


def _part_of_parse(line: str) -> str:
    """What of a parse a line is, "" for text."""
    if is_tree(line.strip(), among_trees=False):
        return "a tree in brackets"
    if _DERIVATION.match(line):
        return "a derivation of CCGbank"
    if re.fullmatch(CONLLU_WORD, line):
        return "a word of CoNLL-U"
    columns = line.count("\t") + 1
    return f"{columns} columns, the first a number, as words of CoNLL have" if _CONLL_WORD.fullmatch(line) else ""


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
    for piece in _PIECE.findall(text):
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


def refuse_no_file(file: str | Path) -> None:
    """Refuses what is no plain file: parts of one are read again, which a pipe does not allow.

    Raises:
        InputError: it is a pipe or a folder, or there is nothing.
    """
    path = Path(file)
    if not path.exists():
        raise InputError(f"{file}: no such file")
    if not path.is_file():
        raise InputError(f"{file}: no plain file but a folder, a pipe or a device; write what it holds to a file")


class NoFileError(InputError):
    """A file that a corpus names is not there."""


def found(file: str, split: str) -> Path:
    """The path of a file, if it is there.

    Raises:
        NoFileError: it is not, or it is no plain file.
    """
    path = Path(file).expanduser()
    if not path.is_file():
        what = "no plain file but a folder, a pipe or a device" if path.exists() else "no such file"
        raise NoFileError(f"{path.absolute()}: {what}; corpus.{split} names it, from the working folder")
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


def score_of(row: Row, column: str) -> float:
    """The finite number of a cell.

    Raises:
        SentenceError: it is none, such as one with a decimal comma.
    """
    text = row.cell(column)
    value = decimal_number(text)
    if value is None or not math.isfinite(value):
        pointed = text.replace(",", ".")
        comma = pointed != text and decimal_number(pointed) is not None
        hint = f"; a decimal point is expected: {pointed}" if comma else ""
        raise SentenceError(f"{column} {text!r} is no number{hint}", row.origin)
    return value


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


def is_conllu(file: str | Path) -> bool:
    """Whether a file is CoNLL-U, by its name."""
    return Path(file).name.removesuffix(".gz").endswith(_CONLLU)
