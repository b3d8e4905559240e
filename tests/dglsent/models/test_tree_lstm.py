from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import (
    DEEP,
    TALL,
    awkward_trees,
    binary_trees,
    caterpillar,
    chain,
    forest,
    forests,
    renumbered,
    tree,
)
from reference.pair_attention import child_sum
from reference.tree_lstm import binary_tree_lstm, child_sum_tree_lstm

from dglsent.models.sequence import SeqLSTM
from dglsent.models.tree_lstm import BinaryTreeLSTM, ChildSumTreeLSTM
from dglsent.passing import Batch, engine

drawn = settings(derandomize=True, deadline=None, max_examples=6)


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize("leaf_cell", ["eq10", "tai"])
class TestBinary:
    def check(self, graphs, on, leaf_cell):
        encoder = build(BinaryTreeLSTM, leaf_cell=leaf_cell)
        assert_agrees(encoder, partial(binary_tree_lstm, leaf_cell=leaf_cell), graphs, on)

    def test_awkward_trees(self, on, leaf_cell):
        depths = (0, 1, 2, 5, DEEP if leaf_cell == "eq10" else TALL)
        self.check([caterpillar(depth) for depth in depths], on, leaf_cell)

    def test_only_words(self, on, leaf_cell):
        self.check([tree([-1], [4]), tree([-1], [7])], on, leaf_cell)

    @drawn
    @given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
    def test_drawn_trees(self, on, leaf_cell, graphs):
        self.check(graphs, on, leaf_cell)


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize("output_gate", [True, False])
class TestChildSum:
    def check(self, graphs, on, output_gate):
        encoder = build(ChildSumTreeLSTM, output_gate=output_gate)
        assert_agrees(encoder, partial(child_sum_tree_lstm, output_gate=output_gate), graphs, on)

    def test_awkward_trees(self, on, output_gate):
        self.check([*awkward_trees(levels=DEEP if output_gate else TALL), forest()], on, output_gate)

    def test_constituency_trees(self, on, output_gate):
        """Any arity and unary chains, with words at the leaves alone."""
        self.check([*awkward_trees(phrases=True, levels=TALL), forest()], on, output_gate)

    @drawn
    @given(graphs=st.lists(forests(), min_size=1, max_size=4))
    def test_drawn_forests(self, on, output_gate, graphs):
        self.check(graphs, on, output_gate)

    def test_on_a_chain_it_is_an_lstm(self, on, output_gate):
        switch = {"output_gate": output_gate}
        tree_lstm, lstm = build(ChildSumTreeLSTM, **switch), build(SeqLSTM, **switch)
        with torch.no_grad():
            for stacked, gates, forget in (
                (lstm.chain.W.weight, tree_lstm.W_gio.weight, tree_lstm.W_f.weight),
                (lstm.chain.W.bias, tree_lstm.W_gio.bias, tree_lstm.W_f.bias),
                (lstm.chain.U.weight, tree_lstm.U_gio.weight, tree_lstm.U_f.weight),
            ):
                g, i, *o = gates.split(4)
                stacked.copy_(torch.cat([g, i, forget, *o]))
        graphs = [chain(size) for size in (1, 2, 9, 30)]
        close(encode(tree_lstm, graphs, on)[0], encode(lstm, graphs, on)[0])


@pytest.mark.parametrize("on", ENGINES)
class TestBiases:
    @pytest.mark.parametrize("phrases", [False, True])
    def test_a_second_one_where_there_is_a_word(self, on, phrases):
        encoder = build(ChildSumTreeLSTM, const_bias="split")
        assert_agrees(encoder, child_sum, awkward_trees(phrases=phrases)[:-1], on)

    def test_words_here_and_there(self, on):
        """Phrases beside inner nodes that have words."""
        encoder = build(ChildSumTreeLSTM, const_bias="split")
        assert_agrees(encoder, child_sum, [*awkward_trees()[:-1], *awkward_trees(phrases=True)[:-1]], on)

    def test_one_bias_is_two_of_which_the_second_is_zero(self, on):
        encoder, split = build(ChildSumTreeLSTM), build(ChildSumTreeLSTM, const_bias="split")
        assert set(split.state_dict()) - set(encoder.state_dict()) == {"word_bias"}
        split.load_state_dict({**encoder.state_dict(), "word_bias": torch.zeros(12)})
        graphs = [*awkward_trees(phrases=True)[:-1], forest()]
        close(encode(split, graphs, on)[0], encode(encoder, graphs, on)[0])

    @pytest.mark.parametrize("const_bias", ["single", "split"])
    def test_phrases_without_words_take_no_product_and_are_the_same(self, on, const_bias):
        """A batch in which some inner node has a word makes W x for all of them."""
        encoder = build(ChildSumTreeLSTM, const_bias=const_bias)
        graphs = awkward_trees(phrases=True)[:-1]
        results = []
        for beside in ([], [tree([-1, 0])]):
            encoder.zero_grad()
            states, batch = encode(encoder, [*graphs, *beside], on)
            assert batch.has_inner_words == bool(beside)
            states = states[: sum(graph.size for graph in graphs)]
            states.square().sum().backward()
            gradients = [torch.zeros_like(p) if p.grad is None else p.grad.to_dense() for p in encoder.parameters()]
            results.append([states, *gradients])
        for fast, slow in zip(*results, strict=True):
            close(fast, slow)

    def test_words_that_phrases_are_given_later_are_read(self, on):
        encoder = build(ChildSumTreeLSTM)
        batch, wanted = Batch.of([tree([-1, 0], phrases=True)]), encode(encoder, [tree([-1, 0], [3, 5])], on)[0]
        batch.nodes["word"] = torch.tensor([3, 5])
        with engine(on):
            close(encoder.encode(batch), wanted)


@pytest.mark.parametrize("on", ENGINES)
class TestWhatAStateDependsOn:
    def test_siblings_may_change_places_in_a_child_sum(self, on):
        wide, order = tree([-1, 0, 0, 0, 1, 1, 3]), np.array([0, 3, 2, 1, 6, 5, 4])
        encoder = build(ChildSumTreeLSTM)
        close(encode(encoder, [renumbered(wide, order)], on)[0], encode(encoder, [wide], on)[0][order])

    def test_but_not_in_a_binary_tree(self, on):
        pair = caterpillar(2)
        mirrored = renumbered(pair, np.array([0, 2, 1, 3, 4]))
        encoder = build(BinaryTreeLSTM)
        root, turned = (encode(encoder, [graph], on)[0][0] for graph in (pair, mirrored))
        assert (root - turned).abs().max() > 1e-3

    @pytest.mark.parametrize("blind", [False, True])
    def test_the_word_of_a_head_reaches_the_root(self, on, blind):
        """DGL's example cell forgets the words of inner nodes; blind, only the forget gate can tell them."""
        encoder = build(ChildSumTreeLSTM)
        if blind:
            torch.nn.init.zeros_(encoder.W_gio.weight)
        one, other = (encode(encoder, [tree([-1, 0], [head, 5])], on)[0] for head in (3, 4))
        close(one[1], other[1])
        assert (one[0] - other[0]).abs().max() > 1e-3

    def test_the_readout_is_the_root_or_the_mean_of_the_roots(self, on):
        encoder = build(ChildSumTreeLSTM)
        states, batch = encode(encoder, [tree([1, -1]), forest(), tree([-1])], on)
        wanted = torch.stack([states[1], states[[2, 4, 8]].mean(0), states[9]])
        close(encoder.readout(batch, states), wanted)
