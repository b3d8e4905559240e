"""Parsed sentences as flat columns: what readers make, transforms change and builders read.

A column holds one entry a node, in the order of the nodes, so nothing here is nested and no tree is too deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from graphs.errors import InputError, Origin, SentenceError, check_kind

IntArray: TypeAlias = npt.NDArray[np.int64]

NUMBERS = "biuf"  # kinds of NumPy's types whose values are one number each: truth values, whole ones and floats


@dataclass(eq=False, slots=True)
class Constituency:
    """A constituency tree of N nodes in pre-order: a parent stands before its children, siblings left to right.

    A preterminal and its word are one node, so `(NP (DT the) (NN cat))` has three nodes.

    Attributes:
        label: [N] phrase label or POS tag, functional tags included; "" where the brackets give none, as None becomes.
        word: [N] the token at a leaf, None at a phrase.
        parent: [N] index of the parent, -1 at the root, which is node 0; a document has several roots.
        origin: where the tree was read.

    Raises:
        SentenceError: the parents are rows of several lengths.
    """

    label: Sequence[str]
    word: Sequence[str | None]
    parent: IntArray
    origin: Origin = field(default_factory=Origin)

    def __post_init__(self) -> None:
        self.parent = _column(self.parent, "parent", self.origin)
        if isinstance(self.label, list | tuple) and None in self.label:
            self.label = ["" if label is None else label for label in self.label]

    def __len__(self) -> int:
        return len(self.label)

    @property
    def words(self) -> list[str]:
        """The tokens of the sentence, left to right."""
        return [word for word in self.word if word is not None]

    @property
    def pos(self) -> list[str]:
        """The labels of its tokens, left to right."""
        return [label for label, word in zip(self.label, self.word, strict=True) if word is not None]

    def _repr_svg_(self) -> str:
        """Draws the tree, in notebooks."""
        from graphs.drawing import tree_svg

        return tree_svg(self)


@dataclass(eq=False, slots=True)
class Dependencies:
    """A dependency tree (or forest) of N tokens, in sentence order.

    Attributes:
        word: [N] word forms.
        head: [N] index of the head from 0, -1 at a root. Several roots and crossing arcs are kept as they are.
        relation: [N] dependency relation to the head.
        upos: [N] universal POS tags, "_" where unknown.
        xpos: [N] language-specific POS tags, "_" where unknown.
        lemma: [N] lemmas, "_" where unknown.
        multiword: surface tokens that span several words, as (first word, one past the last word, form).
        empty: empty nodes of enhanced dependencies, as (id such as "8.1", form); never nodes of a graph.
        comments: comment lines without the leading "# ".
        origin: where the sentence was read.
        forest: whether its roots are those of several sentences, which stay apart in its graph.
        feats: [N] morphological features, such as "Number=Sing|Person=3"; "_" where there are none.

    Raises:
        SentenceError: the heads are rows of several lengths.
    """

    word: Sequence[str]
    head: IntArray
    relation: Sequence[str]
    upos: Sequence[str] = ()
    xpos: Sequence[str] = ()
    lemma: Sequence[str] = ()
    multiword: Sequence[tuple[int, int, str]] = ()
    empty: Sequence[tuple[str, str]] = ()
    comments: Sequence[str] = ()
    origin: Origin = field(default_factory=Origin)
    forest: bool = False
    feats: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.head = _column(self.head, "head", self.origin)
        for name in ("upos", "xpos", "lemma", "feats"):
            column = getattr(self, name)
            if column is None or (hasattr(column, "__len__") and not len(column)):  # an iterator is refused later
                setattr(self, name, ["_"] * len(self.word))

    @classmethod
    def unparsed(cls, word: Sequence[str], origin: Origin | None = None) -> Dependencies:
        """Words of which no head and no relation is known."""
        return cls(word, np.full(len(word), -1), ["_"] * len(word), origin=origin or Origin())

    def __len__(self) -> int:
        return len(self.word)

    @property
    def words(self) -> list[str]:
        """The tokens of the sentence, left to right."""
        return list(self.word)

    @property
    def headless(self) -> bool:
        """Whether no word has a head or a relation, as in a sentence that was tagged and not parsed."""
        numbers = self.head.dtype.kind in "iuf"  # the builders say what is wrong with others
        return numbers and bool((self.head < 0).all()) and set(self.relation) <= {"_"}

    def _repr_svg_(self) -> str:
        """Draws the tree, in notebooks; a long sentence in rows."""
        from graphs.drawing import dependencies_svg

        return dependencies_svg(self)


@dataclass(eq=False, slots=True)
class Tagged:
    """A sentence of N tokens without a parse, with whatever its file says about each token.

    Attributes:
        word: [N] word forms.
        columns: by name, each [N]: POS tags are `pos`, which graphs read as tags; others have the names that their
            reader gave, such as `chunk` or `category`.
        origin: where the sentence was read.
    """

    word: Sequence[str]
    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    origin: Origin = field(default_factory=Origin)

    def __len__(self) -> int:
        return len(self.word)

    @property
    def words(self) -> list[str]:
        """The tokens of the sentence, left to right."""
        return list(self.word)


Sentence: TypeAlias = Constituency | Dependencies | Tagged


def check_sentence(given: object) -> None:
    """Refuse what is no sentence, such as its text.

    Raises:
        InputError: it is none.
    """
    hint = "graphs.parse makes such of text or tokens, graphs.columns.Tagged holds tokens alone"
    check_kind(given, get_args(Sentence), hint)


def check_sentences(given: object) -> None:
    """Refuse what cannot be gone through sentence by sentence, such as one sentence.

    Raises:
        InputError: it cannot.
    """
    if isinstance(given, str | Sentence) or not isinstance(given, Iterable):
        raise InputError(f"a list of sentences is wanted, and a value of type {type(given).__name__} was given")


def check_lengths(sentence: Sentence) -> None:
    """Refuse a sentence with columns of several lengths.

    Raises:
        InputError: the further columns of tokens have no names.
        SentenceError: they have, or one is a text or an iterator, and no list.
    """
    columns: dict[str, Any]
    if isinstance(sentence, Constituency):
        columns = {"labels": sentence.label, "words": sentence.word, "parents": sentence.parent}
        what, each = "tree", "node"
    else:
        columns = {"words": sentence.word}
        what, each = "sentence", "word"
        if isinstance(sentence, Dependencies):
            columns |= {"heads": sentence.head, "relations": sentence.relation}
            columns |= {"upos": sentence.upos, "xpos": sentence.xpos, "lemmas": sentence.lemma, "feats": sentence.feats}
        else:
            check_kind(sentence.columns, Mapping, 'the columns of a sentence have names, as {"pos": ["DT", "NN"]}')
            columns |= sentence.columns
    for name, column in columns.items():
        if isinstance(column, str) or not hasattr(column, "__len__"):
            raise SentenceError(
                f"the {name} of the {what} are of type {type(column).__name__}; give a list, one a {each}",
                sentence.origin,
            )
    # Of an array without dimension, which whole_numbers refuses, there is no len.
    sizes = [column.size if isinstance(column, np.ndarray) else len(column) for column in columns.values()]
    if len(set(sizes)) > 1:
        said = [f"{size} {name}" for size, name in zip(sizes, columns, strict=True)]
        raise SentenceError(
            f"the {what} has {', '.join(said[:-1])} and {said[-1]}; give one of each a {each}", sentence.origin
        )


def as_array(values: Any) -> npt.NDArray[Any]:
    """Values, or a tensor on any device, as an array of their own type; of bfloat16, which NumPy lacks, as float32.

    Raises:
        ValueError: rows of several lengths.
    """
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        if str(values.dtype) == "torch.bfloat16":
            values = values.float()
    return np.asarray(values)


def _column(values: Any, what: str, origin: Origin | None, of: str = "node") -> npt.NDArray[Any]:
    """Numbers [N] of nodes, or of whatever else, as an array, which whole_numbers looks at.

    Raises:
        SentenceError: they are rows of several lengths.
    """
    try:
        return as_array(values)
    except ValueError:
        raise SentenceError(f"{what}: rows of several lengths; give one number a {of}", origin) from None


def whole_numbers(values: Sequence[int] | IntArray, what: str, origin: Origin | None, of: str = "node") -> IntArray:
    """Numbers [N] of nodes, or of whatever else, as int64; `what`, `origin` and `of` are for the error.

    Raises:
        SentenceError: they have not one dimension, or one is no whole number, of which NumPy would cut the fraction
            off.
    """
    given = _column(values, what, origin, of)
    if given.ndim != 1:
        raise SentenceError(f"{what}: shape {list(given.shape)}; give one number a {of}", origin)
    if given.dtype.kind not in NUMBERS:
        given = np.array([value if isinstance(value, Real) else np.nan for value in values], dtype=np.float64)
    if given.dtype.kind in "bi":
        return given.astype(np.int64)
    with np.errstate(invalid="ignore"):  # of NaN
        whole = given.astype(np.int64)
    wrong = np.flatnonzero(whole != given)
    if len(wrong):
        number = int(wrong[0])
        value = np.asarray(values[number]).tolist()
        raise SentenceError(f"{what} {value!r} of {of} {number + 1} is no whole number", origin)
    return whole
