"""What schedules of trees and of other acyclic graphs have in common: in which step nodes are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence, degree_runs, incidence, incidences, running_offsets
from dglsent.passing.plans.levels import NodeOrder
from dglsent.passing.plans.on_device import lasting
from graphs.columns import IntArray
from graphs.ranges import starts


@dataclass(eq=False, kw_only=True)
class Schedule:
    """T steps over N nodes and E edges of one relation in one direction; edges stand by step, step t has E_t of them.

    Attributes:
        order: [N] nodes as they are computed: all leaves by step, then the others by step.
        position: [N] inverse of `order`.
        edge_order: [E] edges by step.
        sender: [E] sending node of each edge, in edge_order.
        receivers: incidence of all E edges, in edge_order, on all N - leaves computed nodes.
        receiver_row: [E] receiver of each edge among the nodes of its step.
        receiver_offsets: [N - leaves + T] for each step 0 and the running in-degrees of its nodes.
        leaves: nodes without in-edges.
        leaf_sizes: [T + 1] leaves of each step's senders, and last those that send nothing.
        node_sizes: [T] nodes computed in each step.
        edge_sizes: [T] edges of each step, E_t.
        degrees: [T] runs (in-degree, nodes of it) of each step's nodes.
    """

    order: Tensor
    position: Tensor
    edge_order: Tensor
    sender: Tensor
    receivers: Incidence
    receiver_row: Tensor
    receiver_offsets: Tensor
    leaves: int
    leaf_sizes: list[int]
    node_sizes: list[int]
    edge_sizes: list[int]
    degrees: list[list[tuple[int, int]]]

    @cached_property
    @lasting
    def senders(self) -> Incidence:
        """Incidence of all E edges, in edge_order, on the N nodes that send them."""
        return incidence(self.sender, len(self.order))

    @cached_property
    @lasting
    def edge_position(self) -> Tensor:
        """[E] inverse of edge_order."""
        return self.edge_order.argsort()

    def step_receivers(self) -> Iterator[Incidence]:
        """For each step the incidence of its edges on its nodes."""
        return incidences(self.receiver_row, self.receiver_offsets, self.edge_sizes, self.node_sizes)


class EdgeOrder:
    """The E edges of a schedule in NumPy: by step and, within one, as mailboxes are: by receiver, siblings in order.

    Args:
        nodes: the order of the nodes.
        src: [E] senders.
        dst: [E] receivers; the edges of one receiver stand in sibling order.

    Attributes:
        order: [E] the edges, by step.
        counts: [T] edges of each step.
        start: [E] where the step of each edge starts.
    """

    def __init__(self, nodes: NodeOrder, src: IntArray, dst: IntArray) -> None:
        level = nodes.level[dst]
        self.nodes, self.src, self.dst = nodes, src, dst
        self.order = np.lexsort((nodes.row[dst], -level))
        self.counts = np.bincount(level, minlength=len(nodes.steps))[nodes.steps]
        self.start = np.repeat(starts(self.counts), self.counts)

    def shared(self) -> dict[str, Any]:
        """The fields of `Schedule`."""
        nodes, indegree = self.nodes, self.nodes.indegree[self.nodes.computed]
        sizes = nodes.computed_at[nodes.steps]
        dst, number = self.dst[self.order], np.arange(len(self.order))
        return {
            "order": tensor(nodes.order),
            "position": tensor(nodes.position),
            "edge_order": tensor(self.order),
            "sender": tensor(self.src[self.order]),
            "receivers": Incidence(
                tensor(nodes.position[dst] - nodes.leaves),
                tensor(number),
                tensor(running_offsets(indegree, np.array([len(indegree)]))),
            ),
            "receiver_row": tensor(nodes.row[dst]),
            "receiver_offsets": tensor(running_offsets(indegree, sizes)),
            "leaves": nodes.leaves,
            "leaf_sizes": [*nodes.leaves_at[nodes.steps + 1].tolist(), int(nodes.leaves_at[0])],
            "node_sizes": sizes.tolist(),
            "edge_sizes": self.counts.tolist(),
            "degrees": degree_runs(indegree, sizes),
        }


def tensor(array: IntArray) -> Tensor:
    """An index tensor that shares the array's memory."""
    return torch.from_numpy(np.ascontiguousarray(array))
