"""The tables from which the steps of the torch engine read their messages."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from dglsent.passing.functions import Outputs
from dglsent.passing.schedule import Schedule, Step
from dglsent.passing.segments import place, spread


class Tables:
    """What the steps' messages read: states of leaves, of the step before and, where needed, of older ones."""

    def __init__(self, leaf: Outputs, schedule: Schedule) -> None:
        self.leaf, self.schedule = leaf, schedule
        self.parts: dict[str, Sequence[Tensor]] = {}
        self.read: list[str] = []
        self.last: Table | None = None
        self.t = -1

    def next(self, step: Step, nodes: Outputs) -> Table:
        """The table of the next step; `nodes` are the fields that the step before it computed."""
        self.t += 1
        self.last = Table(self, self.t, step, nodes, self.last if step.carried is not None else None)
        return self.last

    def leaf_rows(self, name: str, t: int) -> Tensor:
        """Leaves in step t's table: in a tree already at their rows, among rows to be filled."""
        if name not in self.parts:
            leaf, schedule = self.leaf[name], self.schedule
            if schedule.tree is None:
                self.parts[name] = leaf.split(schedule.leaf_sizes)
            else:
                sending = leaf[: len(leaf) - schedule.leaf_sizes[-1]] if schedule.leaf_sizes[-1] else leaf
                self.parts[name] = spread(sending, *schedule.tree[:2]).split(schedule.edge_sizes)
        return self.parts[name][t]


class Table:
    """Fields of one step's table, made when first read."""

    def __init__(self, tables: Tables, t: int, step: Step, nodes: Outputs, before: Table | None) -> None:
        self.tables, self.t, self.step, self.nodes, self.before = tables, t, step, nodes, before
        self.columns: dict[str, Tensor] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.tables.leaf

    def __getitem__(self, name: str) -> Tensor:
        if name not in self.columns:
            if self.tables.schedule.tree is None:
                self._list(name)
            else:
                self._place(name)
        return self.columns[name]

    def _place(self, name: str) -> None:
        """In a tree: write the step before's states to the rows where their parents read them."""
        read, t = self.tables.read, self.t
        if name not in read:
            read.append(name)
        if not self.nodes or self.step.placed is None:
            self.columns[name] = self.tables.leaf_rows(name, t)
            return
        names = [name] if self.columns else read  # all that messages read so far, in one go
        bases = [self.tables.leaf_rows(each, t) for each in names]
        values = [self.nodes[each] for each in names]
        self.columns.update(zip(names, place(bases, values, self.step.placed), strict=True))

    def _list(self, name: str) -> None:
        """In any other graph: leaves, the step before's nodes, older rows that are still needed."""
        waiting = [self]
        while waiting[-1].before is not None and name not in waiting[-1].before.columns:
            waiting.append(waiting[-1].before)
        for table in reversed(waiting):
            leaf = table.tables.leaf_rows(name, table.t)
            parts = [leaf] if len(leaf) else []
            if table.nodes:
                parts.append(table.nodes[name])
            if table.before is not None and table.step.carried is not None:
                parts.append(table.before.columns[name].index_select(0, table.step.carried))
            table.columns[name] = parts[0] if len(parts) == 1 else torch.cat(parts)
