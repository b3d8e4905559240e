"""The reference engine: the same functions, run by DGL itself."""

from __future__ import annotations

from typing import Any, Literal

from torch import Tensor

from dglsent.passing.batch import Batch, Direction
from dglsent.passing.functions import MessageFunction, NodeFunction, ReduceFunction
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
    written: list[str] = []

    def recorded(function: NodeFunction) -> NodeFunction:
        def run(nodes: Any) -> Any:
            result = function(nodes)
            written[:] = result
            return result

        return run

    if leaf is None and apply is None:
        raise KeyError("a propagation without apply needs leaf=, which gives the nodes without in-edges their fields")
    graph.apply_nodes(recorded(leaf or apply), leaves)
    if apply is not None:
        apply = recorded(apply)
    for frontier in frontiers[1:]:
        graph.pull(frontier, message, reduce, apply)
    for name in written:
        batch.nodes[name] = graph.ndata[name]


def apply_edges(batch: Batch, function: MessageFunction) -> None:
    """See `dglsent.passing.apply_edges`."""
    graph = _with_fields(batch, batch.graph)
    graph.apply_edges(function)
    _copy_back(batch, graph)


def update_all(
    batch: Batch, message: MessageFunction, reduce: ReduceFunction, apply: NodeFunction | None = None
) -> None:
    """See `dglsent.passing.update_all`."""
    graph = _with_fields(batch, batch.graph)
    graph.update_all(message, reduce, apply)
    _copy_back(batch, graph)


def edge_softmax(batch: Batch, score: Tensor, by: Literal["receiver", "sender"] = "receiver") -> Tensor:
    """See `dglsent.passing.edge_softmax`."""
    return dgl.nn.functional.edge_softmax(batch.graph, score, norm_by="dst" if by == "receiver" else "src")


def _copy_back(batch: Batch, graph: Any) -> None:
    for name, value in graph.ndata.items():
        if name not in batch.nodes or batch.nodes[name] is not value:
            batch.nodes[name] = value
    for name, value in graph.edata.items():
        if name not in batch.edges or batch.edges[name] is not value:
            batch.edges[name] = value
