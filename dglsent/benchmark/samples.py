"""Sentences to time models on: trees of SST and SICK, or random ones of their shape, with random words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from graphs import fields, topology, trees
from graphs.columns import Dependencies, IntArray
from graphs.errors import InputError
from graphs.features import SPECIAL, Vocabularies
from graphs.sentence_graph import SentenceGraph
from graphs.transforms import drop_outer

WORDS, TAGS = 5000, 70
CORPUS = 1000  # sentences to draw batches from
_RELATIONS = 48


def trees_of(
    data: Path | None, rng: np.random.Generator
) -> tuple[list[SentenceGraph], list[SentenceGraph], list[SentenceGraph]]:
    """Binary constituency trees as of SST, dependency trees and n-ary constituency trees as of SICK.

    Args:
        data: where the two corpora are; without it the trees are random.
        rng: chooses words, tags and random trees.
    """
    if data:
        return of_corpora(data, rng)
    return (
        [random_binary(rng) for _ in range(CORPUS)],
        [random_dependency(rng) for _ in range(CORPUS)],
        [random_nary(rng) for _ in range(CORPUS)],
    )


def sentences(lengths: Iterable[int], rng: np.random.Generator) -> list[Dependencies]:
    """Dependency trees of sentences of these lengths, where every word but the first has an earlier one as its head."""
    made = []
    for length in lengths:
        word, relation = (rng.integers(0, known, length) for known in (WORDS - len(SPECIAL), _RELATIONS))
        head = np.append(-1, rng.integers(0, np.arange(1, length)))
        made.append(Dependencies([f"w{each}" for each in word], head, [f"r{each}" for each in relation]))
    return made


def vocabularies(read: Sequence[Dependencies]) -> Vocabularies:
    """The vocabularies of such sentences, of at most `WORDS` words."""
    return Vocabularies.of(read, spelling=True)


def graph(parent: IntArray, rng: np.random.Generator, *, phrases: bool = False) -> SentenceGraph:
    """The graph of a tree, given as the parent of each node; with `phrases`, inner nodes have no words."""
    size = len(parent)
    src = np.flatnonzero(parent >= 0)
    word = rng.integers(1, WORDS, size)
    if phrases:
        word[np.unique(parent[src])] = 0
    return SentenceGraph(
        size=size,
        src=src,
        dst=parent[src],
        nodes={
            fields.WORD: word,
            fields.TAG: rng.integers(2, TAGS, size),
            fields.POSITION: np.where(word > 0, np.cumsum(word > 0) - 1, -1),
        },
        edges={fields.SLOT: trees.slots(parent)[src]},
        level=topology.levels(size, src, parent[src]),
    )


def of_corpora(
    data: Path, rng: np.random.Generator
) -> tuple[list[SentenceGraph], list[SentenceGraph], list[SentenceGraph]]:
    """Trees of the dev split of SST; dependency and constituency trees of the first sentences of SICK.

    Raises:
        InputError: a corpus is not there, or SICK without constituency trees.
    """
    from dglsent.corpora.sick import SICK
    from dglsent.corpora.sst import SST

    reviews = [example.sentences[0].constituency for example in SST().load(data)["dev"][:CORPUS]]
    captions = [example.sentences[0] for example in SICK().load(data)["train"][:CORPUS]]
    heads = [each.dependencies.head for each in captions if each.dependencies]
    phrases = [drop_outer(each.constituency) for each in captions if each.constituency]
    if not phrases:
        raise InputError(f"{data}: SICK has no a.ptb, with constituency trees; leave out --data for random ones")
    return (
        [graph(tree.parent, rng, phrases=True) for tree in reviews if tree],
        [graph(trees.attach_roots(np.asarray(head)), rng) for head in heads],
        [graph(tree.parent, rng, phrases=True) for tree in phrases],
    )


def random_nary(rng: np.random.Generator) -> SentenceGraph:
    """A tree with about the nodes (18 +- 5), the depth and the unary phrases of SICK's constituency trees."""
    size = int(np.clip(rng.normal(18, 5), 3, 50))
    return graph(
        np.array([-1, *(int(rng.integers(max(0, node - 4), node)) for node in range(1, size))]), rng, phrases=True
    )


def random_binary(rng: np.random.Generator) -> SentenceGraph:
    """A binary tree with about the leaves (19 +- 9) and the depth (about half of them) of the SST's."""
    leaves = int(np.clip(rng.normal(19, 9), 2, 52))
    parent, open_leaves = [-1], [0]
    for _ in range(leaves - 1):
        newest = open_leaves[-2:] if rng.random() < 0.6 else open_leaves
        node = int(rng.choice(newest))
        open_leaves.remove(node)
        open_leaves += [len(parent), len(parent) + 1]
        parent += [node, node]
    return graph(np.array(parent), rng, phrases=True)


def random_dependency(rng: np.random.Generator) -> SentenceGraph:
    """A dependency tree with about the words (10 +- 3) and the depth (4 or 5) of SICK's."""
    size = int(np.clip(rng.normal(9.7, 3.3), 2, 28))
    parent = np.array([-1, *(int(rng.integers(max(0, node - 5), node)) for node in range(1, size))])
    return graph(parent, rng)
