"""The reference engine: the same functions, run by DGL itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal

import torch
from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.calls import call, message_for, name_of
from dglsent.passing.engines.dgl_pull import Pulled, as_it_was, pulled_by, whole
from dglsent.passing.engines.dgl_views import Shown
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
)
from dglsent.passing.missing import MESSAGE, NODE, NOT_YET, OF_SENDERS, WITHOUT_LEAF, there
from dglsent.passing.relation import Direction, Relation
from dglsent.passing.same_fields import require_alike, require_one_type, require_same
from dglsent.passing.views import Edges, Nodes, require_rows
from graphs import door
from graphs.fields import CHILD

_OF_STEP, _OF_ROUND = "nodes of the step", "messages of the round"
_PLAIN = Shown()  # in rounds, of which no field is still to be computed


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
    frontiers = list(door.dgl.topological_nodes_generator(turned))
    is_leaf = turned.in_degrees() == 0
    leaves, others = is_leaf.nonzero().squeeze(1), (~is_leaf).nonzero().squeeze(1)
    names: dict[str, Tensor] = {}
    projected: dict[str, Tensor] = {}
    shown = Shown(names, batch.nodes, OF_SENDERS if leaf else "", NOT_YET)
    step = Pulled(graph, along, message, reduce, relation if passes else None, shown)
    ahead = graph.local_var()  # a function of leaves is not to see zeros in the place of fields that inputs make
    if inputs is not None and leaf is None:
        graph.apply_nodes(_recorded(inputs, {}, "nodes"))
    elif inputs is not None and len(others):
        ahead.apply_nodes(_recorded(inputs, projected, "nodes with in-edges"), others)
    show_leaves = Shown(of_others="" if leaf else WITHOUT_LEAF).nodes
    first_made = _replacing(graph, _recorded(leaf or apply, names, "nodes without in-edges", show_leaves))
    graph.apply_nodes(first_made, leaves)
    at_leaves = dict(names)
    step.alike = {} if apply else at_leaves
    if len(others):
        step.try_builtins()
    wanted = passes if STATE in names else ()
    before: list[list[str]] = [list(names) for _ in wanted]  # what is computed before each pass
    further = [(each, pulled_by(each, graph, batch, known)) for each, known in zip(wanted, before, strict=True)]
    for name, value in batch.nodes.items() if further else ():
        graph.ndata[as_it_was(name)] = value
    first: Collection[str] | None = None  # the fields that leaves have after the passes
    for frontier in [leaves, *frontiers[1:]]:
        here = [*at_leaves]
        if frontier is not leaves:
            computed: dict[str, Tensor] = {}
            step.pull(frontier, apply and _recorded(apply, computed, _OF_STEP, step.show_reduced, at_leaves))
            here = [*(computed if apply else step.names)]
        for number, (each, pulled) in enumerate(further):
            own: dict[str, Tensor] = {}
            with graph.local_scope():  # what inputs make is for this pass alone
                if each.inputs is not None:
                    graph.apply_nodes(_recorded(of_new_names(each.inputs, batch.nodes), {}, _OF_STEP), frontier)
                mixed = _recorded(each.apply or _nothing_more(pulled), own, _OF_STEP)
                pulled.pull(frontier, _replacing(graph, mixed) if frontier is leaves else mixed)
                made = {name: graph.ndata[name] for name in own}
            graph.ndata.update(made)
            for known in before[number + 1 :]:
                known.extend(own)
            names.update(own)
            here.extend(own)
        first = here if first is None else first
        require_same(first, here)
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
    names: dict[str, Tensor] = {}
    if is_builtin(function):
        names = dict(_PLAIN.try_builtin(function, graph))
    computed = message_function(function)
    graph.apply_edges(function if names else _recorded(computed, names, "edges of the relation", _PLAIN.edges))
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
    names: Collection[str]
    if along.graph.num_edges():
        reduced = Pulled(graph, along, message, reduce, None, _PLAIN, _OF_ROUND)
        reduced.try_builtins()
        graph.update_all(reduced.message, reduced.reduce)
        names = reduced.names
        reduced.keep()
    else:  # DGL's reducers fail where there is nothing to reduce
        names = outputs = _without_edges(batch, along, message, reduce)
        graph.ndata.update(outputs)
    if apply is not None:
        # Apart, since DGL's own apply sees the -inf of a maximum over nothing.
        applied: dict[str, Tensor] = {}
        graph.apply_nodes(_recorded(apply, applied, "nodes of the batch"))
        names = applied
    for name in names:
        batch.nodes[name] = graph.ndata[name]


def edge_softmax(
    batch: Batch, score: Tensor, norm_by: Literal["dst", "src"] = "dst", *, relation: str = CHILD
) -> Tensor:
    """See `dglsent.passing.edge_softmax`."""
    graph = batch.relation(relation).graph
    return door.dgl.nn.functional.edge_softmax(graph, score, norm_by=norm_by)


def _without_edges(batch: Batch, relation: Relation, message: MessageFunction, reduce: ReduceFunction) -> Outputs:
    """What a round over no edges leaves at N nodes: zeros [N, ...], as reduce would make of messages of that shape."""

    def nothing(name: str) -> Tensor:
        return there(batch.nodes, name, NODE)[:0]

    messages = call(message_function(message), Edges(0, nothing, nothing, relation.edges.__getitem__))
    require_rows(messages, 0, _OF_ROUND)
    outputs: dict[str, Tensor] = {}
    for each in reducers(reduce):
        if isinstance(each, SoftmaxSum):
            outputs[each.out] = nothing(each.value)
            relation.edges[each.weight] = there(messages, each.score, MESSAGE, by="softmax_sum")
        elif is_builtin(each):
            message = message_for(each, messages)
            total = message.sum(0)  # of whole numbers and truth values in 64 bits, and their mean has fractions
            dtypes = {"sum": total.dtype, "mean": total.div(1).dtype}
            outputs[each.out_field] = message.to(dtypes.get(each.name, message.dtype))
        elif isinstance(each, Padded):
            mask = torch.ones(0, 1, dtype=torch.bool)
            outputs.update(whole(each, mask, nothing, {name: value.unsqueeze(1) for name, value in messages.items()}))
        else:
            outputs.update(call(each, Nodes(0, nothing, lambda name: there(messages, name, MESSAGE).unsqueeze(1))))
    require_rows(outputs, 0, "nodes with in-edges")
    # With its type, which a sum of whole numbers or truth values would not keep.
    zeros = {name: value.sum(0, dtype=value.dtype) for name, value in outputs.items()}
    return {name: value.expand(batch.num_nodes, *value.shape) for name, value in zeros.items()}


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


def _nothing_more(pulled: Pulled) -> NodeFunction:
    """The apply function that leaves fields as the reducers of a pass made them."""
    names = [each.out if isinstance(each, SoftmaxSum) else each.out_field for each in reducers(pulled.wanted)]
    return lambda nodes: {name: nodes.data[name] for name in names}


def _recorded(
    function: Any,
    made: dict[str, Tensor],
    of: str,
    show: Callable[[Any], Any] = _PLAIN.nodes,
    alike: Outputs | None = None,
) -> Any:
    """The same function for DGL, which keeps the fields that it returns; `show` is how it sees DGL's nodes or edges.

    Those fields are to have a row for each `of` these, and those of `alike` the same dimensions and type.
    """

    def run(seen: Any) -> Outputs:
        result = call(function, show(seen))
        require_rows(result, seen.batch_size(), of)
        require_alike(alike or {}, result, name_of(function))
        require_one_type(alike or {}, result)
        made.update(result)
        return result

    return run


def _replacing(graph: Any, function: Any) -> Any:
    """The same function, for the first nodes that get its fields: what another call left under their names goes.

    DGL puts rows into a field that is there, and refuses those of other dimensions or another type.
    """

    def run(nodes: Any) -> Outputs:
        made = function(nodes)
        for name in made:
            graph.ndata.pop(name, None)
        return made

    return run
