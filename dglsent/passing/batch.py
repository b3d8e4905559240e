"""A batch of sentence graphs: topology, fields and the plan by which the engines run over it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.layout import Between
from dglsent.passing.relation import Direction, Relation, neighbour_order, preceding_order, token_order
from dglsent.passing.rounds import Round
from dglsent.passing.schedule import Schedule
from dglsent.passing.segments import Incidence, segment_sum
from dglsent.passing.views import Fields
from graphs import fields
from graphs.batching import MergedGraphs, merge, pair_fields, partners, topology
from graphs.builders import SentenceGraph
from graphs.columns import IntArray
from graphs.fields import ATTEND, CHILD, COMPLETE, NEIGHBOUR, NEXT, PRECEDING, PREVIOUS


class Plan:
    """Where sentences begin and end, in index tensors made once, in the loader's workers, and moved with the batch.

    Attributes:
        child: the relation child, whose plans are this one's too.
        roots: [R] nodes that send to nobody, in sentence order.
        root_sentence: [R] sentence of each root.
        first: [B] first node of each sentence.
        one_root: whether every sentence has exactly one root.
    """

    def __init__(self, child: Relation, level: IntArray, sentence: IntArray, sentences: int) -> None:
        self.child, self._sentences = child, sentences
        roots = np.flatnonzero(level == 0)
        self.roots = torch.from_numpy(roots)
        self.root_sentence = torch.from_numpy(sentence[roots])
        self.first = torch.from_numpy(np.searchsorted(sentence, np.arange(sentences)))
        self.one_root = len(roots) == sentences

    def schedule(self, direction: Direction = "up") -> Schedule:
        """The schedule of a propagation over the relation child, made when first asked for."""
        return self.child.schedule(direction)

    def incidence(self, end: str) -> Incidence:
        """Incidence of the edges of the relation child on their senders ("src") or receivers ("dst")."""
        return self.child.incidence("src" if end == "src" else "dst")

    @property
    def whole(self) -> Round:
        """One round over all edges of the relation child."""
        return self.child.whole

    @property
    def device(self) -> torch.device:
        """Where the tensors are."""
        return self.child.device

    @cached_property
    def readout(self) -> Incidence:
        """Incidence of the roots on their sentences."""
        ordinal = torch.arange(len(self.root_sentence), device=self.device)
        sentences = torch.arange(self._sentences + 1, device=self.device)
        return Incidence(self.root_sentence, ordinal, torch.searchsorted(self.root_sentence, sentences))

    def to(self, device: torch.device | str, non_blocking: bool = False) -> None:
        """Move the plan's own tensors."""
        self.__dict__.pop("readout", None)
        for name in ("roots", "root_sentence", "first"):
            setattr(self, name, getattr(self, name).to(device, non_blocking=non_blocking))

    def pin_memory(self) -> None:
        """Pin the plan's own tensors."""
        for name in ("roots", "root_sentence", "first"):
            setattr(self, name, getattr(self, name).pin_memory())


class Batch:
    """B sentences, or the 2 B sentences of B pairs, as one batched graph of N nodes.

    Its edges belong to relations: `child`, E edges child -> parent; `neighbour`, these both ways and from each node to
    itself; `next`, from each word to the next, `previous` to the one before, `preceding` to every later one;
    `complete`, from every node of a sentence to every node of it, itself included; in pairs `attend`, from every node
    of a sentence to every node of the other of its pair. Sentences 2 k and 2 k + 1 are pair k.

    Attributes:
        size: number of sentences.
        pairs: whether they are pairs.
        num_nodes: N.
        node_counts: nodes of each sentence, on the CPU.
        nodes: node fields by name, each [N, ...], in the graph's order.
        targets: what a task wants predicted, by name, each [B, ...].
        plan: index tensors of the torch engine.
    """

    def __init__(self, merged: MergedGraphs, *, pairs: bool = False) -> None:
        self._merged = merged
        self.size, self.pairs = len(merged.node_counts), pairs
        self.node_counts = torch.from_numpy(merged.node_counts)
        columns = {**merged.nodes, **(pair_fields(merged) if pairs else {})}
        self.nodes = Fields({name: torch.from_numpy(column) for name, column in columns.items()})
        self.targets = Fields()
        self.num_nodes = int(merged.node_counts.sum())
        sentence = merged.nodes[fields.SENTENCE]
        child = Relation(self.num_nodes, merged.src, merged.dst, merged.level, sentence)
        for name, column in merged.edges.items():
            child.edges[name] = torch.from_numpy(column)
        self._relations: dict[str, Relation] = {CHILD: child}
        self.dgl_graphs: dict[Any, Any] = {}  # of several relations, as the DGL engine needed them
        self.plan = Plan(child, merged.level, sentence, self.size)

    @classmethod
    def of(
        cls,
        graphs: Sequence[SentenceGraph],
        *,
        pairs: bool = False,
        plan: Iterable[Direction] = (),
        relations: Iterable[str] = (),
    ) -> Batch:
        """Batch B >= 1 sentence graphs.

        Args:
            graphs: the sentences; of pairs a0 b0 a1 b1 ...
            pairs: whether they are pairs.
            plan: directions whose schedules are made at once.
            relations: relations beside child whose plans are made at once; `next` and `preceding` in the directions of
                `plan`, or in both where that names none.

        Raises:
            InputError: the graphs are not of one kind, or the pairs not even.
        """
        batch, plan = cls(merge(graphs), pairs=pairs), tuple(plan)
        batch.relation(CHILD).plan(plan)
        for name in relations:
            relation = batch.relation(name)
            if isinstance(relation, Between):
                for direction in plan:
                    relation.frontiers((CHILD, direction), batch.plan.schedule(direction))
            elif name in (NEXT, PRECEDING):
                relation.plan(plan or ("up", "down"))
        return batch

    def relation(self, name: str = CHILD) -> Relation:
        """A relation with its edge fields, made when first asked for.

        Raises:
            ValueError: there is no such relation, or `attend` is asked of sentences that are not pairs.
        """
        if name not in self._relations:
            self._relations[name] = made = self._made(name)
            made.to(self.device)
        return self._relations[name]

    def _made(self, name: str) -> Relation:
        merged = self._merged
        sentence = merged.nodes[fields.SENTENCE]
        if name in (NEXT, PREVIOUS, PRECEDING):
            order = preceding_order if name == PRECEDING else token_order
            src, dst, level = order(merged.nodes[fields.POSITION], sentence)
            if name == PREVIOUS:
                src, dst, level = dst, src, level.max(initial=0) - level
            return Relation(self.num_nodes, src, dst, level, sentence)
        if name == NEIGHBOUR:
            src, dst = neighbour_order(merged.src, merged.dst, self.num_nodes)
            return Relation(self.num_nodes, src, dst, merged.level, sentence)
        if name == ATTEND and self.pairs:
            return Between(merged.node_counts, partners(self.size))
        if name == COMPLETE:
            relation = Between(merged.node_counts, np.arange(self.size))
            for field, column in merged.pairwise.items():
                relation.edges[field] = torch.from_numpy(column)
            return relation
        if name == ATTEND:
            raise ValueError("the relation attend is between the sentences of pairs; batch them with pairs=True")
        known = ", ".join((CHILD, NEIGHBOUR, NEXT, PREVIOUS, PRECEDING, COMPLETE))
        raise ValueError(f"no relation {name!r}; there are {known} and, in pairs, {ATTEND}")

    @property
    def edges(self) -> Fields:
        """Edge fields of the relation child by name, each [E, ...], in the graph's order."""
        return self.relation(CHILD).edges

    @property
    def device(self) -> torch.device:
        """Where the fields and the plan are."""
        return self.plan.device

    @cached_property
    def graph(self) -> Any:
        """The batched DGLGraph: topology only, on the CPU where DGL has no CUDA; `write_back` adds the fields.

        With pairs it has the relations child and attend, and any other that a model used.
        """
        used = [name for name in self._relations if name not in (CHILD, ATTEND)]
        names = [CHILD, *([ATTEND] if self.pairs else []), *used]
        return topology(self._merged, {name: self.relation(name).ends for name in names[1:]})

    def write_back(self) -> Any:
        """Put all fields on the DGLGraph and return it; on the CPU, detached, for analysis."""
        for name, value in self.nodes.items():
            self.graph.ndata[name] = value.detach().to(self.graph.device)
        for relation in self.graph.etypes if len(self.graph.etypes) > 1 else [CHILD]:
            data = self.graph.edges[relation].data if len(self.graph.etypes) > 1 else self.graph.edata
            for name, value in self.relation(relation).edges.items():
                data[name] = value.detach().to(self.graph.device)
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

    def at_last_words(self, states: Tensor) -> Tensor:
        """The states [N, ...] of each sentence's last word: [B, ...]."""
        return states.index_select(0, self._last_words.to(states.device))

    @cached_property
    def _last_words(self) -> Tensor:
        position, sentence = self._merged.nodes[fields.POSITION], self._merged.nodes[fields.SENTENCE]
        order = np.lexsort((position, sentence))
        last = np.cumsum(self._merged.node_counts) - 1
        return torch.from_numpy(order[last])

    @cached_property
    def words_inside(self) -> bool:
        """Whether some node with in-edges has a word, as in dependency trees; else words are at the leaves alone."""
        return bool(self._merged.nodes[fields.WORD][self._merged.dst].any())

    def to(self, device: torch.device | str, non_blocking: bool = False) -> Batch:
        """Move fields and plan to a device; the DGLGraph too where DGL can. Returns itself."""
        for table in (self.nodes, self.targets):
            for name in table:
                table[name] = table[name].to(device, non_blocking=non_blocking)
        for relation in self._relations.values():
            relation.to(device, non_blocking)
        self.plan.to(device, non_blocking)
        return self

    def pin_memory(self) -> Batch:
        """Pin fields and plan, for a transfer that does not wait. Returns itself."""
        for table in (self.nodes, self.targets):
            for name in table:
                table[name] = table[name].pin_memory()
        for relation in self._relations.values():
            relation.pin_memory()
        self.plan.pin_memory()
        return self
