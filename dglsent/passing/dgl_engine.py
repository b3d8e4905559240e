"""The reference engine: the same functions, run by DGL itself."""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor

from dglsent.passing import torch_engine
from dglsent.passing.batch import Batch, Direction
from dglsent.passing.functions import MessageFunction, NodeFunction, ReduceFunction, is_builtin
from graphs.door import dgl


def _with_fields(batch: Batch, graph: Any) -> Any:
    local = graph.local_var()
    for name, value in batch.nodes.items():
        local.ndata[name] = value
    for name, value in batch.edges.items():
        local.edata[name] = value
    return local


def propagate(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    direction: Direction = "up",
    leaf: NodeFunction | None = None,
    inputs: NodeFunction | None = None,
) -> None:
    """See `dglsent.passing.propagate`."""
    graph = _with_fields(batch, batch.graph if direction == "up" else batch.reversed_graph)
    frontiers = list(dgl.topological_nodes_generator(graph))
    is_leaf = graph.in_degrees() == 0
    leaves, others = is_leaf.nonzero().squeeze(1), (~is_leaf).nonzero().squeeze(1)
    if inputs is not None:
        if leaf is None:
            graph.apply_nodes(inputs)
        elif len(others):
            graph.apply_nodes(inputs, others)
    if leaf is None and apply is None:
        raise KeyError("a propagation without apply needs leaf=, which gives the nodes without in-edges their fields")
    names: list[str] = []
    graph.apply_nodes(_recorded(leaf or apply, names), leaves)
    for frontier in frontiers[1:]:
        graph.pull(frontier, message, reduce, apply)
    for name in names:
        batch.nodes[name] = graph.ndata[name]


def apply_edges(batch: Batch, function: MessageFunction) -> None:
    """See `dglsent.passing.apply_edges`."""
    graph = _with_fields(batch, batch.graph)
    names = [function.out_field] if is_builtin(function) else []
    graph.apply_edges(function if names else _recorded(function, names))
    for name in names:
        batch.edges[name] = graph.edata[name]


def update_all(
    batch: Batch, message: MessageFunction, reduce: ReduceFunction, apply: NodeFunction | None = None
) -> None:
    """See `dglsent.passing.update_all`."""
    if not batch.graph.num_edges():  # DGL's reducers fail where there is nothing to reduce
        torch_engine.update_all(batch, message, reduce, apply)
        return
    graph = _with_fields(batch, batch.graph)
    names: list[str] = []
    graph.update_all(message, reduce if is_builtin(reduce) else _recorded(reduce, names))
    if apply is not None:
        # Apart, since DGL's own apply sees the -inf of a maximum over nothing.
        graph.apply_nodes(_recorded(apply, names))
    elif is_builtin(reduce):
        names = [reduce.out_field]
    for name in names:
        batch.nodes[name] = graph.ndata[name]


def edge_softmax(batch: Batch, score: Tensor, by: Literal["receiver", "sender"] = "receiver") -> Tensor:
    """See `dglsent.passing.edge_softmax`."""
    return dgl.nn.functional.edge_softmax(batch.graph, score, norm_by="dst" if by == "receiver" else "src")


def _recorded(function: Any, names: list[str]) -> NodeFunction:
    """The same function, which writes down the names of the fields that it returns."""

    def run(nodes: Any) -> Any:
        result = function(nodes)
        names[:] = result
        return result

    return run
