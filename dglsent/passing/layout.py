"""Sentences in which every node sends to every node of one sentence: no edge needs to be listed.

The nodes of S sentences stand in a table [S, m], m the nodes of the largest, and messages between all of two
sentences are products of tables; sentences of about one length share a table. A step of a propagation lists its edges
instead, receiver by receiver.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.relation import Relation
from dglsent.passing.schedule import Schedule, running_offsets
from dglsent.passing.segments import Incidence, permute, spread
from graphs.batching import hearing
from graphs.columns import IntArray

_FEW_CELLS = 2**12  # fewer are one table: padding costs less than another table
_SHORTER = 4 / 3  # how many times shorter are the sentences of the next block
_BLOCKS = 5


@dataclass(eq=False)
class Layout:
    """N nodes of S sentences as a table of S rows and m places.

    Attributes:
        width: m.
        node: [S m] node at each place, any node where there is none.
        place: [N] place of each node.
        real: [S, m] whether there is a node.
        heard: [S] sentence from which each sentence hears.
        sentences: incidence of the nodes on the sentences.
        fill: share of the [S, m, m] table that stands for an edge.
    """

    width: int
    node: Tensor
    place: Tensor
    real: Tensor
    heard: Tensor
    sentences: Incidence
    fill: float

    @property
    def cells(self) -> int:
        """S m m."""
        return self.real.numel() * self.width

    def table(self, x: Tensor) -> Tensor:
        """Rows of nodes x [N, ...] as a table [S, m, ...]; places without a node hold anything finite."""
        return spread(x, self.node, self.place).view(-1, self.width, *x.shape[1:])

    def senders(self, x: Tensor) -> Tensor:
        """Rows x [N, ...] of the nodes that each sentence hears: [S, m, ...]."""
        return self.table(x).index_select(0, self.heard)

    def rows(self, table: Tensor) -> Tensor:
        """Back to nodes: [S, m, ...] to [N, ...]."""
        return table.flatten(0, 1).index_select(0, self.place)

    @cached_property
    def audible(self) -> Tensor:
        """[S, m] places that each sentence hears."""
        return self.real.index_select(0, self.heard)


def lay_out(counts: IntArray, heard: IntArray, device: torch.device) -> Layout:
    """The table of sentences of counts[s] nodes, of which each hears from heard[s]."""
    width, size = int(counts.max()), int(counts.sum())
    first = np.cumsum(counts) - counts
    place = np.arange(size) + np.repeat(np.arange(len(counts)) * width - first, counts)
    node = np.zeros(len(counts) * width, dtype=np.int64)
    node[place] = np.arange(size)
    real = np.zeros(len(counts) * width, dtype=bool)
    real[place] = True

    def tensor(array: np.ndarray[Any, Any]) -> Tensor:
        return torch.from_numpy(array).to(device)

    sentences = Incidence(
        tensor(np.repeat(np.arange(len(counts)), counts)),
        tensor(np.arange(size)),
        tensor(np.concatenate([[0], np.cumsum(counts)])),
    )
    fill = float((counts * counts[heard]).sum()) / (len(counts) * width * width)
    return Layout(width, tensor(node), tensor(place), tensor(real).view(-1, width), tensor(heard), sentences, fill)


@dataclass(eq=False)
class Blocks:
    """Tables of sentences of about one length, so that little of them is padding.

    Attributes:
        layouts: their tables, the longest sentences first.
        sizes: nodes of each block.
        order: [N] the nodes, block by block.
        inverse: [N] place of each node there.
        start: [N] where the cells of each receiver start among those of all tables [S, m, m].
        fill: share of all cells that stand for an edge.
    """

    layouts: list[Layout]
    sizes: list[int]
    order: Tensor
    inverse: Tensor
    start: Tensor
    fill: float

    def split(self, x: Tensor) -> Sequence[Tensor]:
        """Rows of nodes x [N, ...], block by block."""
        return (x,) if len(self.sizes) == 1 else permute(x, self.order, self.inverse).split(self.sizes)

    def join(self, parts: Sequence[Tensor]) -> Tensor:
        """The inverse."""
        return parts[0] if len(parts) == 1 else permute(torch.cat(list(parts)), self.inverse, self.order)

    @property
    def cells(self) -> list[int]:
        """S m m of each table."""
        return [layout.cells for layout in self.layouts]


def into_blocks(counts: IntArray, heard: IntArray, device: torch.device) -> Blocks:
    """Blocks of all sentences; one that hears another, which hears it in turn, is in the other's block."""
    length = np.maximum(counts, counts[heard])
    block = np.zeros(len(counts), dtype=np.int64)
    if len(counts) * int(length.max()) ** 2 > _FEW_CELLS:
        block = np.minimum(np.floor(np.log(length.max() / length) / np.log(_SHORTER)), _BLOCKS - 1).astype(np.int64)
        block = np.unique(block, return_inverse=True)[1]
    sentence = np.argsort(block, kind="stable")
    rank = np.argsort(sentence)
    first = np.cumsum(counts) - counts
    shift = first[sentence] - (np.cumsum(counts[sentence]) - counts[sentence])
    order = np.arange(int(counts.sum())) + np.repeat(shift, counts[sentence])
    layouts, sizes, starts, seen, cells = [], [], [], 0, 0
    for members in np.split(sentence, np.flatnonzero(np.diff(block[sentence])) + 1):
        layout = lay_out(counts[members], rank[heard[members]] - seen, device)
        layouts.append(layout)
        sizes.append(int(counts[members].sum()))
        starts.append(cells + layout.place * layout.width)
        seen += len(members)
        cells += layout.cells
    inverse = torch.from_numpy(np.argsort(order)).to(device)
    fill = float((counts * counts[heard]).sum()) / cells
    start = torch.cat(starts).index_select(0, inverse)
    return Blocks(layouts, sizes, torch.from_numpy(order).to(device), inverse, start, fill)


@dataclass(eq=False)
class Frontiers:
    """The edges into the nodes of each step of a schedule, listed receiver by receiver, leaves first.

    Attributes:
        senders: incidence of all edges, in this order, on the N nodes that send them.
        row: [E] receiver of each edge among the nodes of its step.
        offsets: for each step, where each node's edges start.
        edge: [E] the edge of the relation that stands at each place.
        node_sizes: nodes of each step.
        edge_sizes: edges of each step.
    """

    senders: Incidence
    row: Tensor
    offsets: Tensor
    edge: Tensor
    node_sizes: list[int]
    edge_sizes: list[int]

    @cached_property
    def receivers(self) -> list[Incidence]:
        """For each step the incidence of its edges on its nodes."""
        ordinal = torch.arange(max(self.edge_sizes), device=self.row.device)
        rows = self.row.split(self.edge_sizes)
        offsets = self.offsets.split([size + 1 for size in self.node_sizes])
        return [Incidence(row, ordinal[: len(row)], offset) for row, offset in zip(rows, offsets, strict=True)]

    def map(self, function: Callable[[Tensor], Tensor]) -> Frontiers:
        """The same with every tensor changed, such as moved to a device."""
        senders = Incidence(*map(function, self.senders))
        row, offsets, edge = map(function, (self.row, self.offsets, self.edge))
        return Frontiers(senders, row, offsets, edge, self.node_sizes, self.edge_sizes)


class Between(Relation):
    """Every node of a sentence hears every node of one sentence: its partner, or itself.

    Args:
        counts: [S] nodes of each sentence.
        heard: [S] sentence from which each hears, and which hears it in turn.
    """

    def __init__(self, counts: IntArray, heard: IntArray) -> None:
        size = int(counts.sum())
        nothing = np.zeros(0, dtype=np.int64)
        super().__init__(size, nothing, nothing, nothing, np.repeat(np.arange(len(counts)), counts))
        self._ends = None
        self._counts, self._heard = counts, heard
        self._first = np.cumsum(counts) - counts
        self._frontiers: dict[Hashable, Frontiers] = {}

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Senders and receivers, receiver by receiver."""
        if self._ends is None:
            self._ends = hearing(self._counts, self._heard, np.arange(self.size))
        return self._ends

    @cached_property
    def layout(self) -> Layout:
        """All nodes as one table."""
        return lay_out(self._counts, self._heard, self.device)

    @cached_property
    def blocks(self) -> Blocks:
        """The nodes as tables of sentences of about one length."""
        return into_blocks(self._counts, self._heard, self.device)

    def cell(self, start: Tensor) -> Tensor:
        """[E] place of each edge among the cells, of which those of receiver n start at start[n]."""
        return start[self.nodes("dst")] + (self.layout.place % self.layout.width)[self.nodes("src")]

    def frontiers(self, name: Hashable, schedule: Schedule) -> Frontiers:
        """The edges into the nodes of each step of a schedule, kept under a name."""
        if name not in self._frontiers:
            order = schedule.order.cpu().numpy()
            src, _ = hearing(self._counts, self._heard, order)
            degree = self._counts[self._heard[self._sentence]]
            here = degree[order]
            node_sizes = np.array([schedule.leaves, *schedule.node_sizes])
            step_start = np.repeat(np.cumsum(node_sizes) - node_sizes, node_sizes)
            offset = np.cumsum(here) - here
            by_sender = np.argsort(src, kind="stable")
            sent = np.cumsum(np.bincount(src, minlength=self.size))
            edge_sizes = np.diff(np.concatenate([[0], np.cumsum(here)])[np.concatenate([[0], np.cumsum(node_sizes)])])
            row = np.repeat(np.arange(self.size) - step_start, here)
            edge = np.arange(len(src)) + np.repeat((np.cumsum(degree) - degree)[order] - offset, here)
            made = Frontiers(
                Incidence(*map(torch.from_numpy, (src, by_sender, np.concatenate([[0], sent])))),
                torch.from_numpy(row),
                torch.from_numpy(running_offsets(here, node_sizes)),
                torch.from_numpy(edge),
                node_sizes.tolist(),
                edge_sizes.tolist(),
            )
            self._frontiers[name] = made.map(lambda tensor: tensor.to(self.device))
        return self._frontiers[name]

    def to(self, device: torch.device | str, non_blocking: bool = False) -> None:
        """Move fields and index tensors."""
        super().to(device, non_blocking)
        self._frontiers = {
            name: made.map(lambda tensor: tensor.to(device, non_blocking=non_blocking))
            for name, made in self._frontiers.items()
        }
        self.__dict__.pop("layout", None)
        self.__dict__.pop("blocks", None)

    def pin_memory(self) -> None:
        """Pin fields and index tensors."""
        super().pin_memory()
        self._frontiers = {name: made.map(Tensor.pin_memory) for name, made in self._frontiers.items()}
