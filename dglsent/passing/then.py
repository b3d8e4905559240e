"""Further passes within a propagation: a frontier that has been computed hears from nodes of another relation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.functions import Outputs, Pass, message_function
from dglsent.passing.given import read
from dglsent.passing.layout import Between
from dglsent.passing.reducing import Kept, first_of, reduce_pass
from dglsent.passing.relation import Direction
from dglsent.passing.schedule import Schedule
from dglsent.passing.segments import gather
from dglsent.passing.views import Edges, Nodes, Resolver


class FurtherPass:
    """One further pass over all frontiers of a schedule, leaves first.

    Raises:
        ValueError: its relation is not one in which every node hears every node of a sentence.
    """

    def __init__(self, wanted: Pass, batch: Batch, name: tuple[str, Direction], schedule: Schedule) -> None:
        relation = batch.relation(wanted.relation)
        if not isinstance(relation, Between):
            raise ValueError(f"a further pass runs over the relation attend, not over {wanted.relation!r}")
        self.wanted, self.batch, self.relation = wanted, batch, relation
        self.frontiers = relation.frontiers(name, schedule)
        self.compute = message_function(wanted.message)
        self.sent: dict[str, Sequence[Tensor]] = {}
        self.own: dict[str, Sequence[Tensor]] = {}
        self.kept = Kept()

    def run(self, t: int, computed: Outputs, given: Resolver) -> Outputs:
        """Fields of frontier t after the pass: those computed before and the pass's own, which win."""
        receivers, size = self.frontiers.receivers[t], self.frontiers.node_sizes[t]
        here: Resolver = partial(first_of, computed, given)
        made = {} if self.wanted.inputs is None else self.wanted.inputs(Nodes(size, here))
        edges = Edges(
            self.frontiers.edge_sizes[t],
            partial(self._senders, t, computed),
            lambda name: gather(first_of(made, here, name), receivers),
            partial(self._edges, t),
        )
        reduced = reduce_pass(self.wanted.reduce, edges, self.compute(edges), receivers, self.kept)
        if self.wanted.apply is not None:
            reduced = self.wanted.apply(Nodes(size, partial(first_of, reduced, here)))
        return {**computed, **reduced}

    def keep(self) -> None:
        """Set the edge fields that the reducer left behind."""
        for name in self.kept:
            self.relation.edges.set_lazy(name, partial(self._weights, name))

    def _weights(self, name: str) -> Tensor:
        return self.kept.joined(name, self.frontiers.edge.argsort(), self.frontiers.edge)

    def _senders(self, t: int, computed: Outputs, name: str) -> Tensor:
        if name in computed:
            raise KeyError(f"a further pass reads {name!r} of its senders, which this propagation is computing")
        if name not in self.sent:
            rows = gather(read(self.batch.nodes, name, "node"), self.frontiers.senders)
            self.sent[name] = rows.split(self.frontiers.edge_sizes)
        return self.sent[name][t]

    def _edges(self, t: int, name: str) -> Tensor:
        if name not in self.own:
            rows = read(self.relation.edges, name, "edge").index_select(0, self.frontiers.edge)
            self.own[name] = rows.split(self.frontiers.edge_sizes)
        return self.own[name][t]
