"""A batch of sentence graphs: topology, fields and the plan by which the engines run over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.rounds import Round, whole_round
from dglsent.passing.schedule import Schedule, schedule
from dglsent.passing.segments import Incidence, segment_sum
from dglsent.passing.views import Fields
from graphs import fields
from graphs.batching import MergedGraphs, merge, topology
from graphs.builders import SentenceGraph
from graphs.columns import IntArray

Direction: TypeAlias = Literal["up", "down"]


class Plan:
    """The index tensors of a batch, made once, in the loader's workers, and moved with it.

    Attributes:
        roots: [R] nodes that send to nobody, in sentence order.
        root_sentence: [R] sentence of each root.
        first: [B] first node of each sentence.
    """

    def __init__(
        self, size: int, src: IntArray, dst: IntArray, level: IntArray, sentence: IntArray, sentences: int
    ) -> None:
        self._columns = (size, src, dst, level)
        self._sentence = sentence
        self._sentences = sentences
        self.device = torch.device("cpu")
        self._schedules: dict[Direction, Schedule] = {}
        roots = np.flatnonzero(level == 0)
        self.roots = torch.from_numpy(roots)
        self.root_sentence = torch.from_numpy(sentence[roots])
        self.first = torch.from_numpy(np.searchsorted(sentence, np.arange(sentences)))
        self.one_root = len(roots) == sentences
        self._src, self._dst = torch.from_numpy(src), torch.from_numpy(dst)
        self._incidences: dict[str, Incidence] = {}

    def schedule(self, direction: Direction = "up") -> Schedule:
        """The schedule of a propagation over the child relation, made when first asked for."""
        if direction not in self._schedules:
            size, src, dst, level = self._columns
            if direction == "up":
                made = schedule(size, src, dst, level)
            elif direction == "down":
                # Counted within each sentence, so that a chain is a chain backwards too and ends at level 0.
                top = np.zeros(self._sentences, dtype=np.int64)
                np.maximum.at(top, self._sentence, level)
                made = schedule(size, dst, src, top[self._sentence] - level)
            else:
                raise ValueError(f"direction is 'up' or 'down', not {direction!r}")
            self._schedules[direction] = made.to(self.device)
        return self._schedules[direction]

    def incidence(self, end: Literal["src", "dst"]) -> Incidence:
        """Incidence of the edges, in the graph's order, on their senders or receivers."""
        if end not in self._incidences:
            nodes = self._src if end == "src" else self._dst
            ordered, order = nodes.sort(stable=True)
            rows = torch.arange(self._columns[0] + 1, device=nodes.device)
            self._incidences[end] = Incidence(nodes, order, torch.searchsorted(ordered, rows))
        return self._incidences[end]

    @cached_property
    def whole(self) -> Round:
        """One round over all edges, for reduce functions with mailboxes."""
        size, _, dst, _ = self._columns
        return whole_round(size, dst, self.device)

    @cached_property
    def readout(self) -> Incidence:
        """Incidence of the roots on their sentences."""
        ordinal = torch.arange(len(self.root_sentence), device=self.device)
        sentences = torch.arange(self._sentences + 1, device=self.device)
        return Incidence(self.root_sentence, ordinal, torch.searchsorted(self.root_sentence, sentences))

    def to(self, device: torch.device | str, non_blocking: bool = False) -> Plan:
        """Move the plan's tensors; returns itself."""
        self.device = torch.device(device)
        self._schedules = {key: made.to(device, non_blocking) for key, made in self._schedules.items()}
        self._incidences = {}
        for name in ("whole", "readout"):
            self.__dict__.pop(name, None)
        for name in ("roots", "root_sentence", "first", "_src", "_dst"):
            setattr(self, name, getattr(self, name).to(device, non_blocking=non_blocking))
        return self

    def pin_memory(self) -> Plan:
        """Pin the plan's tensors; returns itself."""
        self._schedules = {key: made.pin_memory() for key, made in self._schedules.items()}
        for name in ("roots", "root_sentence", "first", "_src", "_dst"):
            setattr(self, name, getattr(self, name).pin_memory())
        return self


class Batch:
    """B sentences as one batched graph of N nodes and E edges child -> parent.

    Attributes:
        size: B.
        num_nodes: N.
        node_counts: [B] nodes of each sentence, on the CPU.
        nodes: node fields by name, each [N, ...], in the graph's order.
        edges: edge fields by name, each [E, ...], in the graph's order.
        targets: what a task wants predicted, by name, each [B, ...] or [B / 2, ...] for pairs.
        plan: index tensors of the torch engine.
    """

    def __init__(self, merged: MergedGraphs) -> None:
        self._merged = merged
        self.size = len(merged.node_counts)
        self.node_counts = torch.from_numpy(merged.node_counts)
        self.nodes = Fields({name: torch.from_numpy(column) for name, column in merged.nodes.items()})
        self.edges = Fields({name: torch.from_numpy(column) for name, column in merged.edges.items()})
        self.targets = Fields()
        self.num_nodes = int(merged.node_counts.sum())
        self.plan = Plan(
            self.num_nodes, merged.src, merged.dst, merged.level, merged.nodes[fields.SENTENCE], len(merged.node_counts)
        )

    @classmethod
    def of(cls, graphs: Sequence[SentenceGraph], *, plan: Iterable[Direction] = ()) -> Batch:
        """Batch B >= 1 sentence graphs, with the schedules of the given directions made at once."""
        batch = cls(merge(graphs))
        for direction in plan:
            batch.plan.schedule(direction)
        return batch

    @property
    def device(self) -> torch.device:
        """Where the fields and the plan are."""
        return self.plan.device

    @cached_property
    def graph(self) -> Any:
        """The batched DGLGraph: topology only, on the CPU where DGL has no CUDA; `write_back` adds the fields."""
        return topology(self._merged)

    @cached_property
    def reversed_graph(self) -> Any:
        """The batched DGLGraph with every edge turned round, edges in the same order."""
        from graphs.door import dgl

        return dgl.reverse(self.graph, copy_ndata=False, copy_edata=False)

    def write_back(self) -> Any:
        """Put all fields on the DGLGraph and return it; on the CPU, detached, for analysis."""
        for name, value in self.nodes.items():
            self.graph.ndata[name] = value.detach().to(self.graph.device)
        for name, value in self.edges.items():
            self.graph.edata[name] = value.detach().to(self.graph.device)
        return self.graph

    def at_roots(self, states: Tensor) -> Tensor:
        """Readout: the states [N, ...] of the roots as [B, ...]; the mean over the roots of a forest."""
        roots = states.index_select(0, self.plan.roots)
        if self.plan.one_root:
            return roots
        count = self.plan.readout.offsets.diff().to(states.dtype)
        return segment_sum(roots, self.plan.readout) / count.view(-1, *(1,) * (states.dim() - 1))

    def at_first(self, states: Tensor) -> Tensor:
        """The states [N, ...] of each sentence's first node: [B, ...]."""
        return states.index_select(0, self.plan.first)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> Batch:
        """Move fields and plan to a device; the DGLGraph too where DGL can. Returns itself."""
        for table in (self.nodes, self.edges, self.targets):
            for name in table:
                table[name] = table[name].to(device, non_blocking=non_blocking)
        self.plan.to(device, non_blocking)
        return self

    def pin_memory(self) -> Batch:
        """Pin fields and plan, for a transfer that does not wait. Returns itself."""
        for table in (self.nodes, self.edges, self.targets):
            for name in table:
                table[name] = table[name].pin_memory()
        self.plan.pin_memory()
        return self
