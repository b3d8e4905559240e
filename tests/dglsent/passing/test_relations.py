"""The relations of a batch: from each word to the next, and across a pair."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import SEVEN, binary_trees, chain, chains, forests, pairs, renumbered, tree

from dglsent.passing import Batch, apply_edges, engine, propagate
from graphs.door import fn
from graphs.errors import InputError

quick = settings(derandomize=True, deadline=None, max_examples=40)
sentences = st.lists(st.one_of(forests(), binary_trees(), chains()), min_size=1, max_size=4)
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
    @settings(derandomize=True, deadline=None, max_examples=15)
    @given(graphs=sentences)
    def test_a_propagation_reads_the_words_in_order(self, on, direction, graphs):
        """In base 12 each word's number spells the words so far."""
        batch = Batch.of(graphs)
        batch.nodes["digit"] = batch.nodes["word"].to(torch.float64)[:, None]
        with engine(on):
            propagate(
                batch,
                fn.copy_u("read", "m"),
                fn.sum("m", "before"),
                lambda nodes: {"read": 12 * nodes.data["before"] + nodes.data["digit"]},
                relation="next",
                direction=direction,
                leaf=lambda nodes: {"read": nodes.data["digit"]},
            )
        wanted = batch.nodes["word"].tolist()
        for words in in_reading_order(batch):
            read = 0
            for node in words if direction == "up" else words[::-1]:
                wanted[node] = read = 12 * read + wanted[node]
        assert batch.nodes["read"].flatten().tolist() == wanted

    @quick
    @given(graphs=sentences)
    def test_the_last_words(self, graphs):
        batch = Batch.of(graphs)
        last = batch.at_last_words(torch.arange(batch.num_nodes))
        assert last.tolist() == [words[-1] for words in in_reading_order(batch)]


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
        with pytest.raises(ValueError, match="no relation 'parent'; there are child, next, complete and"):
            Batch.of([tree([-1])] * 2, pairs=are_pairs).relation("parent")

    @on_engines
    def test_unknown_layouts(self, on):
        with pytest.raises(ValueError, match="'auto', 'dense' or 'edges', not 'sparse'"), engine(on, layout="sparse"):
            pass


def test_relations_may_be_planned_beforehand():
    batch = Batch.of([tree(SEVEN), chain(3)], pairs=True, plan=["up", "down"], relations=["next", "attend"])
    attend = batch.relation("attend")
    before = dict(attend._frontiers)
    for direction in ("up", "down"):
        attend.frontiers(("child", direction), batch.plan.schedule(direction))
    assert attend._frontiers == before
    assert len(before) == 2
