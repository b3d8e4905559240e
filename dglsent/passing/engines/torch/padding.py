"""Rows of nodes to padded sentences and back, as `plans.all_pairs` says."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dglsent.passing.plans.all_pairs import Blocks, Padding
from dglsent.passing.segments import permute, spread


def pad(x: Tensor, padding: Padding) -> Tensor:
    """Rows of nodes x [N, ...] as [S, m, ...]; places without a node hold the sentence's first."""
    return spread(x, padding.node, padding.place).view(-1, padding.width, *x.shape[1:])


def pad_senders(x: Tensor, padding: Padding) -> Tensor:
    """Rows x [N, ...] of the nodes that send to each sentence: [S, m, ...]."""
    return pad(x, padding).index_select(0, padding.sources)


def unpad(padded: Tensor, padding: Padding) -> Tensor:
    """Back to nodes: [S, m, ...] to [N, ...]."""
    return padded.flatten(0, 1).index_select(0, padding.place)


def split_blocks(x: Tensor, blocks: Blocks) -> Sequence[Tensor]:
    """Rows of nodes x [N, ...], block by block."""
    return (x,) if len(blocks.sizes) == 1 else permute(x, blocks.order, blocks.inverse).split(blocks.sizes)


def join_blocks(parts: Sequence[Tensor], blocks: Blocks) -> Tensor:
    """The inverse."""
    return parts[0] if len(parts) == 1 else permute(torch.cat(list(parts)), blocks.inverse, blocks.order)


def of_edges(cells: Tensor, cell: Tensor) -> Tensor:
    """Values of padded cells [C, ...] as those of the E edges, of which each stands at cell[e]."""
    return cells.index_select(0, cell)


def of_cells(x: Tensor, cell: Tensor, edge: Tensor) -> Tensor:
    """The inverse: a field x [E, ...] of the edges as cells [C, ...], of which each holds that of edge[c]."""
    return spread(x, edge, cell)
