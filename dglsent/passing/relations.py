"""The relations that a batch can have: their edges, and whether these need listing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import torch

from dglsent.passing.missing import NODE, there
from dglsent.passing.relation import AllPairs, Direction, Relation
from graphs import fields
from graphs.batching import MergedGraphs, partners
from graphs.columns import IntArray
from graphs.fields import ATTEND, CHILD, COMPLETE, NEIGHBOUR, NEXT, PRECEDING, PREVIOUS
from graphs.ranges import ranges

Use: TypeAlias = str | tuple[str, Direction]
"""A relation by name, for rounds alone; or with the direction in which something propagates along it. Of all pairs the
direction is that of a propagation over `child` whose frontiers hear them (`frontier_pass`)."""


def _child(merged: MergedGraphs) -> Relation:
    """The edges of the sentence graphs, child -> parent."""
    relation = Relation(merged.src, merged.dst, merged.level, merged.nodes[fields.SENTENCE])
    for name, column in merged.edges.items():
        relation.edges[name] = torch.from_numpy(column)
    return relation


def _neighbour(merged: MergedGraphs) -> Relation:
    """The edges of `child` both ways, and from every node to itself."""
    node = np.arange(len(merged.level))
    src = np.concatenate([merged.src, merged.dst, node])
    dst = np.concatenate([merged.dst, merged.src, node])
    return Relation(src, dst, merged.level, merged.nodes[fields.SENTENCE])


def _next(merged: MergedGraphs) -> Relation:
    """From each word to the next."""
    src, dst, level = _word_order(merged)
    return Relation(src, dst, level, merged.nodes[fields.SENTENCE])


def _previous(merged: MergedGraphs) -> Relation:
    """From each word to the one before."""
    src, dst, level = _word_order(merged)
    return Relation(dst, src, level.max(initial=0) - level, merged.nodes[fields.SENTENCE])


def _word_order(merged: MergedGraphs) -> tuple[IntArray, IntArray, IntArray]:
    """Each word, the next one, and the level [N] of each node: words that follow it, 0 at phrases."""
    words, sentence = _words(merged), merged.nodes[fields.SENTENCE]
    together = sentence[words[1:]] == sentence[words[:-1]]
    level = np.zeros(len(sentence), dtype=np.int64)
    last = np.bincount(sentence[words]).cumsum() - 1  # place of each sentence's last word among all words
    level[words] = last[sentence[words]] - np.arange(len(words))
    return words[:-1][together], words[1:][together], level


def _preceding(merged: MergedGraphs) -> Relation:
    """From each word to every later one.

    The first words of all sentences have the same level, so that words of one step hear from equally many.
    """
    words, sentence = _words(merged), merged.nodes[fields.SENTENCE]
    count = np.bincount(sentence[words])
    place = ranges(np.zeros_like(count), count)
    level = np.zeros(len(sentence), dtype=np.int64)
    level[words] = place.max(initial=0) - place
    number = np.arange(len(words))
    return Relation(words[ranges(number - place, place)], words[np.repeat(number, place)], level, sentence)


def _words(merged: MergedGraphs) -> IntArray:
    """The nodes with a word, which have a position, as they are read."""
    position, sentence = there(merged.nodes, fields.POSITION, NODE), merged.nodes[fields.SENTENCE]
    words = np.flatnonzero(position >= 0)
    return words[np.lexsort((position[words], sentence[words]))]


def _complete(merged: MergedGraphs) -> Relation:
    """From every node of a sentence to every node of it, itself included."""
    relation = AllPairs(merged.node_counts, np.arange(len(merged.node_counts)))
    for name, column in merged.pairwise.items():
        relation.edges[name] = torch.from_numpy(column)
    return relation


def _attend(merged: MergedGraphs) -> Relation:
    """From every node of a sentence to every node of the other of its pair."""
    return AllPairs(merged.node_counts, partners(len(merged.node_counts)))


RELATIONS: dict[str, Callable[[MergedGraphs], Relation]] = {
    CHILD: _child,
    NEIGHBOUR: _neighbour,
    NEXT: _next,
    PREVIOUS: _previous,
    PRECEDING: _preceding,
    COMPLETE: _complete,
    ATTEND: _attend,
}


def make_relation(name: str, merged: MergedGraphs, *, pairs: bool) -> Relation:
    """A relation over merged sentences, or pairs of them.

    Raises:
        ValueError: there is no such relation, or it is asked of sentences that are not pairs.
        MissingFieldError: it is one of words, and nodes have no `position`.
    """
    if name not in RELATIONS:
        known = ", ".join(name for name in RELATIONS if name != ATTEND)
        raise ValueError(f"no relation {name!r}; there are {known} and, in pairs, {ATTEND}")
    if name == ATTEND and not pairs:
        raise ValueError(f"the relation {name} is between the sentences of pairs; take pairs (Batch.of: pairs=True)")
    return RELATIONS[name](merged)
