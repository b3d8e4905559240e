"""The relations of a batch: from each word to the next, and across a pair."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from complete_sentences import sentence
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import SEVEN, binary_trees, chain, chains, forests, pairs, renumbered, tree

from dglsent.passing import Batch, apply_edges, dot, engine, propagate, softmax_sum, update_all
from dglsent.passing.plans.tree import TreeSchedule
from graphs.door import fn
from graphs.errors import InputError

quick = settings(derandomize=True, deadline=None, max_examples=20)
sentences = st.lists(st.one_of(forests(), binary_trees(), chains()), min_size=1, max_size=4)
WAYS = [("torch", "edges"), ("torch", "dense"), ("dgl", "auto")]
on_engines = pytest.mark.parametrize("on", ["torch", "dgl"])


def in_reading_order(batch):
    """Nodes with a word of each sentence, as they are read."""
    position, sentence = batch.nodes["position"].tolist(), batch.nodes["sentence"].tolist()
    return [
        sorted((n for n in range(batch.num_nodes) if sentence[n] == s and position[n] >= 0), key=position.__getitem__)
        for s in range(batch.size)
    ]


class TestNext:
    @quick
    @given(graphs=sentences)
    def test_from_each_word_to_the_next(self, graphs):
        batch = Batch.of(graphs)
        wanted = [edge for words in in_reading_order(batch) for edge in pairwise(words)]
        src, dst = batch.relation("next").ends
        assert sorted(zip(src.tolist(), dst.tolist(), strict=True)) == sorted(wanted)

    def test_words_are_read_by_position(self):
        turned = renumbered(chain(4), np.array([2, 0, 3, 1]))
        src, dst = Batch.of([turned, tree([-1, 0, 0], phrases=True)]).relation("next").ends
        assert dict(zip(src.tolist(), dst.tolist(), strict=True)) == {1: 3, 3: 0, 0: 2, 5: 6}

    @on_engines
    @pytest.mark.parametrize("direction", ["up", "down"])
    @pytest.mark.parametrize("relation", ["next", "previous"])
    @settings(derandomize=True, deadline=None, max_examples=15)
    @given(graphs=sentences)
    def test_a_propagation_reads_the_words_in_order(self, on, relation, direction, graphs):
        """In base 12 each word's number spells the words so far."""
        batch = Batch.of(graphs)
        batch.nodes["digit"] = batch.nodes["word"].to(torch.float64)[:, None]
        with engine(on):
            propagate(
                batch,
                fn.copy_u("read", "m"),
                fn.sum("m", "before"),
                lambda nodes: {"read": 12 * nodes.data["before"] + nodes.data["digit"]},
                relation=relation,
                direction=direction,
                leaf=lambda nodes: {"read": nodes.data["digit"]},
            )
        rightward = (relation == "next") == (direction == "up")
        wanted = batch.nodes["word"].tolist()
        for words in in_reading_order(batch):
            read = 0
            for node in words if rightward else words[::-1]:
                wanted[node] = read = 12 * read + wanted[node]
        assert batch.nodes["read"].flatten().tolist() == wanted

    @quick
    @given(graphs=sentences)
    def test_the_last_words(self, graphs):
        batch = Batch.of(graphs)
        last = batch.at_last_words(torch.arange(batch.num_nodes))
        assert last.tolist() == [words[-1] for words in in_reading_order(batch)]


class TestAmongWords:
    @quick
    @given(graphs=sentences)
    def test_from_each_word_to_the_one_before(self, graphs):
        batch = Batch.of(graphs)
        src, dst = batch.relation("next").ends
        back = zip(*batch.relation("previous").ends, strict=True)
        assert sorted(back) == sorted(zip(dst, src, strict=True))

    @quick
    @given(graphs=sentences)
    def test_from_each_word_to_every_later_one(self, graphs):
        batch = Batch.of(graphs)
        wanted = [
            (words[i], word) for words in in_reading_order(batch) for t, word in enumerate(words) for i in range(t)
        ]
        src, dst = batch.relation("preceding").ends
        assert list(zip(src.tolist(), dst.tolist(), strict=True)) == wanted

    @quick
    @given(graphs=sentences)
    def test_words_of_one_step_hear_from_equally_many(self, graphs):
        schedule = Batch.of(graphs).relation("preceding").schedule("up")
        assert [len(runs) for runs in schedule.degrees] == [1] * len(schedule.degrees)

    @on_engines
    @settings(derandomize=True, deadline=None, max_examples=15)
    @given(graphs=sentences)
    def test_a_propagation_over_preceding_words(self, on, graphs):
        """One more than all before: powers of two."""
        batch = Batch.of(graphs)
        batch.nodes["one"] = torch.ones(batch.num_nodes, 1, dtype=torch.float64)
        with engine(on):
            propagate(
                batch,
                fn.copy_u("power", "m"),
                lambda nodes: {"before": nodes.mailbox["m"].sum(1)},
                lambda nodes: {"power": nodes.data["before"] + nodes.data["one"]},
                relation="preceding",
                leaf=lambda nodes: {"power": nodes.data["one"]},
            )
        power = batch.nodes["power"].flatten().tolist()
        for words in in_reading_order(batch):
            assert [power[node] for node in words] == [2.0**t for t in range(len(words))]

    @quick
    @given(graphs=sentences)
    def test_neighbours_are_parent_children_and_the_node_itself(self, graphs):
        batch = Batch.of(graphs)
        child = list(zip(*batch.relation("child").ends, strict=True))
        wanted = [*child, *((v, u) for u, v in child), *((n, n) for n in range(batch.num_nodes))]
        assert sorted(zip(*batch.relation("neighbour").ends, strict=True)) == sorted(wanted)

    @quick
    @given(graphs=sentences)
    def test_neighbours_stand_in_the_order_that_the_docs_tell(self, graphs):
        """Fields of them are made of those of the edges of child, as in docs/own-model.md."""
        batch = Batch.of(graphs)
        (src, dst), node = batch.relation().ends, np.arange(batch.num_nodes)
        ends = batch.relation("neighbour").ends
        assert np.array_equal(ends, [np.concatenate([src, dst, node]), np.concatenate([dst, src, node])])


class TestComplete:
    @quick
    @given(graphs=sentences)
    def test_every_node_to_every_node_of_its_sentence(self, graphs):
        batch = Batch.of(graphs)
        sentence = batch.nodes["sentence"].tolist()
        nodes = range(batch.num_nodes)
        wanted = [(u, v) for v in nodes for u in nodes if sentence[u] == sentence[v]]
        src, dst = batch.relation("complete").ends
        assert list(zip(src.tolist(), dst.tolist(), strict=True)) == wanted  # receiver by receiver

    @pytest.mark.parametrize("way", WAYS, ids="-".join)
    def test_fields_of_every_two_words(self, way):
        """A round reads of receiver i and sender j what stands at i n + j of their sentence."""
        graphs = [sentence(size) for size in (3, 1, 4)]
        batch = Batch.of(graphs)
        batch.nodes["one"] = torch.ones(batch.num_nodes, 1)
        batch.nodes["number"] = torch.arange(8.0)
        seen = []

        def message(edges):
            number = 1000 * edges.data["relation"] + 10 * edges.dst["number"] + edges.src["number"]
            seen.append(number)
            return {"score": number.log()}

        with engine(*way):
            attention = softmax_sum(score="score", value="one", out="out", weight="weight")
            update_all(batch, message, attention, relation="complete")
        wanted, weights, first = [], [], 0
        for graph in graphs:
            node = torch.arange(first, first + graph.size)
            relation = torch.from_numpy(graph.pairwise["relation"]).view(graph.size, graph.size)
            table = 1000.0 * relation + 10 * node.unsqueeze(1) + node
            wanted.append(table.flatten())
            weights.append((table / table.sum(1, keepdim=True)).flatten())
            first += graph.size
        torch.testing.assert_close(batch.relation("complete").edges["weight"], torch.cat(weights))
        assert set(torch.cat(wanted).tolist()) <= {x for number in seen for x in number.flatten().tolist()}

    @pytest.mark.parametrize("heads", [(), (2,)])
    @pytest.mark.parametrize("way", WAYS, ids="-".join)
    def test_products_of_queries_and_keys(self, way, heads):
        batch = Batch.of([sentence(size) for size in (3, 1, 4)])
        torch.manual_seed(0)
        q, k, v = torch.randn(3, batch.num_nodes, *heads, 5, dtype=torch.float64)
        batch.nodes.update({"q": q, "k": k, "v": v})
        with engine(*way):
            update_all(
                batch,
                lambda edges: {"score": dot(edges.dst["q"], edges.src["k"])},
                softmax_sum(score="score", value="v", out="out", weight="weight"),
                relation="complete",
            )
        outs = [
            torch.einsum("n...m,m...d->n...d", torch.einsum("n...d,m...d->n...m", a, b).softmax(-1), c)
            for a, b, c in zip(*(x.split([3, 1, 4]) for x in (q, k, v)), strict=True)
        ]
        torch.testing.assert_close(batch.nodes["out"], torch.cat(outs))


class TestAttend:
    @quick
    @given(graphs=pairs(forests()))
    def test_every_node_to_every_node_of_the_other_sentence_and_to_no_other(self, graphs):
        batch = Batch.of([graph for pair in graphs for graph in pair], pairs=True)
        side, pair = batch.nodes["side"].tolist(), batch.nodes["pair"].tolist()
        nodes = range(batch.num_nodes)
        wanted = [(u, v) for v in nodes for u in nodes if pair[u] == pair[v] and side[u] != side[v]]
        src, dst = batch.relation("attend").ends
        assert list(zip(src.tolist(), dst.tolist(), strict=True)) == wanted  # receiver by receiver
        assert batch.relation("attend").graph.num_edges() == len(wanted)

    def test_sides_and_pairs(self):
        batch = Batch.of([tree([-1, 0]), tree([-1]), tree([-1]), chain(3)], pairs=True)
        assert batch.nodes["side"].tolist() == [0, 0, 1, 0, 1, 1, 1]
        assert batch.nodes["pair"].tolist() == [0, 0, 0, 1, 1, 1, 1]
        assert "side" not in Batch.of([tree([-1])]).nodes

    @on_engines
    def test_edge_fields_of_each_relation_are_its_own(self, on):
        batch = Batch.of([tree([-1, 0]), chain(3)], pairs=True)
        batch.nodes["x"] = torch.arange(5.0)
        with engine(on):
            for relation in ("child", "next", "attend"):
                apply_edges(batch, lambda edges: {"d": edges.dst["x"] - edges.src["x"]}, relation=relation)
        assert batch.edges["d"].tolist() == [-1, 1, 1]
        assert batch.relation("next").edges["d"].tolist() == [1, 1, 1]
        assert batch.relation("attend").edges["d"].tolist() == [-2, -3, -4, -1, -2, -3, 2, 1, 3, 2, 4, 3]


class TestRefusals:
    def test_an_odd_number_of_sentences(self):
        with pytest.raises(InputError, match="3 sentences are no pairs"):
            Batch.of([tree([-1])] * 3, pairs=True)

    def test_attend_without_pairs(self):
        with pytest.raises(ValueError, match="pairs=True"):
            Batch.of([tree([-1])] * 2).relation("attend")

    @pytest.mark.parametrize("are_pairs", [False, True])
    def test_unknown_relations(self, are_pairs):
        with pytest.raises(
            ValueError,
            match="no relation 'parent'; there are child, neighbour, next, previous, preceding, complete and",
        ):
            Batch.of([tree([-1])] * 2, pairs=are_pairs).relation("parent")

    @on_engines
    def test_unknown_layouts(self, on):
        with pytest.raises(ValueError, match="'auto', 'dense' or 'edges', not 'sparse'"), engine(on, layout="sparse"):
            pass


def test_relations_may_be_planned_beforehand():
    uses = ["neighbour", ("next", "up"), ("next", "down"), ("preceding", "up"), ("attend", "up"), ("attend", "down")]
    batch = Batch.of([tree(SEVEN), chain(3)], pairs=True, relations=uses)
    assert batch.made == ["child", "neighbour", "next", "preceding", "attend"]
    assert set(batch.relation("next")._schedules) == {"up", "down"}
    assert set(batch.relation("preceding")._schedules) == {"up"}
    attend = batch.relation("attend")
    before = dict(attend._frontiers)
    for direction in ("up", "down"):
        attend.frontiers(batch.relation(), "child", direction)
    assert attend._frontiers == before
    assert len(before) == 2


def test_for_rounds_alone_nothing_more_is_planned():
    batch = Batch.of([tree(SEVEN), chain(3)], pairs=True, directions=["up"], relations=["next", "complete", "attend"])
    assert set(batch.relation()._schedules) == {"up"}
    assert not batch.relation("next")._schedules
    assert not batch.relation("complete")._frontiers
    assert not batch.relation("attend")._frontiers


@pytest.mark.parametrize("direction", ["up", "down"])
def test_nodes_outside_a_relation_do_not_cost_it_the_schedule_of_trees(direction):
    """Phrases have no place in the order of words."""
    phrases = Batch.of([tree([-1, 0, 0, 1, 1], phrases=True), tree([-1, 0, 0], phrases=True)])
    assert isinstance(phrases.relation("next").schedule(direction), TreeSchedule)
