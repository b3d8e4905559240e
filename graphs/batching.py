"""Many sentence graphs -> one batched graph, straight from their columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from graphs import fields
from graphs.builders import SentenceGraph
from graphs.columns import IntArray
from graphs.door import dgl
from graphs.errors import InputError


@dataclass(eq=False, slots=True)
class MergedGraphs:
    """B sentence graphs as one disjoint union, in the order and numbering of `dgl.batch`.

    Attributes:
        node_counts: [B] nodes of each sentence.
        edge_counts: [B] edges of each sentence.
        src: [E] senders.
        dst: [E] receivers.
        nodes: node fields, each [N, ...]; `sentence` is the index of a node's sentence in the batch.
        edges: edge fields, each [E, ...].
        level: [N] steps from each node to its root.
    """

    node_counts: IntArray
    edge_counts: IntArray
    src: IntArray
    dst: IntArray
    nodes: dict[str, IntArray]
    edges: dict[str, IntArray]
    level: IntArray

    def dgl(self) -> Any:
        """The batched DGLGraph with all fields."""
        graph = topology(self)
        for name, column in self.nodes.items():
            graph.ndata[name] = torch.from_numpy(column)
        for name, column in self.edges.items():
            graph.edata[name] = torch.from_numpy(column)
        return graph


def topology(merged: MergedGraphs) -> Any:
    """The batched DGLGraph without fields."""
    graph = dgl.graph(
        (torch.from_numpy(merged.src), torch.from_numpy(merged.dst)), num_nodes=int(merged.node_counts.sum())
    )
    graph.set_batch_num_nodes(torch.from_numpy(merged.node_counts))
    graph.set_batch_num_edges(torch.from_numpy(merged.edge_counts))
    return graph


def merge(graphs: Sequence[SentenceGraph]) -> MergedGraphs:
    """Concatenate the columns of B sentence graphs.

    Raises:
        InputError: there are none, or they do not all carry the same fields.
    """
    if not graphs:
        raise InputError("a batch needs at least one sentence graph")
    for number, graph in enumerate(graphs):
        if graph.nodes.keys() != graphs[0].nodes.keys() or graph.edges.keys() != graphs[0].edges.keys():
            raise InputError(
                f"graph {number} of the batch has the fields {', '.join([*graph.nodes, *graph.edges])}, graph 0 has "
                f"{', '.join([*graphs[0].nodes, *graphs[0].edges])}; batch graphs of one kind"
            )
    node_counts = np.fromiter((graph.size for graph in graphs), dtype=np.int64, count=len(graphs))
    edge_counts = np.fromiter((len(graph.src) for graph in graphs), dtype=np.int64, count=len(graphs))
    offset = np.repeat(np.cumsum(node_counts) - node_counts, edge_counts)
    first = graphs[0]
    nodes = {name: np.concatenate([graph.nodes[name] for graph in graphs]) for name in first.nodes}
    nodes[fields.SENTENCE] = np.repeat(np.arange(len(graphs)), node_counts)
    return MergedGraphs(
        node_counts=node_counts,
        edge_counts=edge_counts,
        src=np.concatenate([graph.src for graph in graphs]) + offset,
        dst=np.concatenate([graph.dst for graph in graphs]) + offset,
        nodes=nodes,
        edges={name: np.concatenate([graph.edges[name] for graph in graphs]) for name in first.edges},
        level=np.concatenate([graph.level for graph in graphs]),
    )


def batch(graphs: Sequence[SentenceGraph]) -> Any:
    """B >= 1 sentence graphs as one batched DGLGraph with their fields and `sentence`."""
    return merge(graphs).dgl()
