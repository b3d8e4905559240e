"""Sentence vectors from the states of all words, by segment operations that never wait for the device."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.nn.attention import scoring_vector
from dglsent.passing import Batch
from dglsent.passing.precision import at_least_single, is_mixed
from dglsent.passing.segments import segment_max, segment_softmax, segment_sum, weighted_sum
from graphs.fields import WORD


def max_over_words(batch: Batch, states: Tensor) -> Tensor:
    """The largest value of each dimension over a sentence's words; phrases and padding nodes are none.

    Args:
        batch: S sentences, N nodes.
        states: [N, d].

    Returns:
        [S, d]. A tie sends the whole gradient to the first node.
    """
    return segment_max(torch.where(_words(batch), states, -torch.inf), batch.sentences)


def mean_over_words(batch: Batch, states: Tensor) -> Tensor:
    """The mean over a sentence's words; phrases and padding nodes are none: [N, d] -> [S, d]."""
    summed, words = at_least_single(states), _words(batch)
    total = segment_sum(torch.where(words, summed, 0), batch.sentences)
    return _of_states(total / segment_sum(words.to(total.dtype), batch.sentences), states)


class QueryPooling(nn.Module):
    """A learnt query's attention over the nodes: sum_i a_i h_i with a = softmax over a sentence of u . tanh(W h_i + b).

    Yang et al. 2016, "Hierarchical Attention Networks for Document Classification", eq. 5-7; Lin et al. 2017, "A
    Structured Self-attentive Sentence Embedding", eq. 5, has no bias.

    Args:
        size: dimensions d of a state.
        hidden: dimensions of the query u.
    """

    def __init__(self, size: int, hidden: int) -> None:
        super().__init__()
        self.W = nn.Linear(size, hidden)
        self.u = scoring_vector(hidden)

    def forward(self, batch: Batch, states: Tensor) -> Tensor:
        """States [N, d] -> [S, d]; keeps the weights as the node field `attention` [N]."""
        weight = segment_softmax(at_least_single(torch.tanh(self.W(states)) @ self.u), batch.sentences)
        batch.nodes["attention"] = weight
        return _of_states(weighted_sum(at_least_single(states), weight, batch.sentences), states)


def _of_states(vectors: Tensor, states: Tensor) -> Tensor:
    """Vectors in the type of the states, as the head of a model in bfloat16 wants them; under autocast in float32.

    Those of whole numbers and truth values have fractions, and stay as they are.
    """
    return vectors.to(states.dtype) if states.is_floating_point() and not is_mixed(states.device) else vectors


def _words(batch: Batch) -> Tensor:
    """[N, 1] whether a node has a word."""
    return batch.nodes[WORD].unsqueeze(-1) > 0
