"""Sentence vectors from the states of all words, by segment operations that never wait for the device."""

from __future__ import annotations

import torch
from torch import Tensor

from dglsent.passing import Batch
from dglsent.passing.segments import Incidence, segment_max, segment_sum
from graphs.fields import REAL, SENTENCE


def max_over_words(batch: Batch, states: Tensor) -> Tensor:
    """The largest value of each dimension over a sentence's nodes, padding nodes left out.

    Args:
        batch: B sentences, N nodes; the field `real`, where it is there, is 0 at padding nodes.
        states: [N, d].

    Returns:
        [B, d]. A tie sends the whole gradient to the first node.
    """
    if REAL in batch.nodes:
        states = torch.where(batch.nodes[REAL].unsqueeze(-1) > 0, states, -torch.inf)
    return segment_max(states, _sentences(batch))


def mean_over_words(batch: Batch, states: Tensor) -> Tensor:
    """The mean over a sentence's nodes, padding nodes left out: [N, d] -> [B, d]."""
    real = batch.nodes[REAL] if REAL in batch.nodes else torch.ones_like(batch.nodes[SENTENCE])
    real = real.unsqueeze(-1)
    sentences = _sentences(batch)
    total = segment_sum(torch.where(real > 0, states, 0), sentences)
    return total / segment_sum(real.to(states.dtype), sentences)


def _sentences(batch: Batch) -> Incidence:
    """Incidence of the nodes on their sentences, in whose order they stand."""
    sentence = batch.nodes[SENTENCE]
    node = torch.arange(len(sentence), device=sentence.device)
    first = torch.searchsorted(sentence, torch.arange(batch.size + 1, device=sentence.device))
    return Incidence(sentence, node, first)
