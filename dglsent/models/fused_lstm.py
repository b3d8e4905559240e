"""Torch's fused LSTM along the words of window graphs, with the weights of `LSTMChain`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from dglsent.nn.chains import LSTMChain
from dglsent.passing import Batch
from dglsent.passing.plans.on_device import on_device
from graphs.columns import IntArray
from graphs.ranges import ranges


def fused_lstm(batch: Batch, chains: Sequence[LSTMChain]) -> Tensor:
    """The states of one chain from left to right or, side by side, of two, the second from right to left.

    Args:
        batch: N nodes of window graphs, each with its padding node last, with the field x [N, d].
        chains: one or two, with output gate.

    Returns:
        [N, len(chains) h], 0 at padding nodes.
    """
    order, sizes = packed(batch.node_counts.numpy() - 1)
    words = on_device(order, batch.device)
    x = batch.nodes["x"]
    start = x.new_zeros(len(chains), batch.size, chains[0].U.in_features)
    weights = [weight for chain in chains for weight in _weights(chain)]
    states, _, _ = torch.lstm(
        x.index_select(0, words), sizes, (start, start), weights, True, 1, 0.0, False, len(chains) == 2
    )
    return states.new_zeros(batch.num_nodes, states.shape[-1]).index_copy(0, words, states)


def packed(lengths: IntArray) -> tuple[IntArray, Tensor]:
    """Words in torch's packed order: all first words, longest sentence first, then all second words, and so on.

    Args:
        lengths: [S] words of each sentence, after each of which stands a padding node.

    Returns:
        Their nodes [words], and how many sentences have a word at each position.
    """
    position = ranges(np.zeros_like(lengths), lengths)
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    order = np.lexsort((sentence, -lengths[sentence], position))
    # As many padding nodes stand before a word as sentences.
    return (np.arange(len(position)) + sentence)[order], torch.from_numpy(np.bincount(position))


def _weights(chain: LSTMChain) -> list[Tensor]:
    """W, U and the bias of W with the gates in torch's order, i, f, g, o, and a bias of 0."""
    W, U, b = (_reordered(rows) for rows in (chain.W.weight, chain.U.weight, chain.W.bias))
    return [W, U, b, torch.zeros_like(b)]


def _reordered(rows: Tensor) -> Tensor:
    g, i, f, o = rows.chunk(4)
    return torch.cat([i, f, g, o])
