"""Window graphs of words of many spellings, for tests of what reads them."""

from __future__ import annotations

import numpy as np
import torch

import graphs
from dglsent.nn.embeddings import WordEmbedding
from graphs.columns import Dependencies
from graphs.features import Vocabularies, Vocabulary

WORDS = ["The", "cat", "sat", "U.S.", "McDonald", "2009", "I", "unquestionably", ",", "eBay"]
LENGTHS = [3, 1, 7, 2, 12]  # of sentences; some are shorter than a window


def parsed(words):
    return Dependencies(list(words), np.full(len(words), -1), ["dep"] * len(words))


def sentence(length, start=0):
    """A sentence of some of the words, neighbours unlike each other."""
    return [WORDS[(start + 3 * n + length) % len(WORDS)] for n in range(length)]


SENTENCES = [sentence(length) for length in LENGTHS]
# Words twice, for what is seen once is no character of the vocabulary.
VOCABULARIES = Vocabularies.of([parsed(WORDS * 2)], lower=True, spelling=True)
VOCABULARIES.label = Vocabulary(["N", "NP", r"S\NP", "conj", "."], special=False)
SIZE = len(VOCABULARIES.word)


def window(words, half_width):
    return graphs.window(parsed(words), VOCABULARIES, half_width)


def tokens(graph):
    """A graph's words as the references see them: (word, capitalisation, characters)."""
    columns = (graph.nodes[name].tolist() for name in ("word", "cap", "char"))
    return list(zip(*columns, strict=True))[:-1]


def embedding(dim=3):
    torch.manual_seed(0)
    return WordEmbedding(SIZE, dim, vectors=torch.randn(SIZE, dim))


def spread(module):
    """The module in float64 with weights spread wide, so that every gate is in play; in evaluation mode."""
    module.double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.uniform_(-1.2, 1.2)
    return module.eval()
