"""Short reviews from a small grammar of our own: a corpus with gold labels and no download.

Every phrase of every binary tree has a gold sentiment, and dependency heads come from the same derivation.
The grammar itself is data, in `review_grammar` and `review_lexicon`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from random import Random

import numpy as np

from dglsent.corpora.review_grammar import CHOICES, OPERATORS, PHENOMENON, RULES, Rule
from dglsent.corpora.review_lexicon import LEXICON, WordClass
from graphs.columns import Constituency, Dependencies, IntArray
from graphs.errors import InputError, Origin

CLASSES = ("very negative", "negative", "neutral", "positive", "very positive")
"""Names of the sentiment labels 0 to 4."""

PHENOMENA = ("negation", "intensifier", "contrast", "distance")
"""What makes a review hard; "distance" is a negation or intensifier far from the word that it changes."""

SHARES = {"train": 0.7, "dev": 0.1, "test": 0.2}
"""What part of all skeletons belongs to each split, whatever the seed and the sizes asked for."""

_NEUTRAL = CLASSES.index("neutral")
_SHORTEST, _LONGEST = 3, 25  # words of a review
_FAR = 3  # words between an operator and the first word with a polarity that it acts upon


@dataclass(eq=False, slots=True)
class Review:
    """A review with all that is known about it.

    Attributes:
        tree: its binary tree; a label is a phrase tag, or the POS tag of a word.
        sentiment: [N] gold label 0 to 4 of every phrase, in the order of the nodes of the tree.
        dependencies: its dependency tree.
        phenomena: those of `PHENOMENA` that it shows.
    """

    tree: Constituency
    sentiment: IntArray
    dependencies: Dependencies
    phenomena: frozenset[str]


def generate(*, seed: int = 0, train: int = 4000, dev: int = 500, test: int = 1000) -> dict[str, list[Review]]:
    """Draw reviews until every split is full.

    A review goes where its skeleton belongs, the tree without its words. So no two splits share a skeleton,
    even those of different seeds and sizes, and nobody meets in a test what was a training tree with other
    words of the same classes. No sentence comes twice, and a smaller split is the beginning of a larger one.

    Args:
        seed: seed of the draw; the same one gives the same reviews everywhere.
        train: number of reviews to train on.
        dev: number of reviews to choose a model by.
        test: number of reviews to test on.

    Returns:
        The reviews of the splits "train", "dev" and "test".

    Raises:
        InputError: the seed is no whole number, or a size none from 0.
    """
    sizes = {"train": train, "dev": dev, "test": test}
    # Of None or of text Python makes other seeds.
    if not isinstance(seed, Integral):
        raise InputError(f"seed is {seed!r}; give a whole number")
    for name, size in sizes.items():
        if not isinstance(size, Integral) or size < 0:
            raise InputError(f"{name} is {size!r}; give a whole number of reviews, 0 or more")
    splits: dict[str, list[Review]] = {name: [] for name in sizes}
    random = Random(seed)
    seen: set[tuple[str, ...]] = set()
    while any(len(splits[name]) < sizes[name] for name in sizes):
        review = _write(_derive("REVIEW", random))
        sentence = tuple(review.dependencies.words)
        if sentence in seen or not _SHORTEST <= len(sentence) <= _LONGEST:
            continue
        seen.add(sentence)
        name = _split(review.tree)
        if len(splits[name]) < sizes[name]:
            splits[name].append(review)
            review.tree.origin = review.dependencies.origin = Origin(sentence=f"{name}-{len(splits[name])}")
    return splits


def skeleton(tree: Constituency) -> str:
    """A tree without its words: its tags and its shape."""
    return f"{' '.join(tree.label)} {tree.parent.tolist()}"


def _split(tree: Constituency) -> str:
    """The split to which the skeleton of a tree belongs."""
    digest = hashlib.sha256(skeleton(tree).encode()).digest()
    place = int.from_bytes(digest[:8], "big") / 2**64
    if place < SHARES["train"]:
        return "train"
    return "dev" if place < SHARES["train"] + SHARES["dev"] else "test"


@dataclass(frozen=True, slots=True)
class _Word:
    """A word drawn from its class."""

    kind: WordClass
    form: str
    polarity: int


@dataclass(frozen=True, slots=True)
class _Phrase:
    """A phrase drawn by its rule."""

    kind: Rule
    first: _Word | _Phrase
    second: _Word | _Phrase
    polarity: int


def _derive(name: str, random: Random) -> _Word | _Phrase:
    """Draw what a name of the grammar stands for."""
    if name in LEXICON:
        kind = LEXICON[name]
        return _Word(kind, _pick(kind.words.split(), random), kind.polarity)
    if name in CHOICES:
        return _derive(_pick(CHOICES[name], random), random)
    rule = RULES[name]
    while True:  # until it is something that one would say
        first, second = _derive(rule.first, random), _derive(rule.second, random)
        polarity = rule.meaning(first.polarity, second.polarity)
        if polarity is not None:
            return _Phrase(rule, first, second, polarity)


def _pick(options: Sequence[str], random: Random) -> str:
    # Of all that Random draws, only random() is promised to stay the same in every version of Python.
    return options[int(random.random() * len(options))]


def _write(root: _Word | _Phrase) -> Review:
    """Write a derivation into columns."""
    label: list[str] = []
    sentiment: list[int] = []
    parent: list[int] = []
    tokens: list[_Word] = []
    leaves: list[int] = []  # the node of each token
    head: list[int] = []
    relation: list[str] = []
    phenomena: set[str] = set()

    def write(part: _Word | _Phrase, above: int) -> int:
        """Append a part in pre-order; returns its head token."""
        node = len(label)
        label.append(part.kind.tag)
        sentiment.append(_NEUTRAL + part.polarity)
        parent.append(above)
        if isinstance(part, _Word):
            tokens.append(part)
            leaves.append(node)
            head.append(-1)
            relation.append("root")
            return len(tokens) - 1
        rule = part.kind
        first = write(part.first, node)
        middle = len(tokens)
        second = write(part.second, node)
        governor, dependent = (first, second) if rule.head == "left" else (second, first)
        head[dependent], relation[dependent] = governor, rule.relation
        if rule.meaning in PHENOMENON:
            phenomena.add(PHENOMENON[rule.meaning])
        if rule.meaning in OPERATORS:
            changed = next((token for token in range(middle, len(tokens)) if tokens[token].polarity), first)
            if changed - first > _FAR:
                phenomena.add("distance")
        return governor

    write(root, -1)
    forms = _spell([token.form for token in tokens])
    word: list[str | None] = [None] * len(label)
    for leaf, form in zip(leaves, forms, strict=True):
        word[leaf] = form
    return Review(
        tree=Constituency(label, word, np.array(parent, dtype=np.int64)),
        sentiment=np.array(sentiment, dtype=np.int64),
        dependencies=Dependencies(
            forms,
            np.array(head, dtype=np.int64),
            relation,
            upos=[token.kind.upos for token in tokens],
            xpos=[token.kind.tag for token in tokens],
        ),
        phenomena=frozenset(phenomena),
    )


def _spell(forms: Sequence[str]) -> list[str]:
    """The words as one writes them: "an" for "a" before a vowel."""
    after = [*forms[1:], ""]
    return [
        "an" if form == "a" and then.startswith(tuple("aeiou")) else form
        for form, then in zip(forms, after, strict=True)
    ]
