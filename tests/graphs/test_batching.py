"""Batching from columns equals dgl.batch, field by field."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import constituencies, parents

import graphs
from dglsent.passing import Batch
from graphs.batching import batch_pairs, hearing, merge, partners
from graphs.columns import Dependencies
from graphs.door import dgl
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.topology import levels


def assert_equal(ours, theirs):
    assert ours.num_nodes() == theirs.num_nodes()
    assert torch.equal(torch.stack(ours.edges(order="eid")), torch.stack(theirs.edges(order="eid")))
    assert torch.equal(ours.batch_num_nodes(), theirs.batch_num_nodes())
    assert torch.equal(ours.batch_num_edges(), theirs.batch_num_edges())
    assert ours.ndata.keys() - {"sentence"} == theirs.ndata.keys() - {"sentence"}
    for name in theirs.ndata.keys() - {"sentence"}:
        assert torch.equal(ours.ndata[name], theirs.ndata[name])
        assert ours.ndata[name].dtype == theirs.ndata[name].dtype
    assert ours.edata.keys() == theirs.edata.keys()
    for name in theirs.edata:
        assert torch.equal(ours.edata[name], theirs.edata[name])


@settings(derandomize=True, deadline=None, max_examples=40)
@given(st.lists(constituencies(), min_size=1, max_size=5), st.lists(parents(), min_size=1, max_size=4))
def test_batch_equals_dgl_batch(trees, heads):
    sentences = [Dependencies(["w"] * len(head), head, ["r"] * len(head)) for head in heads]
    vocabularies = Vocabularies.of([*trees, *sentences])
    kinds = (
        [graphs.constituency(tree, vocabularies) for tree in trees],
        [graphs.dependency(sentence, vocabularies, roots="keep") for sentence in sentences],
        [graphs.chain(sentence, vocabularies) for sentence in [*trees, *sentences]],
    )
    for built in kinds:
        batch = graphs.batch(built)
        assert_equal(batch, dgl.batch([graph.dgl() for graph in built]))
        assert batch.ndata["sentence"].tolist() == [i for i, graph in enumerate(built) for _ in range(graph.size)]
        for single, graph in zip(dgl.unbatch(batch), built, strict=True):
            assert single.num_nodes() == graph.size


@settings(derandomize=True, deadline=None)
@given(parents())
def test_levels_are_depths_in_a_forest(parent):
    src = np.flatnonzero(parent >= 0)
    level = levels(len(parent), src, parent[src])
    for node, above in enumerate(parent):
        assert level[node] == (0 if above < 0 else level[above] + 1)


def test_graphs_of_different_kinds_do_not_mix():
    tree = graphs.parse_brackets("(S (A a) (B b))")[0]
    vocabularies = Vocabularies.of([tree])
    with pytest.raises(InputError, match="graph 1 of the batch has the fields word, tag, position, slot"):
        graphs.batch([graphs.constituency(tree, vocabularies), graphs.chain(tree, vocabularies)])
    with pytest.raises(InputError, match="at least one"):
        graphs.batch([])
    parsed = graphs.parse_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n")[0]
    complete = [graphs.complete(sentence, vocabularies) for sentence in (tree, parsed)]
    for pair in (complete, complete[::-1]):  # only one knows what its words are to each other
        with pytest.raises(InputError, match="graph 1 of the batch has the fields"):
            merge(pair)


def test_a_graph_without_edges_has_their_fields_without_entries():
    """One made by networkx has no fields of edges, where it has no edge to have them."""
    tree, word = graphs.parse_brackets("(S (A a) (B b))\n(A a)")
    vocabularies = Vocabularies.of([tree])
    full, bare = graphs.over_words(tree, vocabularies, [(0, 1)], {"role": [0.5]}), graphs.chain(word, vocabularies)
    said = r"a graph without edges has 'role' too, with no entries: graph\.edges\['role'\] = (np\.zeros\(.*\))$"
    for pair in ([full, bare], [bare, full]):
        with pytest.raises(InputError, match=said) as error:
            merge(pair)
    assert "zeros(0, dtype=np.float32)" in str(error.value)
    bare.edges["role"] = np.zeros(0, dtype=np.float32)
    assert merge([full, bare]).edges["role"].tolist() == [0.5]
    bare.nodes["mood"] = np.zeros(1)
    del bare.edges["role"]
    with pytest.raises(InputError, match="batch graphs of one kind"):
        merge([full, bare])


def sentence_graphs(heads):
    sentences = [Dependencies(["w"] * len(head), head, ["r"] * len(head)) for head in heads]
    vocabularies = Vocabularies.of(sentences)
    return [graphs.dependency(sentence, vocabularies, roots="keep") for sentence in sentences]


class TestPairs:
    @settings(derandomize=True, deadline=None, max_examples=30)
    @given(st.lists(st.tuples(parents(), parents()), min_size=1, max_size=4))
    def test_against_dgl_pair_by_pair(self, heads):
        built = sentence_graphs([head for pair in heads for head in pair])
        ours = batch_pairs(list(zip(built[::2], built[1::2], strict=True)))
        singles = dgl.batch([graph.dgl() for graph in built])
        assert ours.canonical_etypes == [("node", "attend", "node"), ("node", "child", "node")]
        assert torch.equal(torch.stack(ours.edges(etype="child")), torch.stack(singles.edges(order="eid")))
        for name in singles.ndata.keys() - {"sentence"}:
            assert torch.equal(ours.ndata[name], singles.ndata[name])
        for name, value in singles.edata.items():
            assert torch.equal(ours.edges["child"].data[name], value)
        sizes = [graph.size for graph in built]
        assert ours.batch_num_nodes().tolist() == sizes
        assert ours.batch_num_edges("child").tolist() == singles.batch_num_edges().tolist()
        assert ours.batch_num_edges("attend").tolist() == [sizes[k] * sizes[k ^ 1] for k in range(len(sizes))]

    @settings(derandomize=True, deadline=None, max_examples=30)
    @given(st.lists(st.tuples(parents(), parents()), min_size=1, max_size=4))
    def test_attention_crosses_a_pair_both_ways_and_no_more(self, heads):
        built = sentence_graphs([head for pair in heads for head in pair])
        ours = batch_pairs(list(zip(built[::2], built[1::2], strict=True)))
        sentence, side, pair = (ours.ndata[name] for name in ("sentence", "side", "pair"))
        assert torch.equal(sentence, torch.arange(len(built)).repeat_interleave(ours.batch_num_nodes()))
        assert torch.equal(2 * pair + side, sentence)
        src, dst = ours.edges(etype="attend")
        between = (pair[:, None] == pair) & (side[:, None] != side)
        wanted = between.nonzero()  # receivers and their senders, receiver by receiver
        assert torch.equal(torch.stack([dst, src], 1), wanted)

    def test_hearing(self):
        counts = np.array([2, 1, 1, 3])
        src, dst = hearing(counts, partners(4), np.array([6, 2, 0, 3]))
        assert src.tolist() == [3, 0, 1, 2, 4, 5, 6]
        assert dst.tolist() == [6, 2, 2, 0, 3, 3, 3]
        src, dst = hearing(counts, np.arange(4), np.array([2, 4]))
        assert src.tolist() == [2, 4, 5, 6]
        assert dst.tolist() == [2, 4, 4, 4]
        assert [len(end) for end in hearing(counts, partners(4), np.array([], dtype=np.int64))] == [0, 0]

    def test_complete_graphs_have_their_edges(self):
        sentences = [Dependencies(["w"] * size, np.full(size, -1), ["r"] * size) for size in (2, 3)]
        built = [graphs.complete(sentence, Vocabularies.of(sentences)) for sentence in sentences]
        ours = batch_pairs([(built[0], built[1])])
        assert ours.batch_num_edges("child").tolist() == [4, 9]
        distance = [i - j for size in (2, 3) for i in range(size) for j in range(size)]
        assert ours.edges["child"].data["distance"].tolist() == distance

    def test_none(self):
        with pytest.raises(InputError, match="at least one"):
            batch_pairs([])


def test_fields_of_several_widths_or_types_do_not_mix():
    sentence = Dependencies(["a", "b"], np.array([1, -1]), ["x", "root"])
    graph = graphs.dependency(sentence, Vocabularies.of([sentence]))
    three, four = (graphs.with_vectors(graph, np.ones((2, width))) for width in (3, 4))
    said = r"field 'vector' is float32 \[4\] in graph 1 of the batch and float32 \[3\] in graph 0"
    with pytest.raises(InputError, match=said):
        graphs.batch([three, four])
    whole, real = (
        graphs.over_words(sentence, Vocabularies.of([sentence]), [(0, 1)], {"w": [value]}) for value in (1, 0.5)
    )
    with pytest.raises(InputError, match=r"field 'w' is int64 in graph 2 of the batch and float32 in graph 0"):
        graphs.batch([real, real, whole])
    one, other, wide = (graphs.complete(sentence, Vocabularies.of([sentence])) for _ in range(3))
    other.pairwise["relation"] = other.pairwise["relation"].astype(np.float32)
    wide.pairwise["relation"] = np.ones((4, 2), dtype=np.int64)
    for strange, said in ((other, "float32"), (wide, r"int64 \[2\]")):
        with pytest.raises(InputError, match=rf"field 'relation' is {said} in graph 1 of the batch and int64 in"):
            merge([one, strange])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (torch.ones(2), "is of type Tensor; give a NumPy array"),
        ([1, 2], "is of type list; give a NumPy array"),
        (3.0, "is of type float; give a NumPy array"),
        (np.zeros(3), "has 3 entries for its nodes, which are 2"),
        (np.array(["a", "b"]), "is an array of <U1; give numbers"),
        (np.array(["a", None]), "is an array of object; give numbers"),
        (np.zeros(2, np.longdouble), "is an array of float128, which torch does not know; give another, as float32"),
    ],
)
def test_a_field_that_was_set_to_something_else_is_an_error(value, said):
    """Tensors ended in a StopIteration, for a DataLoader the end of the epoch; other rows went to other nodes."""
    made = sentence_graphs([[-1, 0], [-1, 0, 0]])
    made[0].nodes["x"], made[1].nodes["x"] = value, np.zeros(2)
    with pytest.raises(InputError, match=f"^graph 0 of the batch: node field 'x' {said}$"):
        graphs.batch(made)
    with pytest.raises(InputError, match=f"^node field 'x' {said}$"):
        made[0].dgl()
    with pytest.raises(InputError, match=r"^graph 0 of the batch: node field 'x' has 2 entries for its nodes"):
        Batch.of(made[::-1])


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.zeros(3), "has 3 entries for its nodes, which are 2"),
        (np.array(["a", "b"]), "is an array of <U1; give numbers"),
        ([1, 2], "is of type list; give a NumPy array"),
        (torch.ones(2), "is of type Tensor; give a NumPy array"),
    ],
)
def test_the_graph_whose_field_it_is_is_named(place, value, said):
    made = sentence_graphs([[-1, 0]] * 3)
    for number, graph in enumerate(made):
        graph.nodes["x"] = value if number == place else np.zeros(2)
    with pytest.raises(InputError, match=f"^graph {place} of the batch: node field 'x' {said}"):
        graphs.batch(made)


@pytest.mark.parametrize("of", ["edges", "pairwise"])
def test_fields_that_went_to_each_others_graphs_are_errors(of):
    """Together they have as many entries as there are edges, or pairs of nodes."""
    sentences = [Dependencies(["w"] * size, np.arange(-1, size - 1), ["r"] * size) for size in (2, 3)]
    make = graphs.dependency if of == "edges" else graphs.complete
    made = [make(sentence, Vocabularies.of(sentences)) for sentence in sentences]
    one, other = (getattr(graph, of) for graph in made)
    one["relation"], other["relation"] = other["relation"], one["relation"]
    with pytest.raises(InputError, match=r"^graph 0 of the batch: .*'relation' has \d entries for its (edges|pairs)"):
        merge(made)


@pytest.mark.parametrize("end", [-1, 2, 3])
@pytest.mark.parametrize("of", ["src", "dst"])
def test_an_edge_to_a_node_of_another_graph_is_refused(end, of):
    sentence = Dependencies(["a", "b"], np.array([1, -1]), ["x", "root"])
    whole, broken = (graphs.dependency(sentence, Vocabularies.of([sentence])) for _ in range(2))
    setattr(broken, of, np.array([end]))
    with pytest.raises(InputError, match=rf"graph 1 of the batch has an edge .*{end}.*, and its nodes are 0 to 1"):
        graphs.batch([whole, broken, whole])
    with pytest.raises(InputError, match="graph 0 of the batch has an edge"):
        Batch.of([broken, whole])


def test_strings_on_all_graphs_are_an_error():
    """Torch said so, of no graph and no field."""
    made = sentence_graphs([[-1, 0], [-1, 0, 0]])
    for graph in made:
        graph.nodes["x"] = np.array(["a"] * graph.size)
    with pytest.raises(InputError, match=r"^graph 0 of the batch: node field 'x' is an array of <U1; give numbers$"):
        Batch.of(made)


def test_graphs_of_dgl_are_to_be_made_sentence_graphs():
    (made,) = sentence_graphs([[-1, 0]])
    with pytest.raises(InputError, match=r"and a DGLGraph was given; graphs\.from_dgl makes one of a DGLGraph"):
        Batch.of([made.dgl()])


@pytest.mark.parametrize("given", [3, iter([])])
def test_pairs_are_a_list(given):
    with pytest.raises(InputError, match="a list of pairs is wanted, and a value of type"):
        batch_pairs(given)
