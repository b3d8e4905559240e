"""DGLGraph to NetworkX and back, without loss; and to the columns that the engine takes."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import Any, Final, TypeAlias

import networkx as nx
import numpy as np
import torch

from graphs.columns import as_array
from graphs.door import dgl
from graphs.errors import InputError, SentenceError, check_kind
from graphs.fields import CHILD, SENTENCE
from graphs.sentence_graph import SentenceGraph
from graphs.topology import levels

DGLGraph: TypeAlias = Any  # dgl.DGLGraph, which carries no types

_NODE: Final = "_N"  # DGL's own name for the type of all nodes


def to_networkx(graph: DGLGraph | SentenceGraph) -> nx.MultiDiGraph:
    """A sentence graph, batched or not, as a NetworkX graph.

    Nodes are 0..N-1; edge i of relation r runs from sender to receiver under the key (r, i); a graph whose only
    relation was given no name has DGL's, `_E`. Fields are node and edge attributes: Python numbers, nested lists where
    a field has more dimensions. Graph attributes keep what NetworkX has no place for: `node_type`, `relations`,
    `idtype`, the dtype and trailing shape of every field (`node_fields`, and `edge_fields` by relation), and of a batch
    `batch_num_nodes` and `batch_num_edges`.

    Args:
        graph: a DGLGraph of N nodes of one type, with any number of relations, or a sentence's columns, of which one is
            made.

    Raises:
        InputError: the graph has several node types, or is something else.
    """
    check_kind(graph, (dgl.DGLGraph, SentenceGraph), "graphs.constituency and the other builders make one of a parse")
    if isinstance(graph, SentenceGraph):
        graph = graph.dgl()
    if len(graph.ntypes) != 1:
        raise InputError(f"graph has node types {', '.join(graph.ntypes)}; give a graph with one")
    result = nx.MultiDiGraph()
    relations = list(graph.etypes)
    result.graph.update(
        node_type=graph.ntypes[0],
        relations=relations,
        idtype=_name(graph.idtype),
        node_fields=_schema(graph.ndata),
        edge_fields={relation: _schema(graph.edges[relation].data) for relation in relations},
    )
    if graph.batch_size != 1:
        result.graph["batch_num_nodes"] = graph.batch_num_nodes().tolist()
        result.graph["batch_num_edges"] = {relation: graph.batch_num_edges(relation).tolist() for relation in relations}
    result.add_nodes_from(enumerate(_records(graph.ndata, graph.num_nodes())))
    for relation in relations:
        senders, receivers = graph.edges(order="eid", etype=relation)
        records = _records(graph.edges[relation].data, graph.num_edges(relation))
        ends = zip(senders.tolist(), receivers.tolist(), records, strict=True)
        result.add_edges_from(
            (sender, receiver, (relation, number), record) for number, (sender, receiver, record) in enumerate(ends)
        )
    return result


def from_networkx(graph: nx.Graph) -> DGLGraph:
    """A NetworkX graph as a DGLGraph on the CPU; the inverse of `to_networkx`.

    Takes graphs made elsewhere, too: nodes get ids in their order, a key (r, i) or a text key r names the
    relation, an undirected edge becomes one edge each way, and fields that no graph attribute describes get the
    dtype that torch gives their values. An edge without such a key, as one that was added, stands behind the others
    of the graph's only relation; it is of `child` where `relations` names none, or several.

    Args:
        graph: a NetworkX graph of N nodes whose attributes are numbers or nested lists of numbers.

    Raises:
        InputError: a field is missing on some nodes or edges, is not numeric or has no text for a name, batch sizes no
            longer add up, a graph attribute is not what `to_networkx` writes, or the graph is none of NetworkX.
    """
    check_kind(graph, nx.Graph, "graphs.to_networkx makes one")
    about = _checked(graph.graph)
    directed = graph if graph.is_directed() else graph.to_directed()
    numbers: dict[Hashable, int] = {node: number for number, node in enumerate(directed.nodes)}
    idtype = _dtype(about.get("idtype", "int64"))
    if idtype not in (torch.int32, torch.int64):
        raise InputError(f"graph attribute idtype is {_name(idtype)!r}; use int32 or int64")
    node_type = about.get("node_type", _NODE)

    edges: dict[str, list[tuple[tuple[bool, int], int, int, dict[str, Any]]]] = {
        relation: [] for relation in about.get("relations", ())
    }
    unnamed = next(iter(edges)) if len(edges) == 1 else CHILD
    multi = directed.is_multigraph()
    for count, edge in enumerate(directed.edges(keys=True, data=True) if multi else directed.edges(data=True)):
        relation, order = _key(edge[2] if multi else None, unnamed, count)
        edges.setdefault(relation, []).append((order, numbers[edge[0]], numbers[edge[1]], edge[-1]))
    for several in edges.values():
        several.sort(key=lambda edge: edge[0])

    ends = {
        (node_type, relation, node_type): (
            torch.tensor([edge[1] for edge in several], dtype=idtype),
            torch.tensor([edge[2] for edge in several], dtype=idtype),
        )
        for relation, several in (edges or {CHILD: []}).items()
    }
    result = dgl.heterograph(ends, num_nodes_dict={node_type: len(numbers)}, idtype=idtype)
    records = [record for _, record in directed.nodes(data=True)]
    result.ndata.update(_fields(records, about.get("node_fields", {}), "node"))
    for relation, several in edges.items():
        schema = about.get("edge_fields", {}).get(relation, {})
        what = f"{relation} edge"
        result.edges[relation].data.update(_fields([edge[3] for edge in several], schema, what))
    if "batch_num_nodes" in about:
        _set_batch(result, about["batch_num_nodes"], about.get("batch_num_edges", {}))
    return result


def from_dgl(graph: DGLGraph) -> SentenceGraph:
    """A DGLGraph made elsewhere, such as by `from_networkx`, as the columns that `dglsent.passing.Batch.of` takes.

    The edges of one receiver are heard in the order in which they stand. Levels are made of the edges; in a graph with
    cycles they are 0, and it is for rounds (`update_all`) alone. Fields are copied, without their gradients.

    Args:
        graph: N nodes of one sentence and E edges of one relation, with the fields that a model reads, such as `word`
            and `position`. Its field `sentence` is left out, for batches give their own.

    Raises:
        InputError: the graph is a batch, has several relations or types of nodes, or is something else.
        SentenceError: a field is not of numbers.
    """
    check_kind(graph, (dgl.DGLGraph,), "graphs.from_networkx and the builders' .dgl() make one")
    if len(graph.canonical_etypes) != 1 or len(graph.ntypes) != 1:
        raise InputError(
            f"graph has the relations {', '.join(graph.etypes)}; give one with a single one, as child, and ids of what "
            "these tell apart as an edge field, such as role"
        )
    if graph.batch_size != 1:
        raise InputError(f"graph is a batch of {graph.batch_size}; give its graphs one by one, as dgl.unbatch has them")
    src, dst = (as_array(end).astype(np.int64) for end in graph.edges(order="eid"))
    try:
        level = levels(graph.num_nodes(), src, dst)
    except SentenceError:
        level = np.zeros(graph.num_nodes(), dtype=np.int64)
    # As arrays, fields would share memory with the graph, whose owner may go on to change them in place.
    nodes = {name: as_array(value).copy() for name, value in graph.ndata.items() if name != SENTENCE}
    edges = {name: as_array(value).copy() for name, value in graph.edata.items()}
    return SentenceGraph(graph.num_nodes(), src, dst, nodes, edges, level)


def _checked(about: Mapping[str, Any]) -> Mapping[str, Any]:
    """Graph attributes, if those that `to_networkx` writes are of the kinds that it writes."""
    for name, (fits, wanted) in _ATTRIBUTES.items():
        if name in about and not fits(about[name]):
            raise InputError(
                f"graph attribute {name} is {about[name]!r}, where {wanted} is wanted; correct it, or delete it"
            )
    return about


def _list_of(kind: type, value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, kind) for each in value)


def _by_name(fits: Callable[[Any], bool], value: Any) -> bool:
    return isinstance(value, dict) and all(map(fits, value.values()))


def _sizes(value: Any) -> bool:
    return _list_of(Integral, value) and all(size >= 0 for size in value)  # of NumPy too


_names = partial(_list_of, str)
_by_field = partial(_by_name, lambda value: isinstance(value, dict))
_ATTRIBUTES: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "node_type": (lambda value: isinstance(value, str), "a name"),
    "relations": (_names, "a list of names"),
    "idtype": (lambda value: isinstance(value, str), "the name of a dtype"),
    "node_fields": (_by_field, "a dict of each field's dtype and shape"),
    "edge_fields": (partial(_by_name, _by_field), "such a dict of each relation"),
    "batch_num_nodes": (_sizes, "a list of numbers from 0"),
    "batch_num_edges": (partial(_by_name, _sizes), "a list of numbers from 0 of each relation"),
}


def _set_batch(graph: DGLGraph, nodes: Sequence[int], edges: dict[str, Sequence[int]]) -> None:
    sizes = [("nodes", sum(nodes), graph.num_nodes())]
    sizes += [
        (f"{relation} edges", sum(edges.get(relation, ())), graph.num_edges(relation)) for relation in graph.etypes
    ]
    remedy = (
        "correct the graph attributes batch_num_nodes and batch_num_edges, or delete batch_num_nodes to make it one "
        "sentence"
    )
    for what, total, there in sizes:
        if total != there:
            raise InputError(f"graph has {there} {what}, its batch sizes add up to {total}; {remedy}")
    none = [0] * len(nodes)
    sentence = np.repeat(np.arange(len(nodes)), np.asarray(nodes, dtype=np.int64))
    for relation in graph.etypes:
        # Edges lead out of sentences only where others hear them, as in pairs; they are counted where they are heard.
        heard = np.bincount(sentence[graph.edges(etype=relation)[1].numpy()], minlength=len(nodes)).tolist()
        said = list(edges.get(relation, none))
        if said != heard:
            raise InputError(f"the sentences hear {heard} {relation} edges, their batch sizes are {said}; {remedy}")
    graph.set_batch_num_nodes(torch.tensor(nodes, dtype=graph.idtype))
    graph.set_batch_num_edges(
        {triple: torch.tensor(edges.get(triple[1], none), dtype=graph.idtype) for triple in graph.canonical_etypes}
    )


def _key(key: Any, unnamed: str, count: int) -> tuple[str, tuple[bool, int]]:
    """Relation and order of an edge, by its NetworkX key; those without a number stand behind those with one."""
    if isinstance(key, tuple) and len(key) == 2 and isinstance(key[0], str) and isinstance(key[1], Integral):
        return key[0], (False, int(key[1]))
    return (key if isinstance(key, str) else unnamed), (True, count)


def _schema(fields: Any) -> dict[str, dict[str, Any]]:
    return {name: {"dtype": _name(value.dtype), "shape": list(value.shape[1:])} for name, value in fields.items()}


def _records(fields: Any, count: int) -> list[dict[str, Any]]:
    """Fields [count, ...] as one dict for each node or edge."""
    records: list[dict[str, Any]] = [{} for _ in range(count)]
    for name, value in fields.items():
        for record, row in zip(records, value.detach().cpu().tolist(), strict=True):
            record[name] = row
    return records


def _fields(records: Sequence[dict[str, Any]], schema: dict[str, dict[str, Any]], what: str) -> dict[str, torch.Tensor]:
    """The inverse of `_records`, of every field that the schema or a record names."""
    names = dict.fromkeys([*schema, *(name for record in records for name in record)])
    for name in names:
        if not isinstance(name, str):  # DGL takes it, and whatever joins names fails later
            raise InputError(f"{what} field {name!r}: is no text; name fields by text, such as {str(name)!r}")
    return {name: _field(name, records, schema.get(name), what) for name in names}


def _field(name: str, records: Sequence[dict[str, Any]], about: dict[str, Any] | None, what: str) -> torch.Tensor:
    missing = sum(name not in record for record in records)
    if missing:
        raise InputError(f"field {name!r} is missing on {missing} of {len(records)} {what}s; set it on all or none")
    rows = [record[name] for record in records]
    if any(isinstance(row, str) for row in rows):
        raise InputError(f"{what} field {name!r} is text; give ids, such as vocabularies.word.ids([...])")
    if any(isinstance(row, torch.Tensor) and row.dim() for row in rows):
        raise InputError(f"{what} field {name!r} is tensors; give numbers or lists of them, as .tolist() makes")
    try:
        if about is None:
            return torch.tensor(rows)
        if unsaid := {"dtype", "shape"} - about.keys():
            raise TypeError(f"the graph attribute of its fields lacks {min(unsaid)}")
        value = torch.tensor(rows, dtype=_dtype(about["dtype"]))
        # Floats hold whatever number was given; NaN is none that equals itself.
        if not value.is_floating_point() and not value.is_complex():
            given = torch.tensor(rows)
            if not torch.equal(value.to(given.dtype), given):
                raise TypeError(f"not all values are {about['dtype']}")
        shape = [len(rows), *about["shape"]]
        # Lists tell no dimensions behind one of size 0.
        if list(value.shape) == shape or value.numel() == math.prod(shape) == 0:
            return value.reshape(shape)
    except (TypeError, ValueError, RuntimeError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{what} field {name!r}: {reason}; give numbers of one shape") from None
    raise InputError(f"{what} field {name!r} has shape {list(value.shape)}, not {shape}; give every {what} that shape")


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def _dtype(name: str) -> torch.dtype:
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise InputError(f"{name!r} is no dtype of torch; correct the graph attribute")
    return dtype
