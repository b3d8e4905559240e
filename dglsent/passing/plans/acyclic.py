"""The schedule of any acyclic graph: a step's edges pick their senders from rows that stand together.

These rows are older ones that this step or a later one still needs, which are carried along, then the leaves and the
computed nodes of the level above.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence, running_offsets
from dglsent.passing.plans.levels import NodeOrder
from dglsent.passing.plans.on_device import lasting
from dglsent.passing.plans.schedule import EdgeOrder, Schedule, tensor
from graphs.columns import IntArray
from graphs.ranges import starts


class AcyclicStep(NamedTuple):
    """One step: r receivers, m edges that stand in the order of the mailboxes, s rows from which they read.

    Attributes:
        receivers: incidence of the m edges on the r receivers.
        degrees: runs (in-degree, receivers of it).
        senders: incidence of the m edges on the s rows.
        carried: [c] rows of the step before that stay, the first of this step's, in their order.
        all_carried: whether these are all rows of the step before.
    """

    receivers: Incidence
    degrees: list[tuple[int, int]]
    senders: Incidence
    carried: Tensor
    all_carried: bool


@dataclass(eq=False, kw_only=True)
class AcyclicSchedule(Schedule):
    """The schedule of an acyclic graph.

    Attributes:
        sender_row: [E] row that each edge reads, among those of its step.
        sender_order: [E] for each step the numbers of its edges within the step, by the row that they read.
        sender_offsets: [S + T] for each step 0 and the running numbers of edges that read each of its rows; S rows in
            all steps.
        carried: [C] rows of the step before that each step carries along, step by step.
        row_sizes: [T] rows of each step.
        carried_sizes: [T] rows carried into each step.
    """

    sender_row: Tensor
    sender_order: Tensor
    sender_offsets: Tensor
    carried: Tensor
    row_sizes: list[int]
    carried_sizes: list[int]

    @cached_property
    @lasting
    def steps(self) -> Sequence[AcyclicStep]:
        """The T steps in the order in which they run."""
        offsets = self.sender_offsets.split([size + 1 for size in self.row_sizes])
        return list(
            map(
                AcyclicStep,
                self.step_receivers(),
                self.degrees,
                map(
                    Incidence,
                    self.sender_row.split(self.edge_sizes),
                    self.sender_order.split(self.edge_sizes),
                    offsets,
                ),
                self.carried.split(self.carried_sizes),
                (here == before for here, before in zip(self.carried_sizes, [0, *self.row_sizes], strict=False)),
            )
        )

    @cached_property
    def room(self) -> list[int]:
        """[T] rows of the last step up to which all rows of a step are carried along."""
        room = list(self.row_sizes)
        for step in range(len(room) - 2, -1, -1):
            if self.carried_sizes[step + 1] == self.row_sizes[step]:
                room[step] = room[step + 1]
        return room


def acyclic_schedule(nodes: NodeOrder, src: IntArray, dst: IntArray) -> AcyclicSchedule:
    """The schedule of edges src [E] -> dst [E]; the edges of one receiver stand in sibling order."""
    row = np.where(nodes.is_leaf, nodes.row, nodes.leaves_at[nodes.level] + nodes.row)
    fresh = (nodes.leaves_at + nodes.computed_at)[nodes.steps + 1]
    read, carried, carried_sizes = _carry(nodes, src, dst, row)
    edges = EdgeOrder(nodes, src, dst)
    sender_row, row_sizes = read[edges.order], carried_sizes + fresh
    start = sender_row + np.repeat(starts(row_sizes), edges.counts)
    fan_out = np.bincount(start, minlength=int(row_sizes.sum()))
    return AcyclicSchedule(
        **edges.shared(),
        sender_row=tensor(sender_row),
        sender_order=tensor(np.argsort(start, kind="stable") - edges.start),
        sender_offsets=tensor(running_offsets(fan_out, row_sizes)),
        carried=tensor(carried),
        row_sizes=row_sizes.tolist(),
        carried_sizes=carried_sizes.tolist(),
    )


def _carry(nodes: NodeOrder, src: IntArray, dst: IntArray, row: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Which rows are carried from step to step, since edges that pass over levels still read them.

    Args:
        nodes: the order of the nodes.
        src: [E] senders.
        dst: [E] receivers.
        row: [N] row of each node among those that are new in the first step that can read it.

    Returns:
        [E] the row that each edge reads, the [C] carried rows of all steps (rows of the step before), and [T] how
        many there are in each step.
    """
    level, target, top = nodes.level, nodes.level[dst], len(nodes.steps)
    if np.all(level[src] == target + 1):
        return row[src], np.zeros(0, dtype=np.int64), np.zeros(top, dtype=np.int64)
    last = np.full(len(level), top, dtype=np.int64)  # lowest level that reads a node
    np.minimum.at(last, src, target)
    read = np.empty_like(src)
    here = row.copy()  # each node's row in the step at hand
    alive = np.zeros(0, dtype=np.int64)  # nodes of the step's rows, in the order of these
    carried: list[IntArray] = []
    by_level = np.lexsort((row, -level))
    level_ends = np.cumsum(np.bincount(level, minlength=top + 1)[::-1])
    edges_by_level = np.argsort(-target, kind="stable")
    edge_ends = np.cumsum(np.bincount(target, minlength=top)[::-1])
    for step in range(top):
        current = top - 1 - step
        keep = alive[last[alive] <= current]
        carried.append(here[keep])
        here[keep] = np.arange(len(keep))
        entering = by_level[level_ends[step - 1] if step else 0 : level_ends[step]]
        here[entering] += len(keep)
        alive = np.concatenate([keep, entering])
        edges = edges_by_level[edge_ends[step - 1] if step else 0 : edge_ends[step]]
        read[edges] = here[src[edges]]
    return read, np.concatenate(carried), np.array([len(rows) for rows in carried], dtype=np.int64)
