"""Sentences in columns -> window graphs, where every token hears from those around it."""

from __future__ import annotations

import numpy as np

from graphs import fields
from graphs.builders import chain
from graphs.columns import Sentence
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph


def window(sentence: Sentence, vocabularies: Vocabularies, half_width: int) -> SentenceGraph:
    """The window graph of a sentence: a node a token and a padding node, which stands for all beyond the ends.

    Every token t hears from the tokens t - half_width .. t + half_width, itself among them, one edge a slot and
    in this order, and from the padding node where the sentence has no such token. Nobody sends to the padding node.

    The graph has cycles, so no propagation runs over it: it is for rounds (`update_all`), and its levels are all 0.

    Args:
        sentence: a sentence of T tokens; only its words and tags are used.
        vocabularies: what turns words and tags into ids.
        half_width: tokens on either side, d.

    Returns:
        N = T + 1 nodes, the padding node last, and E = T (2 d + 1) edges. Node fields word, tag and those of spelling
        (0 at the padding node), position (-1 there) and real (0 there, 1 at tokens); edge field slot, 0 .. 2 d.

    Raises:
        InputError: half_width is negative or no whole number, or the sentence or the vocabularies are something else.
        SentenceError: no words, columns of several lengths, or a word or tag that is no text.
    """
    if not isinstance(half_width, int | np.integer) or half_width < 0:
        raise InputError(f"half_width is {half_width!r}; give the number of tokens on either side, 0 or more")
    half_width = int(half_width)  # small integers of NumPy would overflow
    tokens = chain(sentence, vocabularies)
    size = tokens.size
    token = np.arange(size)
    slot = np.arange(2 * half_width + 1)
    src = token[:, None] + slot - half_width
    src[(src < 0) | (src >= size)] = size
    return SentenceGraph(
        size=size + 1,
        src=src.ravel(),
        dst=np.repeat(token, len(slot)),
        nodes={
            # 0 is padding in every vocabulary.
            **{name: np.concatenate([column, np.zeros_like(column[:1])]) for name, column in tokens.nodes.items()},
            fields.POSITION: np.append(token, -1),
            fields.REAL: np.append(np.ones_like(token), 0),
        },
        edges={fields.SLOT: np.tile(slot, size)},
        level=np.zeros(size + 1, dtype=np.int64),
        origin=sentence.origin,
    )
