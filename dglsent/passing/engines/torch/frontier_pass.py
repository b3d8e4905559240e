"""Frontier passes: a frontier that has just been computed hears from nodes of another relation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

import torch
from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.calls import call
from dglsent.passing.engines.torch.all_pairs import dense_frontier, frontiers_run_dense, joined
from dglsent.passing.engines.torch.padding import of_cells, of_edges, pad_senders
from dglsent.passing.engines.torch.preset import read
from dglsent.passing.engines.torch.reducing import EdgeOutputs, first_of, reduce_messages
from dglsent.passing.functions import (
    FrontierPass,
    Outputs,
    message_function,
    of_new_names,
    require_computed_before,
)
from dglsent.passing.missing import MESSAGE, there
from dglsent.passing.plans.schedule import Schedule
from dglsent.passing.relation import AllPairs, Direction
from dglsent.passing.segments import gather, permute
from dglsent.passing.views import Edges, Nodes, Resolver, require_rows


class PassRun:
    """One frontier pass over all frontiers of a schedule, leaves first."""

    def __init__(self, wanted: FrontierPass, batch: Batch, name: str, direction: Direction, schedule: Schedule) -> None:
        relation = batch.relation(wanted.relation)
        assert isinstance(relation, AllPairs)
        wanted.propagations += 1
        self.wanted, self.batch, self.relation = wanted, batch, relation
        self.direction, self.schedule = direction, schedule
        self.frontiers = relation.frontiers(batch.relation(name), name, direction)
        self.dense = frontiers_run_dense(relation.padding, wanted.reduce)
        self.compute = message_function(wanted.message)
        self.inputs = wanted.inputs and of_new_names(wanted.inputs, batch.nodes)
        self.sent: dict[str, Sequence[Tensor] | Tensor] = {}
        self.own: dict[str, Sequence[Tensor]] = {}
        self.kept = EdgeOutputs()

    def run(self, t: int, computed: Outputs, given: Resolver) -> Outputs:
        """Fields of frontier t after the pass: those computed before and the pass's own, which win."""
        size = self.frontiers.node_sizes[t]
        here: Resolver = partial(first_of, computed, given)
        made = {} if self.inputs is None else call(self.inputs, Nodes(size, here))
        require_rows(made, size, "nodes of the step")
        receiver: Resolver = partial(first_of, made, here)
        reduced = self._padded(t, computed, receiver) if self.dense else self._over_edges(t, computed, receiver)
        if self.wanted.apply is not None:
            reduced = call(self.wanted.apply, Nodes(size, partial(first_of, reduced, receiver)))
            require_rows(reduced, size, "nodes of the step")
        return {**computed, **reduced}

    def keep(self) -> None:
        """Set the edge fields that the reducer left behind."""
        for name in self.kept:
            self.relation.edges.set_lazy(f"{name}_{self.direction}", partial(self._weights, name))

    def _weights(self, name: str) -> Tensor:
        if self.dense:
            return of_edges(self.kept.all(name).flatten(0, 1), self._cells[0])
        return permute(self.kept.all(name), self.frontiers.edge.argsort(), self.frontiers.edge)

    def _over_edges(self, t: int, computed: Outputs, receiver: Resolver) -> Outputs:
        receivers = self.frontiers.receivers[t]
        edges = Edges(
            self.frontiers.edge_sizes[t],
            partial(self._senders, t, computed),
            lambda name: gather(receiver(name), receivers),
            partial(self._edges, t),
        )
        messages = call(self.compute, edges)
        require_rows(messages, self.frontiers.edge_sizes[t], "messages of the step")
        return reduce_messages(self.wanted.reduce, edges, messages, receivers, self.kept)

    def _padded(self, t: int, computed: Outputs, receiver: Resolver) -> Outputs:
        padding, reduce = self.relation.padding, self.wanted.reduce
        sentence = self._sentences[t]

        def senders(name: str) -> Tensor:
            if name not in self.sent:
                self.sent[name] = pad_senders(self._given(computed, name), padding)
            padded = self.sent[name]
            assert isinstance(padded, Tensor)
            return padded.index_select(0, sentence)

        edges = Edges(
            self.frontiers.edge_sizes[t],
            senders,
            lambda name: receiver(name).unsqueeze(1),
            partial(self._edges, t),
            leading=2,
        )
        mask = padding.mask.index_select(0, sentence)
        score = there(joined(self.compute, edges, mask.shape), reduce.score, MESSAGE, by="softmax_sum")
        out, weight = dense_frontier(edges, score, mask, reduce)
        self.kept.add(reduce.weight, weight)
        return {reduce.out: out}

    @cached_property
    def _cells(self) -> tuple[Tensor, Tensor]:
        """[E] place of each edge in the C padded cells of all frontiers, receiver by receiver, and [C] edge of each.

        Where a receiver has no edge, it is another of its own.
        """
        padding = self.relation.padding
        cell = self.relation.cell(self.schedule.position * padding.width)
        edge = cell.new_zeros(self.batch.num_nodes, padding.width)
        edge.view(-1).index_copy_(0, cell, torch.arange(len(cell), device=cell.device))
        mask = padding.mask.index_select(0, torch.cat(list(self._sentences)))
        return cell, torch.where(mask, edge, edge[:, :1]).flatten()

    @cached_property
    def _sentences(self) -> Sequence[Tensor]:
        """Sentence of each receiver, frontier by frontier."""
        sentence = self.relation.padding.sentences.row.index_select(0, self.schedule.order)
        return sentence.split(self.frontiers.node_sizes)

    def _given(self, computed: Outputs, name: str) -> Tensor:
        require_computed_before(name, computed, self.batch.nodes)
        return read(self.batch.nodes, name)

    def _senders(self, t: int, computed: Outputs, name: str) -> Tensor:
        if name not in self.sent:
            rows = gather(self._given(computed, name), self.frontiers.senders)
            self.sent[name] = rows.split(self.frontiers.edge_sizes)
        return self.sent[name][t]

    def _edges(self, t: int, name: str) -> Tensor:
        if name not in self.own:
            field = read(self.relation.edges, name)
            if self.dense:
                rows = of_cells(field, *self._cells).unflatten(0, (-1, self.relation.padding.width))
                self.own[name] = rows.split(self.frontiers.node_sizes)
            else:
                rows = field.index_select(0, self.frontiers.edge)
                self.own[name] = rows.split(self.frontiers.edge_sizes)
        return self.own[name][t]
