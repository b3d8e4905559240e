"""Complete graphs of short sentences with every field that an attribute may read, drawn at random."""

from __future__ import annotations

import numpy as np

from graphs.complete_graphs import CompleteGraph
from graphs.features import Vocabularies, Vocabulary
from graphs.spelling import Spelling

LEXICAL = 3


def vocabularies() -> Vocabularies:
    """11 words, 5 tags, 4 relations, 9 characters, 7 affixes, 6 shapes, special ids included."""

    def of(count):
        return Vocabulary([f"s{number}" for number in range(count - 2)])

    return Vocabularies(of(11), of(5), of(4), Spelling(of(9), of(7), of(6)))


def sentence(size, seed=0) -> CompleteGraph:
    """The complete graph of a sentence of random words."""
    rng = np.random.default_rng([size, seed])

    def ids(count, *shape):
        return rng.integers(0, count, shape)

    characters = ids(9, size, 20) * (np.arange(20) < rng.integers(0, 8, (size, 1)))
    characters = np.where(np.cumprod(characters > 0, 1), characters, 0)  # nothing after the last
    nodes = {
        "word": rng.integers(1, 11, size),
        "tag": ids(5, size),
        "position": np.arange(size),
        "characters": characters,
        "cap": ids(6, size),
        "shape": ids(6, size),
        "affix": ids(7, size, 6),
        "marks": ids(2, size, 2),
    }
    nothing = np.zeros(0, dtype=np.int64)
    pairwise = {"relation": ids(10, size * size), "pmi": ids(8, size * size), "lexical": ids(LEXICAL, size * size)}
    return CompleteGraph(size, nothing, nothing, nodes, {}, np.zeros(size, dtype=np.int64), pairwise=pairwise)
