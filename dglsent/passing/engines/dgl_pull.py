"""Message and reduce functions of one relation, as DGL runs them over the nodes of a step, of a round or of a pass."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.calls import call, message_for
from dglsent.passing.engines.dgl_views import Shown, require_numbers
from dglsent.passing.functions import (
    FrontierPass,
    MessageFunction,
    Outputs,
    Padded,
    ReduceFunction,
    SoftmaxSum,
    is_builtin,
    message_function,
    reducers,
    require_computed_before,
    softmaxes,
)
from dglsent.passing.missing import MESSAGE, NODE, there
from dglsent.passing.relation import Relation
from dglsent.passing.same_fields import require_alike, require_same_fields
from dglsent.passing.views import Edges, Nodes, Resolver, require_rows


class Pulled:
    """Message and reduce function of one relation, with our own reducers as functions of mailboxes."""

    def __init__(
        self,
        graph: Any,
        relation: Relation,
        message: MessageFunction,
        reduce: ReduceFunction,
        name: str | None,
        shown: Shown,
        messages: str = "messages of the step",
    ) -> None:
        self.graph, self.relation, self.name, self.wanted = graph, relation, name, reduce
        self.of_messages = messages
        self.softmaxes = softmaxes(reduce)
        self.kept: list[tuple[str, Tensor, Tensor]] = []
        self.shown, self.compute = shown, message_function(message)
        own = bool(self.softmaxes) or isinstance(reduce, tuple | list | Padded)
        self.native = is_builtin(message) and shown.native and not own
        self.message: Any = message if self.native else self._send
        self.reduce: Any = reduce if is_builtin(reduce) else self._reduce
        self.outputs: dict[str, Tensor] = {}  # of reduce, unless it is built in
        self.here: list[tuple[int, Outputs]] = []  # by each reducer in the step at hand, at an in-degree
        self.alike: Mapping[str, Tensor] = {}  # whose dimensions they are to have

    def pull(self, frontier: Tensor, apply: Any) -> None:
        """Have the nodes of a frontier receive, reduce and apply."""
        self.here = []
        self.graph.pull(frontier, self.message, self.reduce, apply, etype=self.name)

    def try_builtins(self) -> None:
        """Refuse built-in functions that read what is not there, of which DGL says less."""
        if self.native:
            self._require_sent(self.shown.try_builtin(self.message, self.graph, self.name))

    def show_reduced(self, nodes: Any) -> Nodes:
        """Nodes as apply sees them."""
        return self.shown.nodes(nodes, self.names)

    @property
    def names(self) -> Collection[str]:
        """The fields that reduce returns in the step at hand."""
        if is_builtin(self.wanted):
            return (self.wanted.out_field,)
        return {name for _, made in self.here for name in made}

    def keep(self, suffix: str = "") -> None:
        """Set the weights of all edges, under their names and a suffix."""
        for reducer in self.softmaxes:
            parts = [(edge, weight) for name, edge, weight in self.kept if name == reducer.weight]
            if not parts:
                self.relation.edges[reducer.weight + suffix] = torch.zeros(0, device=self.relation.device)
            else:
                edges, weights = torch.cat([edge for edge, _ in parts]), torch.cat([weight for _, weight in parts])
                self.relation.edges[reducer.weight + suffix] = weights[edges.argsort()]

    def _send(self, edges: Any) -> Outputs:
        seen = self.shown.edges(edges)
        messages = call(self.compute, seen)
        require_rows(messages, edges.batch_size(), self.of_messages)
        self._require_sent(messages)
        return {**messages, **{_sent(each.value): each.read(seen.src.__getitem__) for each in self.softmaxes}}

    def _require_sent(self, messages: Outputs) -> None:
        if is_builtin(self.wanted):
            require_numbers("message", self.wanted.msg_field, message_for(self.wanted, messages))

    def _reduce(self, nodes: Any) -> Outputs:
        made: dict[str, Tensor] = {}
        degree = int(self.graph.in_degrees(nodes.nodes()[:1], etype=self.name))
        own = [(degree, self._reduced(each, nodes, degree)) for each in reducers(self.wanted)]
        self.here = self.here or own
        for each, first, (_, here) in zip(reducers(self.wanted), self.here, own, strict=True):
            require_rows(here, nodes.batch_size(), f"nodes with {degree} in-edges")
            require_same_fields(each, *first, degree, here)
            made.update(here)
        require_alike({**self.outputs, **self.alike}, made)
        self.outputs.update(made)
        return made

    def _reduced(self, reducer: Any, nodes: Any, degree: int) -> Any:
        if isinstance(reducer, SoftmaxSum):
            edges = self.graph.in_edges(nodes.nodes(), form="eid", etype=self.name)
            score = there(nodes.mailbox, reducer.score, MESSAGE, by="softmax_sum")
            value = nodes.mailbox[_sent(reducer.value)]
            reducer.check(score.shape[2:], value.shape[2:])
            weight = score.softmax(1)
            self.kept.append((reducer.weight, edges, weight.flatten(0, 1)))
            return {reducer.out: (weight.unsqueeze(-1) * value).sum(1)}
        if is_builtin(reducer):
            reduced = getattr(message_for(reducer, nodes.mailbox), reducer.name)(1)
            # A maximum or minimum comes with its places.
            return {reducer.out_field: reduced if isinstance(reduced, Tensor) else reduced.values}
        if isinstance(reducer, Padded):
            mask = torch.ones(nodes.batch_size(), degree, dtype=torch.bool)
            return whole(reducer, mask, self.shown.nodes(nodes).data.__getitem__, nodes.mailbox)
        return call(reducer, self.shown.nodes(nodes))


def whole(reducer: Padded, mask: Tensor, data: Resolver, mailbox: Mapping[str, Tensor]) -> Outputs:
    """A padded function over mailboxes [r, k, ...] of one length, which need no padding."""
    return call(reducer.function, Nodes(len(mask), data, lambda name: there(mailbox, name, MESSAGE), mask))


class _ShownToPass(Shown):
    """In a frontier pass: of the senders what was set beforehand."""

    native = False

    def __init__(self, batch: Batch, computed: Collection[str]) -> None:
        super().__init__()
        self._batch, self._before = batch, computed

    def edges(self, seen: Any) -> Edges:
        def of_sender(name: str) -> Tensor:
            require_computed_before(name, self._before, self._batch.nodes)
            there(self._batch.nodes, name, NODE)
            return there(seen.src, as_it_was(name), NODE)

        edges = super().edges(seen)
        return Edges(edges.batch_size(), of_sender, edges.dst.__getitem__, edges.data.__getitem__)


def pulled_by(wanted: FrontierPass, graph: Any, batch: Batch, computed: Sequence[str]) -> Pulled:
    """The functions of a frontier pass; `computed` are the fields of the propagation that are there before it."""
    wanted.propagations += 1
    relation, shown = batch.relation(wanted.relation), _ShownToPass(batch, computed)
    return Pulled(graph, relation, wanted.message, wanted.reduce, wanted.relation, shown)


def as_it_was(field: str) -> str:
    """Where a field is kept as it was before a propagation that may be setting it."""
    return f"{field} before"


def _sent(field: str) -> str:
    """The message that carries a field of the senders, whatever messages of a model's own are called."""
    return f"{field} of the sender"
