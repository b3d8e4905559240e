from __future__ import annotations

import json
import re

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.door import dgl
from graphs.errors import InputError
from graphs.networkx_bridge import from_dgl, from_networkx, to_networkx
from graphs.sentence_graph import SentenceGraph

DTYPES = [torch.int64, torch.int32, torch.uint8, torch.bool]
DTYPES += [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def same(one, other):
    assert one.ntypes == other.ntypes
    assert one.canonical_etypes == other.canonical_etypes
    assert one.idtype == other.idtype
    assert one.num_nodes() == other.num_nodes()
    assert one.batch_size == other.batch_size
    assert torch.equal(one.batch_num_nodes(), other.batch_num_nodes())
    same_fields(one.ndata, other.ndata)
    for relation in one.etypes:
        for ends, others in zip(
            one.edges(order="eid", etype=relation), other.edges(order="eid", etype=relation), strict=True
        ):
            assert ends.dtype == others.dtype
            assert torch.equal(ends, others)
        assert torch.equal(one.batch_num_edges(relation), other.batch_num_edges(relation))
        same_fields(one.edges[relation].data, other.edges[relation].data)


def same_fields(one, other):
    assert list(one) == list(other)
    for name in one:
        assert one[name].dtype == other[name].dtype
        assert one[name].shape == other[name].shape
        assert torch.equal(one[name], other[name])


@st.composite
def fields(draw, count):
    made = {}
    for name in draw(st.lists(st.sampled_from(["word", "span", "relation", "key", "h"]), unique=True)):
        shape = (count, *draw(st.sampled_from([(), (), (1,), (2,), (2, 3), (0,), (2, 0)])))
        dtype = draw(st.sampled_from(DTYPES))
        generator = torch.Generator().manual_seed(draw(st.integers(0, 99)))
        values = torch.randn(shape, generator=generator, dtype=torch.float64) * 100
        made[name] = (values.abs() if dtype == torch.uint8 else values).to(dtype)
    return made


@st.composite
def sentence_graphs(draw, relations=("child", "attend"), idtype=torch.int64):
    count = draw(st.integers(0, 6))
    node = st.integers(0, count - 1)
    pairs = st.lists(st.tuples(node, node), max_size=9) if count else st.just([])
    ends = {}
    for relation in relations:
        edges = draw(pairs)
        ends[("node", relation, "node")] = (
            torch.tensor([edge[0] for edge in edges], dtype=idtype),
            torch.tensor([edge[1] for edge in edges], dtype=idtype),
        )
    return dgl.heterograph(ends, num_nodes_dict={"node": count}, idtype=idtype)


@settings(derandomize=True, deadline=None)
@given(st.data())
def test_round_trip(data):
    relations = data.draw(st.sampled_from([("child",), ("child", "attend"), ("b", "a", "c")]))
    idtype = data.draw(st.sampled_from([torch.int64, torch.int32]))
    several = data.draw(st.lists(sentence_graphs(relations, idtype), min_size=1, max_size=3))
    graph = several[0] if len(several) == 1 else dgl.batch(several)
    graph.ndata.update(data.draw(fields(graph.num_nodes())))
    for relation in relations:
        graph.edges[relation].data.update(data.draw(fields(graph.num_edges(relation))))
    there = to_networkx(graph)
    assert list(there.nodes) == list(range(graph.num_nodes()))
    assert there.number_of_edges() == sum(map(graph.num_edges, relations))
    same(graph, from_networkx(there))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_plain_graphs_without_edges(count):
    graph = dgl.graph(([], []), num_nodes=count)
    same(graph, from_networkx(to_networkx(graph)))


def test_what_networkx_shows():
    graph = dgl.graph(([1, 2, 1], [0, 0, 0]), num_nodes=4)
    graph.ndata["word"] = torch.tensor([0, 5, 6, 7])
    graph.ndata["span"] = torch.tensor([[0, 2], [0, 1], [1, 2], [2, 3]])
    graph.edata["slot"] = torch.tensor([0, 1, 2])
    view = to_networkx(graph)
    assert view.nodes[2] == {"word": 6, "span": [1, 2]}
    assert view.edges[1, 0, ("_E", 2)] == {"slot": 2}
    assert view.degree[3] == 0
    json.dumps(view.graph)


def test_unbatching_after_the_way_back():
    several = [dgl.graph(([0], [1])), dgl.graph(([], []), num_nodes=2), dgl.graph(([2, 1], [0, 0]))]
    back = dgl.unbatch(from_networkx(to_networkx(dgl.batch(several))))
    for part, before in zip(back, several, strict=True):
        same(part, before)


def test_gradients_and_special_numbers_pass():
    graph = dgl.graph(([0], [1]))
    graph.ndata["h"] = torch.tensor([[float("inf"), 1e-45], [float("nan"), -0.0]], requires_grad=True)
    back = from_networkx(to_networkx(graph)).ndata["h"]
    torch.testing.assert_close(back, graph.ndata["h"].detach(), rtol=0, atol=0, equal_nan=True)
    graph.ndata["z"] = torch.tensor([complex(1, float("nan")), complex(0, 2)])
    back = from_networkx(to_networkx(graph)).ndata["z"]
    torch.testing.assert_close(back, graph.ndata["z"], rtol=0, atol=0, equal_nan=True)


def test_graphs_made_in_networkx():
    made = nx.DiGraph()
    made.add_node("root", word=1)
    made.add_node("leaf", word=2)
    made.add_edge("leaf", "root", slot=0.5)
    graph = from_networkx(made)
    assert graph.etypes == ["child"]
    assert [ends.tolist() for ends in graph.edges()] == [[1], [0]]
    assert graph.ndata["word"].tolist() == [1, 2]
    assert graph.edata["slot"].dtype == torch.float32
    undirected = from_networkx(nx.path_graph(3))
    assert sorted(zip(*(ends.tolist() for ends in undirected.edges()), strict=True)) == [
        (0, 1),
        (1, 0),
        (1, 2),
        (2, 1),
    ]
    numbered = nx.MultiDiGraph([(0, 1, ("next", np.int64(0)))])
    assert from_networkx(numbered).etypes == ["next"]
    named = nx.MultiDiGraph([(0, 1, "attend"), (1, 0, "attend"), (0, 1, "child")])
    assert [from_networkx(named).num_edges(relation) for relation in ("attend", "child")] == [2, 1]


def test_an_edited_sentence_comes_back():
    graph = dgl.graph(([1, 2], [0, 0]))
    graph.ndata["word"] = torch.tensor([0, 5, 6], dtype=torch.int32)
    view = to_networkx(graph)
    view.remove_node(1)
    back = from_networkx(view)
    assert back.ndata["word"].tolist() == [0, 6]
    assert back.ndata["word"].dtype == torch.int32
    assert [ends.tolist() for ends in back.edges()] == [[1], [0]]


def test_an_edge_that_was_added_is_of_the_only_relation():
    """It made a second relation, `child`, which `from_dgl` then refused; in any case it stands behind the others."""
    graph = dgl.graph(([1, 2], [0, 0]))
    graph.edata["slot"] = torch.tensor([0, 1])
    view = to_networkx(graph)
    view.add_node(3)
    view.add_edge(0, 3, slot=7)
    back = from_networkx(view)
    assert back.etypes == ["_E"]
    assert [ends.tolist() for ends in back.edges(order="eid")] == [[1, 2, 0], [0, 0, 3]]
    assert back.edata["slot"].tolist() == [0, 1, 7]
    assert from_networkx(nx.DiGraph(view)).etypes == ["_E"]
    view.graph["relations"] = ["_E", "next"]
    assert from_networkx(view).etypes == ["_E", "child", "next"]


@pytest.mark.parametrize(
    ("nodes", "edges", "said"),
    [
        ([3, 3], [2, 2], ""),
        ([3, 3], [3, 1], r"the sentences hear \[2, 2\] _E edges, their batch sizes are \[3, 1\]; correct the graph"),
        ([2, 4], [1, 3], r"the sentences hear \[2, 2\] _E edges"),
        ([3, 3], [2, 2, 0], r"the sentences hear \[2, 2\] _E edges"),
        ([-1, 7], [0, 4], r"batch_num_nodes is \[-1, 7\], where a list of numbers from 0 is wanted"),
    ],
)
def test_batch_sizes_are_those_of_the_sentences(nodes, edges, said):
    """DGL would part the batch elsewhere, or nowhere."""
    graph = dgl.graph(([1, 2], [0, 0]))
    view = to_networkx(dgl.batch([graph, graph]))
    view.graph.update(batch_num_nodes=nodes, batch_num_edges={"_E": edges})
    if not said:
        assert len(dgl.unbatch(from_networkx(view))) == 2
        return
    with pytest.raises(InputError, match=said):
        from_networkx(view)


def test_errors_say_what_to_do():
    graph = dgl.graph(([1, 2], [0, 0]))
    graph.ndata["word"] = torch.tensor([0, 5, 6])
    view = to_networkx(graph)
    del view.nodes[1]["word"]
    with pytest.raises(InputError, match="field 'word' is missing on 1 of 3 nodes"):
        from_networkx(view)
    view.nodes[1]["word"] = "cat"
    with pytest.raises(InputError, match=r"node field 'word' is text; give ids, such as vocabularies\.word\.ids"):
        from_networkx(view)
    view.nodes[1]["word"] = 5
    view.edges[1, 0, ("_E", 0)][2] = 1.0
    view.edges[2, 0, ("_E", 1)][2] = 2.0
    with pytest.raises(InputError, match=r"_E edge field 2: is no text; name fields by text, such as '2'"):
        from_networkx(view)
    view = to_networkx(graph)
    view.nodes[1]["word"] = torch.tensor([1, 2])
    with pytest.raises(InputError, match=r"node field 'word' is tensors; give numbers or lists of them, as \.tolist"):
        from_networkx(view)
    view = to_networkx(dgl.batch([graph, graph]))
    view.remove_node(5)
    with pytest.raises(InputError, match="5 nodes, its batch sizes add up to 6"):
        from_networkx(view)
    with pytest.raises(InputError, match="DGLGraph or SentenceGraph is wanted, and list was given"):
        to_networkx([1, 2])
    with pytest.raises(InputError, match="Graph is wanted, and list was given"):
        from_networkx([1, 2])
    for name, value, said in (
        ("idtype", "float32", "idtype is 'float32'; use int32 or int64"),
        ("node_fields", {"word": {}}, "node field 'word': the graph attribute of its fields lacks dtype"),
        ("batch_num_edges", {}, "graph has 4 _E edges, its batch sizes add up to 0"),
    ):
        view = to_networkx(dgl.batch([graph, graph]))
        view.graph[name] = value
        with pytest.raises(InputError, match=said):
            from_networkx(view)
    with pytest.raises(InputError, match="node types a, b"):
        to_networkx(dgl.heterograph({("a", "to", "b"): ([0], [0])}))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("relations", 3, "relations is 3, where a list of names"),
        ("relations", [3], "relations is [3]"),
        ("idtype", 3, "idtype is 3, where the name of a dtype"),
        ("node_type", None, "node_type is None, where a name"),
        ("node_fields", None, "node_fields is None"),
        ("node_fields", {"word": 3}, "node_fields is {'word': 3}, where a dict of each field's dtype and shape"),
        ("edge_fields", [1], "edge_fields is [1]"),
        ("edge_fields", {"_E": {"slot": 1}}, "edge_fields is {'_E': {'slot': 1}}, where such a dict of each relation"),
        ("batch_num_nodes", 3, "batch_num_nodes is 3, where a list of numbers"),
        ("batch_num_nodes", ["x"], "batch_num_nodes is ['x']"),
        ("batch_num_edges", 3, "batch_num_edges is 3, where a list of numbers from 0 of each relation"),
    ],
)
def test_graph_attributes_of_another_kind_are_refused(name, value, said):
    view = to_networkx(dgl.batch([dgl.graph(([1], [0]))] * 2))
    view.graph[name] = value
    with pytest.raises(InputError, match=f"^graph attribute {re.escape(said)}"):
        from_networkx(view)


@pytest.mark.parametrize(
    ("field", "rows", "said"),
    [
        ("slot", [0.75, 1], "not all values are int64"),
        ("open", [2, 1], "not all values are bool"),
        ("small", [300, 1], "int8"),
        ("span", [[1], [5]], r"has shape \[2, 1\], not \[2\]"),
        ("pair", [1, 2], r"has shape \[2\], not \[2, 1\]"),
    ],
)
def test_edited_values_that_a_field_cannot_hold_are_refused(field, rows, said):
    graph = dgl.graph(([1], [0]))
    graph.ndata["slot"] = graph.ndata["span"] = torch.tensor([1, 2])
    graph.ndata["open"] = torch.tensor([True, False])
    graph.ndata["small"] = torch.tensor([1, 2], dtype=torch.int8)
    graph.ndata["pair"] = torch.tensor([[1], [2]])
    view = to_networkx(graph)
    for node, row in enumerate(rows):
        view.nodes[node][field] = row
    with pytest.raises(InputError, match=f"node field '{field}'.*{said}"):
        from_networkx(view)


def test_batch_sizes_may_be_numbers_of_numpy():
    view = to_networkx(dgl.batch([dgl.graph(([1], [0]))] * 2))
    view.graph["batch_num_nodes"] = list(np.array([2, 2]))
    assert from_networkx(view).batch_num_nodes().tolist() == [2, 2]


def test_whole_numbers_written_as_floats_are_whole_numbers():
    graph = dgl.graph(([1], [0]))
    graph.ndata["word"] = torch.tensor([1, 2])
    view = to_networkx(graph)
    view.nodes[0]["word"] = 7.0
    torch.testing.assert_close(from_networkx(view).ndata["word"], torch.tensor([7, 2]))


def test_a_sentence_that_is_columns_still():
    columns = SentenceGraph(2, np.array([0]), np.array([1]), {"word": np.array([3, 4])}, {}, np.array([1, 0]))
    same(from_networkx(to_networkx(columns)), columns.dgl())


def test_columns_stay_when_fields_of_their_graph_change_in_place():
    """They shared memory, so that what was done to the graph afterwards was done to them."""
    graph = dgl.graph(([1, 2], [0, 0]))
    graph.ndata["x"], graph.edata["slot"] = torch.ones(3, 2), torch.tensor([0, 1])
    columns = from_dgl(graph)
    graph.ndata["x"] += 1
    graph.edata["slot"].zero_()
    assert columns.nodes["x"].tolist() == [[1, 1]] * 3
    assert columns.edges["slot"].tolist() == [0, 1]


def test_what_is_no_single_sentence_is_refused():
    graph = dgl.graph(([1, 2], [0, 0]))
    for wrong, said in (
        (dgl.batch([graph, graph]), "graph is a batch of 2; give its graphs one by one"),
        (
            from_networkx(nx.MultiDiGraph([(0, 1, "attend"), (1, 0, "child")])),
            "attend, child; give one .* such as role",
        ),
        ([graph], "DGLGraph is wanted, and list was given"),
    ):
        with pytest.raises(InputError, match=said):
            from_dgl(wrong)
