"""Small sentence graphs from parent arrays, random ones and the awkward ones, for any test of message passing."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from graphs import fields, topology, trees
from graphs.sentence_graph import SentenceGraph

VOCABULARY = 12  # word ids 1 .. 11; 0 is padding
TAGS = ("<padding>", "<unknown>", "NN", "VB", "S", "NP", "VP")  # of every node, phrases first
SEVEN = [-1, 0, 0, 0, 0, 0, 0, 0]
DEEP = 500
TALL = 20


def tree(parent, words=None, *, phrases=False) -> SentenceGraph:
    """The graph of a tree or forest whose nodes are numbered in any order, -1 at roots; siblings by number.

    Args:
        parent: [N] parents.
        words: [N] word ids; without them node n has word 1 + 5 n mod 11, so that neighbours differ.
        phrases: words at the leaves alone, 0 elsewhere.

    Words stand in the sentence as their nodes are numbered.
    Tags depend on the word at leaves (2 or 3) and on the number of the node elsewhere (4, 5 or 6).
    """
    parent = np.asarray(parent, dtype=np.int64)
    size = len(parent)
    word = 1 + 5 * np.arange(size) % (VOCABULARY - 1) if words is None else np.array(words, dtype=np.int64)
    src = np.flatnonzero(parent >= 0)
    inner = np.unique(parent[src])
    tag = 2 + word % 2
    tag[inner] = 4 + inner % 3
    is_word = np.ones(size, dtype=bool)
    if phrases:
        word[inner], is_word[inner] = 0, False
    return SentenceGraph(
        size=size,
        src=src,
        dst=parent[src],
        nodes={fields.WORD: word, fields.TAG: tag, fields.POSITION: np.where(is_word, is_word.cumsum() - 1, -1)},
        edges={fields.SLOT: trees.slots(parent)[src]},
        level=topology.levels(size, src, parent[src]),
    )


def chain(size, words=None) -> SentenceGraph:
    """The chain of a sentence, each word sending to the next."""
    return tree([*range(1, size), -1], words)


def caterpillar(levels) -> SentenceGraph:
    """A binary tree of the given depth that grows to the left and to the right in turn."""
    parent = [-1]
    for level in range(levels):
        phrase = 2 * level - level % 2 if level else 0  # the first or the second of the two newest nodes
        parent += [phrase, phrase]
    return tree(parent, phrases=True)


def depth(on, layout="edges") -> int:
    """Of the deepest tree for an engine: 500 for every model on the torch engine; on DGL's, a step takes milliseconds.

    A recursion of each kind goes as deep there: those of RecNN, Tree-LSTMs and chains.
    """
    return DEEP if (on, layout) == ("torch", "edges") else TALL


def caterpillars(on) -> list[SentenceGraph]:
    """Binary trees: a word, two words, and more up to the deepest for an engine."""
    return [caterpillar(levels) for levels in (0, 1, 2, 5, depth(on))]


def one_word(on) -> list[SentenceGraph]:
    """A batch without edges."""
    return [tree([-1], [4])]


def awkward_trees(*, phrases=False, levels=DEEP) -> list[SentenceGraph]:
    """One word, a unary chain, seven children, two words either way round, a mixture, and a tree of so many levels."""
    mixed = [3, 3, 1, -1, 3, 4, 4, 4, 7, 8, 8, 8, 8, 8, 8, 8]
    deep = [-1, *range(levels)]
    return [tree(p, phrases=phrases) for p in ([-1], [1, 2, 3, 4, -1], SEVEN, [-1, 0], [1, -1], mixed, deep)]


def forest() -> SentenceGraph:
    """Three roots: a word, a tree, a chain."""
    return tree([-1, 2, -1, 2, 5, 6, -1])


def children(graph: SentenceGraph) -> list[list[int]]:
    """Children of each node, in sibling order."""
    result: list[list[int]] = [[] for _ in range(graph.size)]
    for child, parent in zip(graph.src.tolist(), graph.dst.tolist(), strict=True):
        result[parent].append(child)
    return result


def renumbered(graph: SentenceGraph, order) -> SentenceGraph:
    """The same tree with node order[i] as node i and words in the same order; siblings follow their new numbers."""
    place = np.argsort(order)
    parent = np.full(graph.size, -1)
    parent[place[graph.src]] = place[graph.dst]
    result = tree(parent, graph.nodes[fields.WORD][order])
    result.nodes[fields.POSITION] = graph.nodes[fields.POSITION][order]
    return result


def chains():
    """Chains of random words."""
    words = st.lists(st.integers(1, VOCABULARY - 1), min_size=1, max_size=9)
    return words.map(lambda words: chain(len(words), words))


@st.composite
def forests(draw, *, roots=None):
    """Trees and forests of any shape, numbered in any order; with `roots=1` trees alone."""
    size = draw(st.integers(1, 9))
    parent = [draw(st.integers(-1 if roots is None or not node else 0, node - 1)) for node in range(size)]
    order = draw(st.permutations(range(size)))
    words = draw(st.lists(st.integers(1, VOCABULARY - 1), min_size=size, max_size=size))
    return renumbered(tree(parent, words), np.array(order))


def pairs(sentences):
    """One to three pairs of such sentences."""
    return st.lists(st.tuples(sentences, sentences), min_size=1, max_size=3)


@st.composite
def binary_trees(draw):
    """Binary trees of any shape with random words at the leaves."""
    parent, leaves = [-1], [0]
    for _ in range(draw(st.integers(1, 7)) - 1):
        leaf = leaves.pop(draw(st.integers(0, len(leaves) - 1)))
        leaves += [len(parent), len(parent) + 1]
        parent += [leaf, leaf]
    words = draw(st.lists(st.integers(1, VOCABULARY - 1), min_size=len(parent), max_size=len(parent)))
    return tree(parent, words, phrases=True)
