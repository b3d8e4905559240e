"""The schedule of any acyclic graph: a step's edges pick their senders from rows that stand together.

These rows are the leaves of the level above, the computed nodes of the level above, and older rows that this step or
a later one still needs, which are carried along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence, inverse, running_offsets
from dglsent.passing.plans.levels import NodeOrder
from dglsent.passing.plans.on_device import lasting
from dglsent.passing.plans.schedule import EdgeOrder, Schedule, tensor
from graphs.columns import IntArray


class AcyclicStep(NamedTuple):
    """One step: r receivers, m edges, s rows from which they read.

    Attributes:
        receivers: incidence of the m edges on the r receivers.
        degrees: runs (in-degree, receivers of it).
        senders: incidence of the m edges on the s rows.
        mail: [m] edges by receiver, siblings in order; `unmail` [m] undoes it.
        unmail: see `mail`.
        carried: [c] rows of the step before that stay among this step's.
    """

    receivers: Incidence
    degrees: list[tuple[int, int]]
    senders: Incidence
    mail: Tensor
    unmail: Tensor
    carried: Tensor


@dataclass(eq=False, kw_only=True)
class AcyclicSchedule(Schedule):
    """The schedule of an acyclic graph; the edges of a step stand by the row that they read.

    Attributes:
        sender_row: [E] row that each edge reads, among those of its step.
        sender_offsets: [S + T] for each step 0 and the running numbers of edges that read each of its rows; S rows in
            all steps.
        unmail: [E] inverse of `mail` within each step.
        carried: [C] rows of the step before that each step carries along, step by step.
        row_sizes: [T] rows of each step.
        carried_sizes: [T] rows carried into each step.
    """

    sender_row: Tensor
    sender_offsets: Tensor
    unmail: Tensor
    carried: Tensor
    row_sizes: list[int]
    carried_sizes: list[int]

    @cached_property
    @lasting
    def steps(self) -> Sequence[AcyclicStep]:
        """The T steps in the order in which they run."""
        ordinal = torch.arange(max(self.edge_sizes, default=0), device=self.mail.device)
        rows = self.sender_row.split(self.edge_sizes)
        offsets = self.sender_offsets.split([size + 1 for size in self.row_sizes])
        return list(
            map(
                AcyclicStep,
                self.step_receivers(),
                self.degrees,
                (Incidence(row, ordinal[: len(row)], offset) for row, offset in zip(rows, offsets, strict=True)),
                self.mail.split(self.edge_sizes),
                self.unmail.split(self.edge_sizes),
                self.carried.split(self.carried_sizes),
            )
        )


def acyclic_schedule(nodes: NodeOrder, src: IntArray, dst: IntArray) -> AcyclicSchedule:
    """The schedule of edges src [E] -> dst [E]; the edges of one receiver stand in sibling order."""
    row = np.where(nodes.is_leaf, nodes.row, nodes.leaves_at[nodes.level] + nodes.row)
    fresh = (nodes.leaves_at + nodes.computed_at)[nodes.steps + 1]
    read, carried, carried_sizes = _carry(nodes, src, dst, row, fresh)
    edges = EdgeOrder(nodes, src, dst, within=read)
    mail = edges.by_receiver()
    sender_row, row_sizes = read[edges.order], fresh + carried_sizes
    start = np.repeat(np.cumsum(row_sizes) - row_sizes, edges.counts)
    fan_out = np.bincount(sender_row + start, minlength=int(row_sizes.sum()))
    return AcyclicSchedule(
        **edges.shared(mail),
        sender_row=tensor(sender_row),
        sender_offsets=tensor(running_offsets(fan_out, row_sizes)),
        unmail=tensor(inverse(mail) - edges.start),
        carried=tensor(carried),
        row_sizes=row_sizes.tolist(),
        carried_sizes=carried_sizes.tolist(),
    )


def _carry(
    nodes: NodeOrder, src: IntArray, dst: IntArray, row: IntArray, fresh: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Which rows are carried from step to step, since edges that pass over levels still read them.

    Args:
        nodes: the order of the nodes.
        src: [E] senders.
        dst: [E] receivers.
        row: [N] row of each node in the first step that can read it.
        fresh: [T] rows of each step that no step before had.

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
    alive = np.zeros(0, dtype=np.int64)
    carried: list[IntArray] = []
    by_level = np.argsort(-level, kind="stable")
    level_ends = np.cumsum(np.bincount(level, minlength=top + 1)[::-1])
    edges_by_level = np.argsort(-target, kind="stable")
    edge_ends = np.cumsum(np.bincount(target, minlength=top)[::-1])
    for step in range(top):
        current = top - 1 - step
        keep = alive[last[alive] <= current]
        carried.append(here[keep])
        here[keep] = fresh[step] + np.arange(len(keep))
        entering = by_level[level_ends[step - 1] if step else 0 : level_ends[step]]
        alive = np.concatenate([keep, entering])
        edges = edges_by_level[edge_ends[step - 1] if step else 0 : edge_ends[step]]
        read[edges] = here[src[edges]]
    return read, np.concatenate(carried), np.array([len(rows) for rows in carried], dtype=np.int64)
