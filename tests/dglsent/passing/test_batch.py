"""A batch: fields in dgl.batch's order, readout, moving, writing back."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch
from random_graphs import SEVEN, chain, forest, tree
from window_sentences import window

from dglsent.nn.readout import mean_over_words
from dglsent.passing import Batch, propagate, update_all
from dglsent.passing.plans.acyclic import AcyclicSchedule
from dglsent.passing.plans.tree import TreeSchedule
from graphs.door import dgl, fn
from graphs.errors import InputError
from graphs.fields import ATTEND, POSITION, VECTOR, WORD


def test_fields_follow_dgl_batch():
    sentences = [tree(SEVEN), chain(3), forest(), tree([-1])]
    batch = Batch.of(sentences)
    expected = dgl.batch([sentence.dgl() for sentence in sentences])
    assert torch.equal(batch.nodes["word"], expected.ndata["word"])
    assert torch.equal(batch.edges["slot"], expected.edata["slot"])
    for ours, theirs in zip(batch.graph.edges(), expected.edges(), strict=True):
        assert torch.equal(ours, theirs)
    assert batch.graph.batch_num_nodes().tolist() == expected.batch_num_nodes().tolist() == [8, 3, 7, 1]
    assert batch.graph.batch_num_edges().tolist() == expected.batch_num_edges().tolist()


def test_readout_is_the_mean_of_the_roots():
    batch = Batch.of([tree([1, -1]), forest(), tree([-1])])
    states = torch.arange(10.0, dtype=torch.float64)[:, None].repeat(1, 2).requires_grad_()
    roots = batch.at_roots(states)
    assert roots[:, 0].tolist() == [1.0, (2 + 4 + 8) / 3, 9.0]
    roots.sum().backward()
    assert torch.allclose(
        states.grad[:, 0], torch.tensor([0, 1, 1 / 3, 0, 1 / 3, 0, 0, 0, 1 / 3, 1], dtype=torch.float64)
    )


def test_a_readout_is_of_a_state_a_node():
    batch = Batch.of([tree([1, -1])])
    with pytest.raises(
        ValueError, match=r"field 'states' has the shape \(1, 3\); its first dimension should be 2, the"
    ):
        batch.at_roots(torch.zeros(1, 3))
    with pytest.raises(TypeError, match="field 'states' is a value of type NoneType; give a tensor"):
        batch.at_roots(None)


def test_padding_is_no_root():
    batch = Batch.of([window(words, 2) for words in (["The", "cat", "sat"], ["I"])])
    states = torch.where(batch.nodes["real"] == 1, 3.0, 100.0)[:, None]
    assert len(states) == 3 + 1 + 1 + 1
    assert batch.at_roots(states).tolist() == [[3.0], [3.0]]


def test_first_nodes():
    batch = Batch.of([chain(3), tree([-1]), chain(2)])
    assert batch.at_first(torch.arange(6)).tolist() == [0, 3, 4]


def test_write_back_puts_fields_on_the_graph():
    batch = Batch.of([tree([-1, 0])])
    x = batch.nodes["x"] = torch.randn(2, 3, requires_grad=True)
    batch.edges["e"] = torch.tensor([7.0], requires_grad=True)
    graph = batch.write_back()
    assert graph is batch.graph
    assert torch.equal(graph.ndata["x"], x)
    assert not graph.ndata["x"].requires_grad
    assert not graph.edata["e"].requires_grad
    assert {name: field.tolist() for name, field in graph.edata.items()} == {"slot": [0], "e": [7.0]}


class TestPairs:
    def batch(self, **wanted):
        return Batch.of([tree(SEVEN), chain(3), tree([-1]), tree([-1, 0])], pairs=True, **wanted)

    def test_the_graph_has_both_relations(self):
        graph = self.batch().graph
        assert graph.ntypes == ["node"]
        assert graph.canonical_etypes == [("node", "attend", "node"), ("node", "child", "node")]
        assert graph.batch_size == 4
        assert graph.batch_num_nodes().tolist() == [8, 3, 1, 2]
        assert graph.batch_num_edges("child").tolist() == [7, 2, 0, 1]
        assert graph.batch_num_edges("attend").tolist() == [24, 24, 2, 2]
        src, dst = self.batch().relation("attend").ends
        assert torch.equal(torch.stack(graph.edges(etype="attend")), torch.tensor(np.stack([src, dst])))

    def test_and_the_order_of_words_where_it_was_asked_for(self):
        graph = self.batch(relations=["next"]).graph
        assert graph.etypes == ["attend", "child", "next"]
        assert graph.batch_num_edges("next").tolist() == [7, 2, 0, 1]

    def test_write_back_puts_fields_on_each_relation(self):
        batch = self.batch()
        h = batch.nodes["h"] = torch.randn(14, 2, requires_grad=True)
        batch.relation("attend").edges["attention"] = torch.arange(52.0)
        graph = batch.write_back()
        assert {"word", "side", "pair", "sentence", "h"} <= set(graph.ndata)
        assert torch.equal(graph.ndata["h"], h)
        assert not graph.ndata["h"].requires_grad
        assert torch.equal(graph.edges["child"].data["slot"], batch.edges["slot"])
        assert torch.equal(graph.edges["attend"].data["attention"], torch.arange(52.0))
        assert set(graph.edges["child"].data) == {"slot"}

    def test_of_single_sentences_it_says_the_order_of_words_too(self):
        batch = Batch.of([tree(SEVEN), chain(3)], relations=["next"])
        batch.relation("next").edges["d"] = torch.arange(9.0)
        graph = batch.write_back()
        assert graph.etypes == ["child", "next"]
        assert graph.edges["next"].data["d"].tolist() == list(range(9))

    def test_a_relation_that_is_used_later_is_on_the_graph_too(self):
        for used, batch in ((["child"], Batch.of([tree(SEVEN), chain(3)])), (["attend", "child"], self.batch())):
            assert len(batch.graph.etypes) == len(used)
            words = batch.relation("next")
            assert batch.graph.etypes == [*used, "next"]
            words.edges["d"] = torch.arange(float(batch.graph.num_edges("next")))
            graph = batch.write_back()
            assert graph is batch.graph
            assert torch.equal(graph.edges["next"].data["d"], words.edges["d"])

    def test_to_moves_every_relation(self):
        batch = self.batch(directions=["up"], relations=["next", ("attend", "up")])
        attend = batch.relation("attend")
        assert attend.padding.place.device == attend.incidence("dst").row.device == torch.device("cpu")
        attend.edges["attention"] = torch.ones(52)
        batch.to("meta")
        assert attend.device.type == batch.relation("next").device.type == "meta"
        assert attend.padding.place.is_meta
        assert attend.incidence("dst").row.is_meta
        assert attend.edges["attention"].is_meta
        frontiers = attend.frontiers(batch.relation(), "child", "up")
        assert frontiers.edge.is_meta
        assert all(part.is_meta for part in (*frontiers.senders, *frontiers.receivers[0]))
        assert batch.relation("next").schedule("up").order.is_meta
        assert batch.at_last_words(torch.ones(14, 2, device="meta")).is_meta

    def test_a_relation_made_after_a_move_is_there_too(self):
        batch = self.batch().to("meta")
        assert batch.relation("next").schedule("down").order.is_meta
        assert batch.relation("attend").padding.node.is_meta

    def test_they_cross_processes(self):
        batch = self.batch(directions=["up"], relations=["next", ("attend", "up")])
        copy = pickle.loads(pickle.dumps(batch))
        for each in (batch, copy):
            each.nodes["x"] = torch.arange(14.0)
            update_all(each, fn.copy_u("x", "m"), fn.sum("m", "s"), relation="attend")
        assert torch.equal(batch.nodes["s"], copy.nodes["s"])
        assert copy.pairs


def test_whether_trees_are_binary():
    binary = [tree([-1, 0, 0, 2, 2], phrases=True), tree([-1])]
    assert Batch.of(binary).binary
    for other in (tree([-1, 0]), tree(SEVEN)):
        assert not Batch.of([*binary, other]).binary


def test_whether_there_are_has_inner_words():
    assert Batch.of([tree([-1, 0])]).has_inner_words
    assert not Batch.of([tree([-1, 0], phrases=True), tree([-1])]).has_inner_words
    assert Batch.of([tree([-1, 0], phrases=True), tree([-1, 0])]).has_inner_words


@pytest.mark.parametrize("name", [WORD, VECTOR])
def test_words_that_are_set_anew_may_stand_at_inner_nodes(name):
    batch = Batch.of([tree([-1, 0], phrases=True)]).to("cpu")
    assert not batch.has_inner_words
    batch.nodes[name] = torch.tensor([3, 4])
    assert pickle.loads(pickle.dumps(batch)).to("meta").has_inner_words


def test_to_moves_fields_targets_and_plans():
    batch = Batch.of([tree(SEVEN), chain(3)], directions=["up"])
    batch.targets["label"] = torch.tensor([1, 0])
    assert batch.to("meta") is batch
    assert batch.nodes["word"].is_meta
    assert batch.edges["slot"].is_meta
    assert batch.targets["label"].is_meta
    assert batch.device.type == "meta"
    assert batch.relation().schedule("up").order.is_meta
    assert batch.relation().schedule("down").order.is_meta
    assert batch.relation().incidence("src").row.is_meta
    assert batch.graph.device.type == "cpu"


def test_a_batch_crosses_processes():
    """Loader workers send batches to the training process."""
    batch = Batch.of([tree(SEVEN), chain(3)], directions=["up"])
    copy = pickle.loads(pickle.dumps(batch))
    for each in (batch, copy):
        propagate(each, fn.copy_u("s", "m"), fn.sum("m", "s"), leaf=lambda nodes: {"s": nodes.data["word"].float()})
    assert torch.equal(batch.nodes["s"], copy.nodes["s"])


def test_chains_run_on_the_tree_schedule_both_ways():
    child = Batch.of([chain(3), chain(5), tree([-1])]).relation()
    assert isinstance(child.schedule("up"), TreeSchedule)
    assert isinstance(child.schedule("down"), TreeSchedule)
    assert isinstance(Batch.of([tree(SEVEN)]).relation().schedule("down"), AcyclicSchedule)


def test_a_batch_shows_itself():
    batch = Batch.of([tree(SEVEN), chain(3), tree(SEVEN)])
    propagate(batch, fn.copy_u("s", "m"), fn.sum("m", "s"), leaf=lambda nodes: {"s": nodes.data["word"].float()})
    batch.targets["label"] = torch.tensor([1, 0, 1])
    shown = batch._repr_html_()
    assert "3 sentences, 19 nodes" in shown
    assert "s [19]" in shown
    assert "edges of child: slot [16]" in shown
    assert "targets: label [3]" in shown
    assert shown.count("<svg") == 2
    pairs = Batch.of([tree(SEVEN), chain(3)], pairs=True, relations=[ATTEND])
    assert "1 pair of sentences" in pairs._repr_html_()
    assert "edges of attend" in pairs._repr_html_()


def test_a_batch_says_what_it_is():
    said = repr(Batch.of([tree([-1, 0, 0]), tree([-1])], relations=["complete"]))
    assert said.startswith("Batch(2 sentences, 4 nodes with word, ")
    assert said.endswith("; child, complete)")
    assert repr(Batch.of([tree([-1, 0, 0]), tree([-1])], pairs=True)).startswith("Batch(1 pair, 4 nodes with ")


def test_fields_that_ask_for_a_relation_when_they_are_made_are_written_back_and_moved():
    batch = Batch.of([chain(3), chain(2)])
    batch.nodes["x"] = torch.ones(5, 2)

    def length() -> torch.Tensor:
        return torch.ones(3) * len(batch.relation("next").ends[0])

    batch.edges.set_lazy("length", length)
    graph = batch.write_back()
    assert graph is batch.graph
    assert {"x", "word"} <= set(graph.nodes["node"].data)
    assert graph.edges["child"].data["length"].tolist() == [3.0] * 3
    moved = Batch.of([chain(3)])
    moved.edges.set_lazy("length", lambda: torch.ones(2) * len(moved.relation("previous").ends[0]))
    assert moved.to("cpu").edges["length"].tolist() == [2.0] * 2


def test_levels_without_a_sign_are_as_good():
    """A running sum over four words: negated, unsigned levels would be the largest of all."""
    graph = chain(4)
    for column in ("src", "dst", "level"):
        setattr(graph, column, getattr(graph, column).astype(np.uint64 if column == "src" else np.uint8))
    batch = Batch.of([graph])
    batch.nodes["x"] = torch.ones(4, 1)
    propagate(
        batch,
        fn.copy_u("h", "m"),
        fn.sum("m", "before"),
        lambda nodes: {"h": nodes.data["x"] + nodes.data["before"]},
        leaf=lambda nodes: {"h": nodes.data["x"]},
    )
    assert batch.nodes["h"].flatten().tolist() == [1, 2, 3, 4]


def test_one_direction_or_relation_is_given_in_a_tuple():
    """Of text the letters were taken for directions and relations."""
    with pytest.raises(InputError, match=r"directions is text; give a tuple: directions=\('up',\)"):
        Batch.of([chain(2)], directions="up")
    with pytest.raises(InputError, match=r"relations is text; give a tuple: relations=\('next',\)"):
        Batch.of([chain(2)], relations="next")


def test_a_batch_is_made_by_of():
    with pytest.raises(InputError, match=r"MergedGraphs is wanted, and list was given; Batch\.of\(graphs\) batches"):
        Batch([chain(2)])


@pytest.mark.parametrize(
    ("column", "needs"),
    [
        (WORD, lambda batch: mean_over_words(batch, torch.ones(batch.num_nodes, 2))),
        (WORD, lambda batch: batch.has_inner_words),
        (POSITION, lambda batch: batch.relation("next")),
        (POSITION, lambda batch: batch.relation("previous")),
        (POSITION, lambda batch: batch.relation("preceding")),
        (POSITION, lambda batch: batch.at_last_words(torch.ones(batch.num_nodes, 2))),
    ],
)
def test_a_column_that_graphs_of_ones_own_lack_is_named(column, needs):
    """It was a bare KeyError."""
    graph = chain(3)
    del graph.nodes[column]
    with pytest.raises(KeyError, match=rf"node field '{column}' .*; give the graphs this column: .*words"):
        needs(Batch.of([graph]))


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8])
def test_the_mean_over_roots_of_whole_numbers_has_fractions(dtype):
    batch = Batch.of([tree([-1, -1, -1]), tree([-1])])
    states = torch.tensor([100, 100, 0, 100]).to(dtype)
    wanted = [part.double().mean().item() for part in states.split([3, 1])]
    assert batch.at_roots(states).tolist() == pytest.approx(wanted)
