"""The schedule of a tree: each node sends once, to the step after its own.

So its state is written straight to the row where its receiver reads it: the rows of a step are its mailboxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence
from dglsent.passing.plans.levels import NodeOrder
from dglsent.passing.plans.on_device import lasting
from dglsent.passing.plans.schedule import EdgeOrder, Schedule, tensor
from graphs.columns import IntArray


class TreeStep(NamedTuple):
    """One step: r receivers, m edges that stand in the order of the mailboxes.

    Attributes:
        receivers: incidence of the m edges on the r receivers.
        degrees: runs (in-degree, receivers of it).
        placed: [s] the rows, of m, of the nodes that the step before computed; none in the first step.
    """

    receivers: Incidence
    degrees: list[tuple[int, int]]
    placed: Tensor


@dataclass(eq=False, kw_only=True)
class TreeSchedule(Schedule):
    """The schedule of a tree; its edges stand in the order of the mailboxes, receiver by receiver in each step.

    Attributes:
        leaf_source: [E] leaf at the row of each edge; 0 where its sender is no leaf.
        leaf_target: [leaves that send] row, of E, of each.
        placed: [computed nodes that send] row of each among those of the next step.
    """

    leaf_source: Tensor
    leaf_target: Tensor
    placed: Tensor

    @cached_property
    @lasting
    def steps(self) -> Sequence[TreeStep]:
        """The T steps in the order in which they run."""
        placed = self.placed.split([0, *self.node_sizes[:-1]]) if self.node_sizes else ()
        return list(map(TreeStep, self.step_receivers(), self.degrees, placed))


def tree_schedule(nodes: NodeOrder, src: IntArray, dst: IntArray) -> TreeSchedule:
    """The schedule of a tree from src [E] to dst [E]; the edges of one receiver stand in sibling order."""
    edges = EdgeOrder(nodes, src, dst)
    sender = src[edges.order]
    from_leaf = nodes.is_leaf[sender]
    leaf_rows, other_rows = np.flatnonzero(from_leaf), np.flatnonzero(~from_leaf)
    leaf_target = leaf_rows[np.argsort(nodes.position[sender[leaf_rows]])]
    placed = other_rows[np.argsort(nodes.position[sender[other_rows]])]
    return TreeSchedule(
        **edges.shared(),
        leaf_source=tensor(np.where(from_leaf, nodes.position[sender], 0)),
        leaf_target=tensor(leaf_target),
        placed=tensor(placed - edges.start[placed]),
    )
