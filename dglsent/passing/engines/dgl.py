"""The reference engine: the same functions, run by DGL itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.calls import MissingField, call, listed, sent
from dglsent.passing.functions import (
    STATE,
    FrontierPass,
    MessageFunction,
    NodeFunction,
    Outputs,
    Padded,
    ReduceFunction,
    SoftmaxSum,
    is_builtin,
    message_function,
    of_new_names,
    reducers,
    require_computed_before,
    require_same,
    softmaxes,
)
from dglsent.passing.relation import Direction, Relation
from dglsent.passing.views import Edges, Nodes, Resolver
from graphs import door
from graphs.fields import CHILD


def propagate(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
    direction: Direction = "up",
    leaf: NodeFunction | None = None,
    inputs: NodeFunction | None = None,
    passes: Sequence[FrontierPass] = (),
) -> None:
    """See `dglsent.passing.propagate`."""
    along = batch.relation(relation)
    turned = along.graph if direction == "up" else along.reversed_graph
    graph = _with_fields(batch, turned, tuple({each.relation for each in passes}), relation)
    step = _Pulled(graph, along, message, reduce, relation if passes else None)
    frontiers = list(door.dgl.topological_nodes_generator(turned))
    is_leaf = turned.in_degrees() == 0
    leaves, others = is_leaf.nonzero().squeeze(1), (~is_leaf).nonzero().squeeze(1)
    names: list[str] = []
    projected: list[str] = []
    ahead = graph.local_var()  # a function of leaves is not to see zeros in the place of fields that inputs make
    if inputs is not None and leaf is None:
        graph.apply_nodes(inputs)
    elif inputs is not None and len(others):
        ahead.apply_nodes(_recorded(inputs, projected), others)
    graph.apply_nodes(_recorded(leaf or apply, names), leaves)
    at_leaves = tuple(names)
    wanted = passes if STATE in names else ()
    before: list[list[str]] = [list(names) for _ in wanted]  # what is computed before each pass
    further = [(each, _pulled_by(each, graph, batch, known)) for each, known in zip(wanted, before, strict=True)]
    for name, value in batch.nodes.items() if further else ():
        graph.ndata[_as_it_was(name)] = value
    for frontier in [leaves, *frontiers[1:]]:
        if frontier is not leaves:
            computed: list[str] = []
            step.pull(frontier, apply and _recorded(apply, computed))
            if computed:
                require_same(at_leaves, computed)
        for number, (each, pulled) in enumerate(further):
            own: list[str] = []
            with graph.local_scope():  # what inputs make is for this pass alone
                if each.inputs is not None:
                    graph.apply_nodes(of_new_names(each.inputs, batch.nodes), frontier)
                pulled.pull(frontier, _recorded(each.apply or _nothing_more(pulled), own))
                made = {name: graph.ndata[name] for name in own}
            graph.ndata.update(made)
            for known in before[number + 1 :]:
                known.extend(own)
            names.extend(name for name in own if name not in names)
        if frontier is leaves:
            graph.ndata.update({name: ahead.ndata[name] for name in projected})
    for name in names:
        batch.nodes[name] = graph.ndata[name]
    step.keep()
    for _, pulled in further:
        pulled.keep(f"_{direction}")


def apply_edges(batch: Batch, function: MessageFunction, *, relation: str = CHILD) -> None:
    """See `dglsent.passing.apply_edges`."""
    along = batch.relation(relation)
    graph = _with_fields(batch, along.graph, (), relation)
    names = [function.out_field] if is_builtin(function) else []
    graph.apply_edges(function if names else _recorded(function, names))
    for name in names:
        along.edges[name] = graph.edata[name]


def update_all(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
) -> None:
    """See `dglsent.passing.update_all`."""
    along = batch.relation(relation)
    graph = _with_fields(batch, along.graph, (), relation)
    names: list[str] = []
    if along.graph.num_edges():
        reduced = _Pulled(graph, along, message, reduce, None)
        graph.update_all(reduced.message, reduced.reduce if is_builtin(reduce) else _recorded(reduced.reduce, names))
        reduced.keep()
    else:  # DGL's reducers fail where there is nothing to reduce
        for name, value in _without_edges(batch, along, message, reduce).items():
            graph.ndata[name] = value
            names.append(name)
    if apply is not None:
        # Apart, since DGL's own apply sees the -inf of a maximum over nothing.
        names = []
        graph.apply_nodes(_recorded(apply, names))
    elif is_builtin(reduce):
        names = [reduce.out_field]
    for name in names:
        batch.nodes[name] = graph.ndata[name]


def edge_softmax(
    batch: Batch, score: Tensor, norm_by: Literal["dst", "src"] = "dst", *, relation: str = CHILD
) -> Tensor:
    """See `dglsent.passing.edge_softmax`."""
    graph = batch.relation(relation).graph
    return door.dgl.nn.functional.edge_softmax(graph, score, norm_by=norm_by)


class _Pulled:
    """Message and reduce function of one relation, with our own reducers as functions of mailboxes."""

    def __init__(
        self, graph: Any, relation: Relation, message: MessageFunction, reduce: ReduceFunction, name: str | None
    ) -> None:
        self.graph, self.relation, self.name, self.wanted = graph, relation, name, reduce
        self.softmaxes = softmaxes(reduce)
        self.kept: list[tuple[str, Tensor, Tensor]] = []
        self.message: Any = message if is_builtin(message) else _told(message)
        self.reduce: Any = reduce if is_builtin(reduce) else _told(reduce)
        if self.softmaxes or isinstance(reduce, tuple | list | Padded):
            self.message = self._with_values(message)
            self.reduce = lambda nodes: {
                name: value for each in reducers(reduce) for name, value in self._reduced(each, nodes).items()
            }

    def pull(self, frontier: Tensor, apply: Any) -> None:
        self.graph.pull(frontier, self.message, self.reduce, apply, etype=self.name)

    def keep(self, suffix: str = "") -> None:
        """Set the weights of all edges, under their names and a suffix."""
        for reducer in self.softmaxes:
            parts = [(edge, weight) for name, edge, weight in self.kept if name == reducer.weight]
            if not parts:
                self.relation.edges[reducer.weight + suffix] = torch.zeros(0, device=self.relation.device)
            else:
                edges, weights = torch.cat([edge for edge, _ in parts]), torch.cat([weight for _, weight in parts])
                self.relation.edges[reducer.weight + suffix] = weights[edges.argsort()]

    def _with_values(self, message: MessageFunction) -> Any:
        compute = _told(message_function(message))
        values = {each.value for each in self.softmaxes}
        return lambda edges: {**compute(edges), **{_sent(name): edges.src[name] for name in values}}

    def _reduced(self, reducer: Any, nodes: Any) -> Any:
        if isinstance(reducer, SoftmaxSum):
            edges = self.graph.in_edges(nodes.nodes(), form="eid", etype=self.name)
            score, value = sent(nodes.mailbox, reducer.score, "softmax_sum"), nodes.mailbox[_sent(reducer.value)]
            reducer.check(score.dim() - 2, value.dim() - 2)
            weight = score.softmax(1)
            self.kept.append((reducer.weight, edges, weight.flatten(0, 1)))
            return {reducer.out: (weight.unsqueeze(-1) * value).sum(1)}
        if is_builtin(reducer):
            reduced = getattr(sent(nodes.mailbox, reducer.msg_field, f"fn.{reducer.name}"), reducer.name)(1)
            # A maximum or minimum comes with its places.
            return {reducer.out_field: reduced if isinstance(reduced, Tensor) else reduced.values}
        if isinstance(reducer, Padded):
            return _whole(reducer, nodes.batch_size(), partial(_there, nodes.data), nodes.mailbox)
        return call(reducer, nodes)


def _whole(reducer: Padded, size: int, data: Resolver, mailbox: Mapping[str, Tensor]) -> Outputs:
    """A padded function over mailboxes [r, k, ...] of one length, which need no padding."""
    first = next(iter(mailbox.values()))
    mask = torch.ones(first.shape[:2], dtype=torch.bool, device=first.device)
    return call(reducer.function, Nodes(size, data, partial(sent, mailbox), mask))


def _pulled_by(wanted: FrontierPass, graph: Any, batch: Batch, computed: Sequence[str]) -> _Pulled:
    wanted.propagations += 1
    pulled = _Pulled(graph, batch.relation(wanted.relation), wanted.message, wanted.reduce, wanted.relation)
    send = message_function(pulled.message)

    def message(edges: Any) -> Outputs:
        def of_sender(name: str) -> Tensor:
            require_computed_before(name, computed)
            if name not in batch.nodes:
                raise MissingField(f"a frontier pass reads {name!r} of its senders, which nothing has set on the batch")
            return edges.src[_as_it_was(name)]

        return send(Edges(edges.batch_size(), of_sender, partial(_there, edges.dst), partial(_there, edges.data)))

    pulled.message = message
    return pulled


def _as_it_was(field: str) -> str:
    """Where a field is kept as it was before a propagation that may be setting it."""
    return f"{field} before"


def _sent(field: str) -> str:
    """The message that carries a field of the senders, whatever messages of a model's own are called."""
    return f"{field} of the sender"


def _without_edges(batch: Batch, relation: Relation, message: MessageFunction, reduce: ReduceFunction) -> Outputs:
    """What a round over no edges leaves at N nodes: zeros [N, ...], as reduce would make of messages of that shape."""
    nothing: Resolver = lambda name: _there(batch.nodes, name)[:0]  # noqa: E731
    messages = call(message_function(message), Edges(0, nothing, nothing, partial(_there, relation.edges)))
    outputs: dict[str, Tensor] = {}
    for each in reducers(reduce):
        if isinstance(each, SoftmaxSum):
            outputs[each.out] = nothing(each.value)
            relation.edges[each.weight] = sent(messages, each.score, "softmax_sum")
        elif is_builtin(each):
            outputs[each.out_field] = sent(messages, each.msg_field, f"fn.{each.name}")
        elif isinstance(each, Padded):
            outputs.update(_whole(each, 0, nothing, {name: value.unsqueeze(1) for name, value in messages.items()}))
        else:
            outputs.update(call(each, Nodes(0, nothing, lambda name: sent(messages, name).unsqueeze(1))))
    return {name: value.sum(0).expand(batch.num_nodes, *value.shape[1:]) for name, value in outputs.items()}


def _with_fields(batch: Batch, graph: Any, further: Any, relation: str) -> Any:
    """A graph of one relation, and of further ones where there are any, with the fields of the batch."""
    if further:
        key = (graph, *further)
        if key not in batch.dgl_graphs:
            ends = {relation: graph.edges(), **{name: batch.relation(name).graph.edges() for name in further}}
            kinds = {("node", name, "node"): pair for name, pair in ends.items()}
            batch.dgl_graphs[key] = door.dgl.heterograph(kinds, {"node": batch.num_nodes})
        graph = batch.dgl_graphs[key]
    local = graph.local_var()
    for name, value in batch.nodes.items():
        local.ndata[name] = value
    for each in (relation, *further):
        data = local.edges[each].data if further else local.edata
        for name, value in batch.relation(each).edges.items():
            data[name] = value
    return local


def _nothing_more(pulled: _Pulled) -> NodeFunction:
    """The apply function that leaves fields as the reducers of a pass made them."""
    names = [each.out if isinstance(each, SoftmaxSum) else each.out_field for each in reducers(pulled.wanted)]
    return lambda nodes: {name: nodes.data[name] for name in names}


def _recorded(function: Any, names: list[str]) -> NodeFunction:
    """The same function, which adds the names of the fields that it returns."""

    def run(nodes: Any) -> Any:
        result = call(function, nodes)
        names.extend(name for name in result if name not in names)
        return result

    return run


def _told(function: Any) -> Any:
    """The same function, whose mistakes are told as the torch engine tells them."""
    return lambda seen: call(function, seen)


def _there(fields: Mapping[str, Tensor], name: str) -> Tensor:
    """A field that is there, or an error that lists those that are."""
    if name not in fields:
        raise MissingField(f"field {name!r} is not there (there are: {listed(fields)})")
    return fields[name]
