"""Many sentence graphs -> one batched graph, straight from their columns."""

from __future__ import annotations

from collections.abc import KeysView, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from graphs import door, fields
from graphs.columns import NUMBERS, IntArray
from graphs.complete_graphs import CompleteGraph
from graphs.errors import InputError
from graphs.fields import ATTEND, CHILD
from graphs.ranges import ranges, starts
from graphs.sentence_graph import SentenceGraph, of_torch


@dataclass(eq=False, slots=True)
class MergedGraphs:
    """S sentence graphs as one disjoint union, in the order and numbering of `dgl.batch`.

    Attributes:
        node_counts: [S] nodes of each sentence.
        edge_counts: [S] edges of each sentence.
        src: [E] senders.
        dst: [E] receivers.
        nodes: node fields, each [N, ...]; `sentence` is the index of a node's sentence in the batch.
        edges: edge fields, each [E, ...].
        level: [N] as of `SentenceGraph`.
        pairwise: fields of every two nodes of a sentence, one sentence after the other, each [sum of squared
            `node_counts`]; within a sentence of n nodes, receiver i and sender j stand at i n + j.
        complete: whether they are complete graphs, which have no edges of `child`.
    """

    node_counts: IntArray
    edge_counts: IntArray
    src: IntArray
    dst: IntArray
    nodes: dict[str, npt.NDArray[Any]]
    edges: dict[str, npt.NDArray[Any]]
    level: IntArray
    pairwise: dict[str, IntArray] = field(default_factory=dict)
    complete: bool = False

    def dgl(self) -> Any:
        """The batched DGLGraph with all fields."""
        graph = topology(self)
        for name, column in self.nodes.items():
            graph.ndata[name] = torch.from_numpy(column)
        for name, column in self.edges.items():
            graph.edata[name] = torch.from_numpy(column)
        return graph


def topology(merged: MergedGraphs, relations: Mapping[str, tuple[IntArray, IntArray]] | None = None) -> Any:
    """The batched DGLGraph without fields.

    Args:
        merged: sentences with the edges of relation child.
        relations: senders and receivers of further relations, each within a sentence or a pair; with them the graph
            has one type of nodes and several of edges.
    """
    size = int(merged.node_counts.sum())
    child = (torch.from_numpy(merged.src), torch.from_numpy(merged.dst))
    if not relations:
        graph = door.dgl.graph(child, num_nodes=size)
        graph.set_batch_num_nodes(torch.from_numpy(merged.node_counts))
        graph.set_batch_num_edges(torch.from_numpy(merged.edge_counts))
        return graph
    ends = {CHILD: child, **{name: tuple(map(torch.from_numpy, pair)) for name, pair in relations.items()}}
    graph = door.dgl.heterograph({("node", name, "node"): pair for name, pair in ends.items()}, {"node": size})
    graph.set_batch_num_nodes({"node": torch.from_numpy(merged.node_counts)})
    sentence, sentences = merged.nodes[fields.SENTENCE], len(merged.node_counts)
    graph.set_batch_num_edges(
        {
            ("node", name, "node"): torch.from_numpy(np.bincount(sentence[dst.numpy()], minlength=sentences))
            for name, (_, dst) in ends.items()
        }
    )
    return graph


def pair_fields(merged: MergedGraphs) -> dict[str, IntArray]:
    """The node fields `side` and `pair` [N] of sentences that are pairs a0 b0 a1 b1 ...

    Raises:
        InputError: the number of sentences is odd.
    """
    if len(merged.node_counts) % 2:
        raise InputError(f"{len(merged.node_counts)} sentences are no pairs; give them as a0 b0 a1 b1 ...")
    sentence = merged.nodes[fields.SENTENCE]
    return {fields.SIDE: sentence % 2, fields.PAIR: sentence // 2}


def hearing(node_counts: IntArray, heard: IntArray, receiver: IntArray) -> tuple[IntArray, IntArray]:
    """The edges into some nodes, each of which hears every node of one sentence.

    Args:
        node_counts: [S] nodes of each sentence.
        heard: [S] sentence from which the nodes of each hear.
        receiver: [r] nodes.

    Returns:
        Senders and receivers, receiver by receiver.
    """
    first = starts(node_counts)
    sentence = heard[np.searchsorted(first, receiver, side="right") - 1]
    degree = node_counts[sentence]
    return ranges(first[sentence], degree), np.repeat(receiver, degree)


def partners(sentences: int) -> IntArray:
    """[S] the other sentence of each one's pair, of S sentences a0 b0 a1 b1 ..."""
    return np.arange(sentences) ^ 1


def batch_pairs(pairs: Sequence[tuple[SentenceGraph, SentenceGraph]]) -> Any:
    """P >= 1 pairs of sentence graphs as one batched DGLGraph of 2 P sentences.

    One type of nodes, and the relations `child` (child -> parent) and `attend` (every node of a sentence to every node
    of the other of its pair). Node fields besides those of the sentences: `sentence`, `side` and `pair`.

    Raises:
        InputError: something else than a list of pairs, or graphs that `batch` refuses.
    """
    if not isinstance(pairs, Sequence):
        raise InputError(f"a list of pairs is wanted, and a value of type {type(pairs).__name__} was given")
    strange = [type(pair).__name__ for pair in pairs if not isinstance(pair, Sequence) or len(pair) != 2]
    if strange:
        raise InputError(f"pairs of sentence graphs are wanted, and a {strange[0]} was given")
    merged = merge(_listed([sentence for pair in pairs for sentence in pair]))
    everyone = np.arange(int(merged.node_counts.sum()))
    graph = topology(merged, {ATTEND: hearing(merged.node_counts, partners(len(merged.node_counts)), everyone)})
    for name, column in {**merged.nodes, **pair_fields(merged)}.items():
        graph.ndata[name] = torch.from_numpy(column)
    for name, column in merged.edges.items():
        graph.edges[CHILD].data[name] = torch.from_numpy(column)
    return graph


def merge(graphs: Sequence[SentenceGraph] | MergedGraphs) -> MergedGraphs:
    """Concatenate the columns of S sentence graphs; those that are merged already stay as they are.

    Raises:
        InputError: there are none, they do not all carry the same fields, of one type and width and as long as their
            graphs, one is complete without self-loops, or an end of an edge is none of its graph's nodes.
    """
    if isinstance(graphs, MergedGraphs):
        return graphs
    if not isinstance(graphs, Sequence):
        raise InputError(f"a list of sentence graphs is wanted, and a value of type {type(graphs).__name__} was given")
    if not graphs:
        raise InputError("a batch needs at least one sentence graph")
    others = [type(graph).__name__ for graph in graphs if not isinstance(graph, SentenceGraph)]
    if others:
        of_pairs = "those of pairs stand one after the other: a0, b0, a1, b1, ..."
        hint = "graphs.from_dgl makes one of a DGLGraph" if others[0] == "DGLGraph" else of_pairs
        raise InputError(
            f"sentence graphs, such as graphs.dependency makes, are wanted, and a {others[0]} was given; {hint}"
        )
    wanted = _names(graphs[0])
    for number, graph in enumerate(graphs):
        if _names(graph) != wanted:
            raise InputError(
                f"graph {number} of the batch has the fields {', '.join(chain(*_names(graph)))}, graph 0 has "
                f"{', '.join(chain(*wanted))}; {_remedy(graphs[0], graph)}"
            )
        if isinstance(graph, CompleteGraph) and not graph.self_loop:
            raise InputError(
                f"graph {number} of the batch is complete without self-loops, and the relation complete has them; "
                "give graph.listed(), whose edges of child have none, or make it with self_loop=True"
            )
    node_counts = np.fromiter((graph.size for graph in graphs), dtype=np.int64, count=len(graphs))
    edge_counts = np.fromiter((len(graph.src) for graph in graphs), dtype=np.int64, count=len(graphs))
    src, dst = (_joined([getattr(graph, end) for graph in graphs]) for end in ("src", "dst"))
    _require_inside(src, dst, node_counts, edge_counts)
    offset = np.repeat(starts(node_counts), edge_counts)
    first = graphs[0]
    nodes = {name: _column(graphs, "nodes", name, node_counts) for name in first.nodes}
    nodes[fields.SENTENCE] = np.repeat(np.arange(len(graphs)), node_counts)
    return MergedGraphs(
        node_counts=node_counts,
        edge_counts=edge_counts,
        src=src + offset,
        dst=dst + offset,
        nodes=nodes,
        edges={name: _column(graphs, "edges", name, edge_counts) for name in first.edges},
        level=_joined([graph.level for graph in graphs]),
        pairwise={name: _column(graphs, "pairwise", name, node_counts**2) for name in first.pairwise},
        complete=isinstance(first, CompleteGraph),
    )


def _require_inside(src: IntArray, dst: IntArray, node_counts: IntArray, edge_counts: IntArray) -> None:
    """Refuse edges src [E] -> dst [E] that lead out of their graph, which would end at nodes of another one."""
    size = np.repeat(node_counts, edge_counts)
    outside = (np.minimum(src, dst) < 0) | (np.maximum(src, dst) >= size)
    if outside.any():
        edge = int(outside.argmax())
        number = int(np.searchsorted(np.cumsum(edge_counts), edge, side="right"))
        raise InputError(
            f"graph {number} of the batch has an edge {src[edge]} -> {dst[edge]}, and its nodes are 0 to "
            f"{size[edge] - 1}; number the nodes of each graph from 0"
        )


def _joined(columns: Sequence[IntArray]) -> IntArray:
    """Columns one after the other, as int64: of unsigned numbers the negative ones would be large."""
    return np.concatenate(columns).astype(np.int64, copy=False)


def _column(graphs: Sequence[SentenceGraph], of: str, name: str, rows: IntArray) -> np.ndarray[Any, Any]:
    """A field of all S graphs one after the other, which has rows [S] entries in each.

    Raises:
        InputError: it is not of one type and width, or was set to something else on one of the graphs.
    """
    columns = [getattr(graph, of)[name] for graph in graphs]
    with suppress(ValueError, TypeError):  # of several widths, or types that no array has in common
        joined = np.concatenate(columns)
        arrays = all(isinstance(column, np.ndarray) for column in columns)
        numbers = arrays and joined.dtype.kind in NUMBERS and joined.dtype == columns[0].dtype
        if numbers and of_torch(joined.dtype) and [*map(len, columns)] == rows.tolist():
            return joined
    for number, graph in enumerate(graphs):
        fault = graph.fault()
        if fault:
            raise InputError(f"graph {number} of the batch: {fault}")
    form = [f"{column.dtype} {list(column.shape[1:]) or ''}".rstrip() for column in columns]
    other = next(number for number, each in enumerate(form) if each != form[0])
    raise InputError(
        f"field {name!r} is {form[other]} in graph {other} of the batch and {form[0]} in graph 0; give all graphs "
        "fields of one type and width"
    )


def _remedy(one: SentenceGraph, other: SentenceGraph) -> str:
    """What to do where two graphs have other fields, perhaps of edges alone, where one has no edges."""
    lacking, full = (one, other) if len(other.src) else (other, one)
    further = [name for name in full.edges if name not in lacking.edges]
    if len(lacking.src) or not further or lacking.nodes.keys() != full.nodes.keys():
        return "batch graphs of one kind"
    return (
        f"a graph without edges has {', '.join(map(repr, further))} too, with no entries: "
        f"graph.edges[{further[0]!r}] = np.zeros(0, dtype=np.{full.edges[further[0]].dtype})"
    )


def _names(graph: SentenceGraph) -> tuple[KeysView[str], ...]:
    return graph.nodes.keys(), graph.edges.keys(), graph.pairwise.keys()


def batch(graphs: Sequence[SentenceGraph]) -> Any:
    """S >= 1 sentence graphs as one batched DGLGraph with all their edges, their fields and `sentence`.

    Raises:
        InputError: something else than a list of sentence graphs, an empty one, graphs that do not all carry the same
            fields, of one type and width and as long as their graphs, or an edge that ends at none of its graph's
            nodes.
    """
    return merge(_listed(graphs)).dgl()


def _listed(graphs: Sequence[SentenceGraph]) -> Sequence[SentenceGraph]:
    """The same with all their edges; what is no graph is left to `merge` to refuse."""
    if not isinstance(graphs, Sequence):
        return graphs
    return [graph.listed() if isinstance(graph, SentenceGraph) else graph for graph in graphs]
