"""When each node of a batch is computed, and where its messages lie.

Nodes run by level: step t handles the nodes t steps before the last, so in a tree every child is computed exactly
one step before its parent and a step reads nothing but the step before it. Nodes without in-edges (leaves) wait
for nobody and are computed all at once beforehand. Within a step nodes stand by in-degree, so that the mailboxes of
one degree are one contiguous view.

A step reads its messages from a *table* of rows. In a tree each node sends once, to the step after its own, so the
table simply is the mailboxes: every node's state is written where its parent will read it. In other graphs the table
holds the leaves of the level above, the computed nodes of the level above, and older rows that a later step still
needs (carried), and edges pick their rows from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from dglsent.passing.segments import Incidence
from graphs.columns import IntArray


class Step(NamedTuple):
    """One step of a schedule: r receivers, m edges.

    Attributes:
        receivers: [r] incidence of the edges on the receivers, in the step's order.
        senders: incidence of the edges on the table's rows; None in a tree, where edge k reads row k of the table.
        mail: [m] edges by receiver, siblings in order, and `unmail` undoes it; None in a tree, where they stand so.
        placed: [s] rows of the table that the nodes of the step before take; None where the table is a list.
        degrees: (in-degree, receivers of that in-degree) in the step's order.
        carried: [c] rows of the step before's table that stay in this one's; None for none.
    """

    receivers: Incidence
    senders: Incidence | None
    mail: Tensor | None
    unmail: Tensor | None
    placed: Tensor | None
    degrees: list[tuple[int, int]]
    carried: Tensor | None


class Rows(NamedTuple):
    """Where the states of a tree's nodes are written, in the tables of all steps one behind the other.

    Attributes:
        source: [E] leaf at each row; 0 where the row is not a leaf's.
        target: row of each leaf that sends.
        placed: for each computed node that sends, its row in the next step's table.
    """

    source: Tensor
    target: Tensor
    placed: Tensor


@dataclass(eq=False)
class Schedule:
    """The steps of one relation and direction over a batch of N nodes and E edges.

    Attributes:
        order: [N] nodes as they are computed: all leaves by step, then the others by step.
        position: [N] inverse of `order`.
        edge_order: [E] edges by step and, within one, by row of the table.
        tree: where states are written, if every node sends once and to the next step; else None.
        sender: [E] sending node of each edge, in edge_order.
        receivers: incidence of all edges, in edge_order, on all computed nodes.
        leaf_sizes: leaves in the table of each step, and last those that send nothing.
        node_sizes: nodes computed in each step.
        edge_sizes: edges of each step.
    """

    order: Tensor
    position: Tensor
    edge_order: Tensor
    sender: Tensor
    receivers: Incidence
    receiver_row: Tensor
    receiver_offsets: Tensor
    sender_row: Tensor | None
    sender_offsets: Tensor | None
    mail: Tensor
    unmail: Tensor
    carried: Tensor | None
    tree: Rows | None
    leaves: int
    leaf_sizes: list[int]
    node_sizes: list[int]
    edge_sizes: list[int]
    carried_sizes: list[int]
    table_sizes: list[int]
    degrees: list[list[tuple[int, int]]]

    def to(self, device: torch.device | str, non_blocking: bool = False) -> Schedule:
        """The same schedule with its index tensors on a device."""
        return self._map(lambda tensor: tensor.to(device, non_blocking=non_blocking))

    def pin_memory(self) -> Schedule:
        """The same schedule in pinned memory."""
        return self._map(Tensor.pin_memory)

    def _map(self, function: Callable[[Tensor], Tensor]) -> Schedule:
        def moved(value: object) -> object:
            if isinstance(value, Incidence | Rows):
                return type(value)(*map(function, value))
            return function(value) if isinstance(value, Tensor) else value

        return Schedule(**{f.name: moved(getattr(self, f.name)) for f in fields(self)})  # type: ignore[arg-type]

    @cached_property
    def senders(self) -> Incidence:
        """Incidence of all edges, in edge_order, on the N nodes that send them."""
        ordered, order = self.sender.sort(stable=True)
        nodes = torch.arange(len(self.order) + 1, device=ordered.device)
        return Incidence(self.sender, order, torch.searchsorted(ordered, nodes))

    @cached_property
    def edge_position(self) -> Tensor:
        """[E] inverse of edge_order."""
        return self.edge_order.argsort()

    @cached_property
    def steps(self) -> list[Step]:
        """The steps in the order in which they run."""
        count = len(self.edge_sizes)
        nothing: list[None] = [None] * count
        receivers = map(
            Incidence,
            self.receiver_row.split(self.edge_sizes),
            self.mail.split(self.edge_sizes),
            self.receiver_offsets.split([size + 1 for size in self.node_sizes]),
        )
        if self.tree is not None:
            placed = self.tree.placed.split([0, *self.node_sizes[:-1]]) if count else nothing
            return list(map(Step, receivers, nothing, nothing, nothing, placed, self.degrees, nothing))
        assert self.sender_row is not None
        assert self.sender_offsets is not None
        ordinal = torch.arange(max(self.edge_sizes, default=0), device=self.mail.device)
        senders = [
            Incidence(row, ordinal[: len(row)], offset)
            for row, offset in zip(
                self.sender_row.split(self.edge_sizes),
                self.sender_offsets.split([size + 1 for size in self.table_sizes]),
                strict=True,
            )
        ]
        carried: list[Tensor | None] = [*nothing]
        if self.carried is not None:
            carried = [rows if len(rows) else None for rows in self.carried.split(self.carried_sizes)]
        mail, unmail = self.mail.split(self.edge_sizes), self.unmail.split(self.edge_sizes)
        return list(map(Step, receivers, senders, mail, unmail, nothing, self.degrees, carried))


def schedule(size: int, src: IntArray, dst: IntArray, level: IntArray) -> Schedule:
    """Plan a propagation from src to dst over N = `size` nodes.

    Args:
        size: N.
        src: [E] senders.
        dst: [E] receivers; the edges of one receiver stand in sibling order.
        level: [N] numbers such that every edge leads to a lower one.
    """
    indegree = np.bincount(dst, minlength=size)
    top = int(level.max(initial=0))
    is_leaf = indegree == 0

    # Nodes: all leaves, then the others, each group from the highest level down; by in-degree within a level.
    order = np.lexsort((indegree, -level, ~is_leaf))
    position = np.empty_like(order)
    position[order] = np.arange(size)
    leaves = int(is_leaf.sum())
    leaf_count = np.bincount(level[is_leaf], minlength=top + 1)
    node_count = np.bincount(level[~is_leaf], minlength=top + 1)
    # Row of each node among the leaves, or the computed nodes, of its own level.
    leaf_start = leaf_count.sum() - np.cumsum(leaf_count)
    node_start = leaves + node_count.sum() - np.cumsum(node_count)
    row = position - np.where(is_leaf, leaf_start[level], node_start[level])
    steps = np.arange(top - 1, -1, -1)  # the level that each step computes
    edge_level = level[dst]
    edge_count = np.bincount(edge_level, minlength=top)[steps] if top else np.zeros(0, dtype=np.int64)
    edge_start = np.repeat(np.cumsum(edge_count) - edge_count, edge_count)
    computed = order[leaves:]
    receiver_offsets = running_offsets(indegree[computed], node_count[steps])
    is_tree = np.array_equal(np.bincount(src, minlength=size), level > 0) and bool(np.all(level[src] == edge_level + 1))
    tables = sender_row = sender_offsets = carried_rows = None
    carried_sizes = np.zeros(len(steps), dtype=np.int64)
    table_sizes = edge_count
    if is_tree:
        edge_order = np.lexsort((row[dst], -edge_level))
        mail_rank = np.arange(len(src))
        tables = _tables(src[edge_order], is_leaf, position, edge_start)
    else:
        table_row = np.where(is_leaf, row, leaf_count[level] + row)
        fresh = (leaf_count + node_count)[steps + 1]
        if np.any(level[src] != edge_level + 1):
            sender_row, carried_rows, carried_sizes = _carry(src, edge_level, level, table_row, fresh, top)
        else:
            sender_row = table_row[src]
        table_sizes = fresh + carried_sizes
        edge_order = np.lexsort((sender_row, -edge_level))
        sender_row = sender_row[edge_order]
        start = np.cumsum(table_sizes) - table_sizes
        fan_out = np.bincount(sender_row + np.repeat(start, edge_count), minlength=int(table_sizes.sum()))
        sender_offsets = running_offsets(fan_out, table_sizes)
        mail_rank = np.lexsort((edge_order, row[dst][edge_order], -edge_level[edge_order]))
    mail = mail_rank - edge_start
    unmail = np.empty_like(mail)
    unmail[mail_rank] = np.arange(len(src)) - edge_start
    receiver_row = row[dst][edge_order]

    def tensor(array: IntArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(array))

    return Schedule(
        order=tensor(order),
        position=tensor(position),
        edge_order=tensor(edge_order),
        sender=tensor(src[edge_order]),
        receivers=Incidence(
            tensor(position[dst[edge_order]] - leaves),
            tensor(mail_rank),
            tensor(running_offsets(indegree[computed], np.array([size - leaves]))),
        ),
        receiver_row=tensor(receiver_row),
        receiver_offsets=tensor(receiver_offsets),
        sender_row=None if sender_row is None else tensor(sender_row),
        sender_offsets=None if sender_offsets is None else tensor(sender_offsets),
        mail=tensor(mail),
        unmail=tensor(unmail),
        carried=None if carried_rows is None else tensor(carried_rows),
        tree=None if tables is None else Rows(*map(tensor, tables)),
        leaves=leaves,
        leaf_sizes=[*leaf_count[steps + 1].tolist(), int(leaf_count[0])],
        node_sizes=node_count[steps].tolist(),
        edge_sizes=edge_count.tolist(),
        carried_sizes=carried_sizes.tolist(),
        table_sizes=table_sizes.tolist(),
        degrees=degree_runs(indegree[computed], node_count[steps]),
    )


def _tables(
    sender: IntArray, is_leaf: npt.NDArray[np.bool_], position: IntArray, edge_start: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """The columns of Rows for a tree whose senders, in the order of the mailboxes, are `sender` [E]."""
    from_leaf = is_leaf[sender]
    rows = np.arange(len(sender))
    source = np.where(from_leaf, position[sender], 0)
    target = rows[from_leaf][np.argsort(position[sender[from_leaf]])]
    others = np.flatnonzero(~from_leaf)
    others = others[np.argsort(position[sender[others]])]
    return source, target, others - edge_start[others]


def running_offsets(counts: IntArray, sizes: IntArray) -> IntArray:
    """For each group of `sizes` consecutive rows, 0 and the running sums of their `counts`."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    group_ends = np.cumsum(sizes)
    start = group_ends - sizes
    index = np.arange(int(sizes.sum()) + len(sizes)) - np.repeat(np.arange(len(sizes)), sizes + 1)
    return ends[index] - np.repeat(ends[start], sizes + 1)


def degree_runs(indegree: IntArray, sizes: IntArray) -> list[list[tuple[int, int]]]:
    """Run lengths of the in-degrees within each group of `sizes` consecutive nodes."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    change = np.flatnonzero((np.diff(indegree) != 0) | (np.diff(group) != 0)) + 1
    starts = np.concatenate([[0], change]) if len(indegree) else np.zeros(0, dtype=np.int64)
    counts = np.diff(np.concatenate([starts, [len(indegree)]]))
    result: list[list[tuple[int, int]]] = [[] for _ in sizes]
    for g, degree, count in zip(group[starts].tolist(), indegree[starts].tolist(), counts.tolist(), strict=True):
        result[g].append((degree, count))
    return result


def _carry(
    src: IntArray, edge_level: IntArray, level: IntArray, table_row: IntArray, fresh: IntArray, top: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Rows that edges read which pass over levels.

    Returns:
        [E] the table row that each edge reads, the carried rows of all steps (rows of the table before), and how
        many there are in each step.
    """
    last = np.full(len(level), top, dtype=np.int64)  # lowest level that reads a node
    np.minimum.at(last, src, edge_level)
    sender_row = np.empty_like(src)
    here = table_row.copy()  # each node's row in the table of the step at hand
    alive = np.zeros(0, dtype=np.int64)
    carried: list[IntArray] = []
    by_level = np.argsort(-level, kind="stable")
    level_ends = np.cumsum(np.bincount(level, minlength=top + 1)[::-1])
    edges_by_level = np.argsort(-edge_level, kind="stable")
    edge_ends = np.cumsum(np.bincount(edge_level, minlength=top)[::-1])
    for step in range(top):
        current = top - 1 - step
        keep = alive[last[alive] <= current]
        carried.append(here[keep])
        here[keep] = fresh[step] + np.arange(len(keep))
        entering = by_level[level_ends[step - 1] if step else 0 : level_ends[step]]
        alive = np.concatenate([keep, entering])
        edges = edges_by_level[edge_ends[step - 1] if step else 0 : edge_ends[step]]
        sender_row[edges] = here[src[edges]]
    sizes = np.array([len(rows) for rows in carried], dtype=np.int64)
    return sender_row, np.concatenate(carried), sizes
