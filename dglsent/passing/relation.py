"""One relation over the nodes of a batch: its edges, their fields and the plans by which the engines run over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.missing import EDGE
from dglsent.passing.plans.acyclic import AcyclicSchedule, acyclic_schedule
from dglsent.passing.plans.all_pairs import Blocks, Padding, edges_of_cells, into_blocks, pad_sentences
from dglsent.passing.plans.frontiers import Frontiers, list_frontiers
from dglsent.passing.plans.incidence import Incidence, incidence
from dglsent.passing.plans.levels import is_tree, order_nodes, reversed_levels
from dglsent.passing.plans.on_device import lasting, on_device, with_tensors
from dglsent.passing.plans.rounds import MailboxRound, mailbox_round
from dglsent.passing.plans.tree import TreeSchedule, tree_schedule
from dglsent.passing.views import Fields
from graphs.batching import hearing
from graphs.columns import IntArray
from graphs.errors import SentenceError
from graphs.topology import levels

Direction: TypeAlias = Literal["up", "down"]

_OF = "edges of the relation"


class Relation:
    """E edges over the N nodes of a batch.

    Args:
        src: [E] senders.
        dst: [E] receivers; the edges of one receiver stand in sibling order.
        level: [N] numbers such that every edge of an acyclic relation leads to a lower one.
        sentence: [N] sentence of each node.

    Attributes:
        size: N.
        edges: edge fields by name, each [E, ...], in the graph's order.
        device: where the index tensors are.
    """

    def __init__(self, src: IntArray, dst: IntArray, level: IntArray, sentence: IntArray) -> None:
        self.size, self.edges = len(sentence), Fields(rows=len(src), of=_OF, what=EDGE)
        self.device = torch.device("cpu")
        self._src, self._dst, self._level, self._sentence = src, dst, level, sentence
        self._schedules: dict[Direction, TreeSchedule | AcyclicSchedule] = {}
        self._incidences: dict[str, Incidence] = {}
        self._rows: dict[str, Tensor] = {}

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Senders [E] and receivers [E], on the CPU; the edges of one receiver stand in sibling order."""
        return self._src, self._dst

    def schedule(self, direction: Direction = "up") -> TreeSchedule | AcyclicSchedule:
        """The schedule of a propagation, made when first asked for.

        Raises:
            ValueError: the relation has cycles, or there is no such direction.
        """
        if direction not in self._schedules:
            self._schedules[direction] = self._scheduled(direction)
        return self._schedules[direction]

    def check(self, direction: Direction) -> None:
        """Refuse what no propagation can run over.

        Raises:
            ValueError: the relation has cycles, its levels are not those of its edges, or there is no such direction.
        """
        if direction not in get_args(Direction):
            raise ValueError(f"direction is 'up' or 'down', not {direction!r}")
        if not self._acyclic:
            try:
                levels(self.size, *self.ends)
            except SentenceError:
                raise ValueError(
                    "a propagation runs over trees, chains and other acyclic graphs, and this relation has cycles: run "
                    "a round over it by update_all"
                ) from None
            raise ValueError(
                "a propagation goes by the levels of nodes, and those of these graphs are not those of their edges; "
                "make them by graphs.topology.levels(size, src, dst), or run rounds by update_all"
            )

    @cached_property
    def _acyclic(self) -> bool:
        (src, dst), level = self.ends, self._level
        return bool(np.all(level[src] > level[dst]))

    @property
    def steps(self) -> int:
        """Steps of all its schedules so far."""
        return sum(len(made.node_sizes) for made in self._schedules.values())

    @lasting
    def _scheduled(self, direction: Direction) -> TreeSchedule | AcyclicSchedule:
        self.check(direction)
        (src, dst), level = self.ends, self._level
        if direction == "down":
            src, dst, level = dst, src, reversed_levels(src, dst, level, self._sentence)
        nodes = order_nodes(self.size, dst, level)
        made = (tree_schedule if is_tree(src, dst, level) else acyclic_schedule)(nodes, src, dst)
        return with_tensors(made, lambda tensor: tensor.to(self.device))

    def incidence(self, end: Literal["src", "dst"]) -> Incidence:
        """Incidence of the edges, in the graph's order, on their senders or receivers."""
        if end not in self._incidences:
            self._incidences[end] = lasting(incidence)(self.nodes(end), self.size)
        return self._incidences[end]

    def nodes(self, end: Literal["src", "dst"]) -> Tensor:
        """[E] senders or receivers of the edges, where the index tensors are."""
        if end not in self._rows:
            self._rows[end] = lasting(on_device)(self.ends[end == "dst"], self.device)
        return self._rows[end]

    @cached_property
    @lasting
    def mailboxes(self) -> MailboxRound:
        """One round over all edges, for reduce functions with mailboxes."""
        return mailbox_round(self.size, self.ends[1], self.device)

    @cached_property
    def graph(self) -> Any:
        """This relation alone as a DGLGraph without fields, on the CPU."""
        from graphs.door import dgl

        return dgl.graph(tuple(map(torch.from_numpy, self.ends)), num_nodes=self.size)

    @cached_property
    def reversed_graph(self) -> Any:
        """The same with every edge turned round, edges in the same order."""
        from graphs.door import dgl

        return dgl.graph(tuple(map(torch.from_numpy, self.ends[::-1])), num_nodes=self.size)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> None:
        """Move fields and index tensors."""
        self.device = torch.device(device)
        self._map(lambda tensor: tensor.to(device, non_blocking=non_blocking))
        self._incidences, self._rows = {}, {}
        self.__dict__.pop("mailboxes", None)

    def pin_memory(self) -> None:
        """Pin fields and index tensors."""
        self._map(Tensor.pin_memory)

    def _map(self, function: Callable[[Tensor], Tensor]) -> None:
        self.edges.replace(function)
        self._schedules = {key: with_tensors(made, function) for key, made in self._schedules.items()}


class AllPairs(Relation):
    """Every node of one sentence, its source, sends to every node of a sentence: its partner's to it, or its own.

    Args:
        counts: [S] nodes of each sentence.
        sources: [S] source of each, whose source it is in turn.
    """

    def __init__(self, counts: IntArray, sources: IntArray) -> None:
        nothing = np.zeros(0, dtype=np.int64)
        super().__init__(nothing, nothing, nothing, np.repeat(np.arange(len(counts)), counts))
        self.edges = Fields(rows=int((counts * counts[sources]).sum()), of=_OF, what=EDGE)
        self._counts, self._sources = counts, sources
        self._frontiers: dict[tuple[str, Direction], Frontiers] = {}

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Senders and receivers, receiver by receiver, listed when first asked for."""
        if not len(self._src):
            self._src, self._dst = hearing(self._counts, self._sources, np.arange(self.size))
        return self._src, self._dst

    @cached_property
    def _acyclic(self) -> bool:
        return False

    @cached_property
    @lasting
    def padding(self) -> Padding:
        """All sentences padded to the longest."""
        return pad_sentences(self._counts, self._sources, self.device)

    @cached_property
    @lasting
    def blocks(self) -> Blocks:
        """The sentences padded in blocks of about one length."""
        return into_blocks(self._counts, self._sources, self.device)

    @cached_property
    @lasting
    def cells(self) -> tuple[Tensor, Tensor]:
        """[E] place of each edge among the C padded cells of `blocks`, and [C] the edge that each cell holds."""
        cell = self.cell(self.blocks.start)
        return cell, edges_of_cells(cell, self.blocks.paddings)

    def cell(self, start: Tensor) -> Tensor:
        """[E] place of each edge among padded cells, of which those of receiver n start at start[n], start [N]."""
        return start[self.nodes("dst")] + (self.padding.place % self.padding.width)[self.nodes("src")]

    def frontiers(self, along: Relation, name: str, direction: Direction) -> Frontiers:
        """The edges into the nodes of each frontier of a propagation along another relation of that name."""
        if (name, direction) not in self._frontiers:
            self._frontiers[name, direction] = self._listed(along.schedule(direction))
        return self._frontiers[name, direction]

    @lasting
    def _listed(self, schedule: TreeSchedule | AcyclicSchedule) -> Frontiers:
        made = list_frontiers(self._counts, self._sources, schedule)
        return with_tensors(made, lambda tensor: tensor.to(self.device))

    def to(self, device: torch.device | str, non_blocking: bool = False) -> None:
        """Move fields and index tensors."""
        super().to(device, non_blocking)
        for name in ("padding", "blocks", "cells"):
            self.__dict__.pop(name, None)

    def _map(self, function: Callable[[Tensor], Tensor]) -> None:
        super()._map(function)
        self._frontiers = {key: with_tensors(made, function) for key, made in self._frontiers.items()}
