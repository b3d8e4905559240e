"""Fields that are set before a propagation, as its steps read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from torch import Tensor

from dglsent.passing.calls import call
from dglsent.passing.functions import NodeFunction
from dglsent.passing.missing import NODE, NOT_YET, OF_SENDERS, WITHOUT_LEAF, MissingFieldError, there
from dglsent.passing.plans.schedule import Schedule
from dglsent.passing.precision import full
from dglsent.passing.relation import Relation
from dglsent.passing.segments import gather, permute
from dglsent.passing.views import Fields, Nodes, require_rows


class PresetFields:
    """Fields that are set before the first step, in the order of the schedule.

    Args:
        nodes: those of the nodes.
        relation: along which messages pass.
        schedule: the steps.
        apart: whether leaves have a function of their own.
    """

    def __init__(self, nodes: Fields, relation: Relation, schedule: Schedule, *, apart: bool) -> None:
        self.nodes, self.relation, self.schedule, self.apart = nodes, relation, schedule, apart
        self.leaf: dict[str, Tensor] = {}
        self.inner: dict[str, Tensor] = {}
        self._made: dict[str, Tensor] = {}  # by `inputs`, for all nodes
        self.by_step: dict[str, Sequence[Tensor]] = {}
        self.by_receiver: dict[str, Sequence[Tensor]] = {}
        self.by_sender: dict[str, Sequence[Tensor]] = {}
        self.by_edge: dict[str, Sequence[Tensor]] = {}

    def extend(self, inputs: NodeFunction, *, leaves_too: bool) -> None:
        """Add the fields that `inputs` makes of the given ones, for all nodes that `apply` will see."""
        leaves, size = self.schedule.leaves, len(self.schedule.order)
        if leaves_too:
            made = call(inputs, Nodes(size, self._whole))
            require_rows(made, size, "nodes")
            for name, value in made.items():
                self.leaf[name], self.inner[name] = value.split([leaves, size - leaves])
                self._made[name] = value
        elif size > leaves:
            made = call(inputs, Nodes(size - leaves, self._at_inner))
            require_rows(made, size - leaves, "nodes with in-edges")
            self.inner.update(made)

    def _whole(self, name: str, hint: str = "") -> Tensor:
        field = full(there(self.nodes, name, NODE, hint))
        return permute(field, self.schedule.order, self.schedule.position)

    def _split(self, name: str, hint: str, known: Iterable[str]) -> None:
        leaves = self.schedule.leaves
        try:
            whole = self._whole(name, hint)
        except MissingFieldError as error:
            error.add(known)  # among them what inputs made
            raise
        leaf, inner = whole.split([leaves, len(self.schedule.order) - leaves])
        self.leaf.setdefault(name, leaf)
        self.inner.setdefault(name, inner)

    def at_leaves(self, name: str) -> Tensor:
        """A field of the nodes without in-edges."""
        if name not in self.leaf:
            self._split(name, "" if self.apart else WITHOUT_LEAF, self.leaf)
        return self.leaf[name]

    def _at_inner(self, name: str) -> Tensor:
        if name not in self.inner:
            self._split(name, NOT_YET, self.inner)
        return self.inner[name]

    def at_step(self, t: int, name: str) -> Tensor:
        """A field of the nodes of step t."""
        if name not in self.by_step:
            self.by_step[name] = self._at_inner(name).split(self.schedule.node_sizes)
        return self.by_step[name][t]

    def at_receivers(self, t: int, name: str) -> Tensor:
        """A field of the receivers of step t's edges."""
        if name not in self.by_receiver:
            rows = gather(self._at_inner(name), self.schedule.receivers)
            self.by_receiver[name] = rows.split(self.schedule.edge_sizes)
        return self.by_receiver[name][t]

    def at_senders(self, t: int, name: str) -> Tensor:
        """A field of the senders of step t's edges."""
        if name not in self.by_sender:
            made = self._made.get(name)
            if made is None:
                field = full(there(self.nodes, name, NODE, OF_SENDERS if self.apart else ""))
            else:
                field = permute(made, self.schedule.position, self.schedule.order)
            rows = gather(field, self.schedule.senders)
            self.by_sender[name] = rows.split(self.schedule.edge_sizes)
        return self.by_sender[name][t]

    def at_edges(self, t: int, name: str) -> Tensor:
        """A field of step t's edges."""
        if name not in self.by_edge:
            rows = permute(read(self.relation.edges, name), self.schedule.edge_order, self.schedule.edge_position)
            self.by_edge[name] = rows.split(self.schedule.edge_sizes)
        return self.by_edge[name][t]


def read(known: Fields, name: str) -> Tensor:
    """A field that has been set.

    Raises:
        MissingFieldError: it has not.
    """
    return full(known[name])
