"""The tokens of a batch as a table with a row a sentence."""

from __future__ import annotations

import torch
from torch import Tensor

from dglsent.passing import Batch
from graphs import fields


class TokenTable:
    """Columns over the N nodes of B sentences as tables [B, T], where T is the most nodes that a sentence has.

    Tokens stand by their `position`; other nodes, such as phrases and the padding nodes of windows, are in no table.
    No value is asked of the device.

    Args:
        batch: the sentences.

    Attributes:
        mask: [B, T] whether there is a token.
    """

    def __init__(self, batch: Batch) -> None:
        # Nodes that are no tokens have position -1: they write to a last column, which is cut off.
        self._place = batch.nodes[fields.SENTENCE], batch.nodes[fields.POSITION]
        self._shape = batch.size, int(batch.node_counts.numpy().max()) + 1
        self.mask = self.spread(torch.ones(batch.num_nodes, dtype=torch.bool, device=batch.device))

    def spread(self, column: Tensor, fill: int = 0) -> Tensor:
        """A column [N, ...] as a table [B, T, ...], with `fill` where there is no token."""
        table = column.new_full((*self._shape, *column.shape[1:]), fill)
        return table.index_put(self._place, column)[:, :-1]
