"""What a step's edges read of their senders: states of leaves, of the step before and, where needed, older ones."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dglsent.passing.engines.torch.reducing import Mailboxes
from dglsent.passing.functions import Outputs
from dglsent.passing.plans.acyclic import AcyclicSchedule, AcyclicStep
from dglsent.passing.plans.tree import TreeSchedule, TreeStep
from dglsent.passing.segments import append, gather, place, spread


class TreeSources:
    """In a tree every state is written to the row where its parent reads it: edge k reads row k.

    Leaves are laid out for all steps at once, among rows that the computed nodes fill later.
    """

    def __init__(self, leaf: Outputs, schedule: TreeSchedule) -> None:
        self.leaf, self.schedule = leaf, schedule
        self.leaf_rows: dict[str, Sequence[Tensor]] = {}
        self.read: list[str] = []  # the fields that messages have read so far
        self.t = -1
        self.before: Outputs = {}
        self.rows: dict[str, Tensor] = {}  # of the step at hand

    def advance(self, before: Outputs) -> Mailboxes:
        """Come to the next step; `before` are the fields that the step before it computed, none in the first."""
        self.t += 1
        self.before, self.rows = before, {}
        return _mailboxes(self.schedule.steps[self.t])

    def has(self, name: str) -> bool:
        """Whether the propagation computes a field."""
        return name in self.leaf

    def __call__(self, name: str) -> Tensor:
        """A field of the senders of the step's m edges: [m, ...]."""
        if name not in self.rows:
            self._place(name)
        return self.rows[name]

    def _place(self, name: str) -> None:
        if name not in self.read:
            self.read.append(name)
        if not self.before:
            self.rows[name] = self._leaf_rows(name)
            return
        names = [name] if self.rows else self.read  # all that messages read so far, in one go
        bases = [self._leaf_rows(each) for each in names]
        values = [self.before[each] for each in names]
        self.rows.update(zip(names, place(bases, values, self.schedule.steps[self.t].placed), strict=True))

    def _leaf_rows(self, name: str) -> Tensor:
        if name not in self.leaf_rows:
            leaf, schedule = self.leaf[name], self.schedule
            sending = leaf[: len(leaf) - schedule.leaf_sizes[-1]] if schedule.leaf_sizes[-1] else leaf
            rows = spread(sending, schedule.leaf_source, schedule.leaf_target)
            self.leaf_rows[name] = rows.split(schedule.edge_sizes)
        return self.leaf_rows[name][self.t]


class AcyclicSources:
    """In any acyclic graph a step's edges pick their senders from rows that stand together, see `plans.acyclic`."""

    def __init__(self, leaf: Outputs, schedule: AcyclicSchedule) -> None:
        self.leaf, self.schedule = leaf, schedule
        self.leaf_rows: dict[str, Sequence[Tensor]] = {}
        self.computed: list[Outputs] = []  # before each step, by the step before
        self.rows: dict[str, tuple[int, Tensor]] = {}  # of each field, those of the last step that read it
        self.buffers: dict[str, tuple[Tensor, Tensor]] = {}  # of each field, with the rows that stand in it

    def advance(self, before: Outputs) -> Mailboxes:
        """Come to the next step; `before` are the fields that the step before it computed, none in the first."""
        self.computed.append(before)
        step = self.schedule.steps[len(self.computed) - 1]
        return _mailboxes(step)

    def has(self, name: str) -> bool:
        """Whether the propagation computes a field."""
        return name in self.leaf

    def __call__(self, name: str) -> Tensor:
        """A field of the senders of the step's m edges: [m, ...]."""
        t, steps = len(self.computed) - 1, self.schedule.steps
        made, rows = self.rows.get(name, (-1, self.leaf[name]))
        first = t
        while first > made + 1 and len(steps[first].carried):
            first -= 1
        for each in range(first, t + 1):
            rows = self._stand(name, each, rows)
        self.rows[name] = t, rows
        return gather(rows, steps[t].senders)

    def _stand(self, name: str, t: int, older: Tensor) -> Tensor:
        """The rows of step t: those of the step before that are still needed, leaves, the step before's nodes."""
        if name not in self.leaf_rows:
            self.leaf_rows[name] = self.leaf[name].split(self.schedule.leaf_sizes)
        leaf, step = self.leaf_rows[name][t], self.schedule.steps[t]
        parts = [leaf] if len(leaf) else []
        if self.computed[t]:
            parts.append(self.computed[t][name])
        if len(step.carried):
            older = older if step.all_carried else older.index_select(0, step.carried)
            return self._behind(name, older, parts, self.schedule.room[t])
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _behind(self, name: str, older: Tensor, parts: Sequence[Tensor], room: int) -> Tensor:
        """Older rows and those of some parts, in a buffer with room for those of later steps: older ones stay there."""
        for part in parts:
            if part.dtype != older.dtype or part.shape[1:] != older.shape[1:]:
                return torch.cat([older, *parts])
        buffer, rows = self.buffers.get(name, (older, None))
        if rows is not older:
            buffer = older.new_empty(room, *older.shape[1:])
            buffer[: len(older)] = older.detach()
        for part in parts:
            older = append(older, part, buffer)
        self.buffers[name] = buffer, older
        return older


def _mailboxes(step: TreeStep | AcyclicStep) -> Mailboxes:
    """The mailboxes of a step, in whose order its edges stand."""
    single = len(step.degrees) == 1 and step.degrees[0][0] == 1
    return Mailboxes(step.receivers, step.degrees, lambda messages: messages, single)
