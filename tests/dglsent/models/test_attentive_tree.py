from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from agreement import ENGINES, assert_pairs_agree, build, close, encode, encode_pairs
from hypothesis import given, settings
from random_graphs import SEVEN, TALL, awkward_trees, binary_trees, depth, forests, pairs, renumbered, tree
from reference.attentive_tree import attentive_tree_gru, attentive_tree_lstm

from dglsent.models.attentive_tree import AttentiveTreeGRU, AttentiveTreeLSTM
from dglsent.models.tree_gru import ChildSumTreeGRU
from dglsent.models.tree_lstm import ChildSumTreeLSTM
from dglsent.passing import Batch

MODELS = {
    "lstm": (AttentiveTreeLSTM, attentive_tree_lstm, {}),
    "lstm without transform": (AttentiveTreeLSTM, attentive_tree_lstm, {"att_transform": False}),
    "lstm without output gate": (AttentiveTreeLSTM, attentive_tree_lstm, {"output_gate": False}),
    "gru": (AttentiveTreeGRU, attentive_tree_gru, {}),
    "gru without transform": (AttentiveTreeGRU, attentive_tree_gru, {"att_transform": False}),
    "gru that carries sums": (AttentiveTreeGRU, attentive_tree_gru, {"carry_sum": True}),
}
CELLS = {AttentiveTreeLSTM: ChildSumTreeLSTM, AttentiveTreeGRU: ChildSumTreeGRU}
UNARY = [1, 2, 3, 4, -1]

on_engines = pytest.mark.parametrize("on", ENGINES)
each_model = pytest.mark.parametrize("model", MODELS)
each_cell = pytest.mark.parametrize("encoder_class", CELLS)


def check(model, graphs, on):
    encoder_class, reference, switches = MODELS[model]
    encoder = build(encoder_class, **switches)
    assert_pairs_agree(encoder, partial(reference, **switches), graphs, (on, "auto"), relation="child")


def paired(graphs):
    """Each with the next, and the last with the first, so that large ones meet small ones."""
    return list(zip(graphs, [*graphs[1:], graphs[0]], strict=True))


@on_engines
@each_model
class TestAgainstTheReference:
    @pytest.mark.parametrize("phrases", [False, True])
    def test_awkward_trees(self, on, model, phrases):
        check(model, paired(awkward_trees(phrases=phrases, levels=TALL)), on)


@on_engines
@pytest.mark.parametrize("model", ["lstm", "gru"])
class TestDrawn:
    """The awkward trees above are for the variants too."""

    @settings(derandomize=True, deadline=None, max_examples=6)
    @given(graphs=pairs(forests(roots=1)))
    def test_trees(self, on, model, graphs):
        """Nodes are numbered in any order, so that the guide is to follow the positions."""
        check(model, graphs, on)

    @settings(derandomize=True, deadline=None, max_examples=6)
    @given(graphs=pairs(binary_trees()))
    def test_binary_trees(self, on, model, graphs):
        check(model, graphs, on)


@on_engines
@pytest.mark.parametrize("model", ["lstm", "gru"])
def test_deep(on, model):
    check(model, [(tree([-1, *range(depth(on))]), tree(SEVEN))], on)


@on_engines
@each_cell
class TestAttention:
    def test_only_words(self, on, encoder_class):
        """No edges, no attention: what the pair says cannot reach the states."""
        encoder = build(encoder_class)
        states, _ = encode_pairs(encoder, [(tree([-1], [4]), tree([-1], [7]))], (on, "auto"))
        others, _ = encode_pairs(encoder, [(tree([-1], [4]), tree([-1], [8]))], (on, "auto"))
        assert states.isfinite().all()
        close(states[0], others[0])

    def test_without_w_all_children_count_alike(self, on, encoder_class):
        encoder = build(encoder_class)
        torch.nn.init.zeros_(encoder.attention.w)
        _, batch = encode_pairs(encoder, [(tree(SEVEN), tree([-1, 0, 0, 1]))], (on, "auto"))
        close(batch.edges["attention"], torch.tensor([1 / 7] * 7 + [1 / 2, 1 / 2, 1], dtype=torch.float64))

    def test_the_only_child_has_all_attention(self, on, encoder_class):
        _, batch = encode_pairs(build(encoder_class), [(tree(UNARY), tree(UNARY))], (on, "auto"))
        assert batch.edges["attention"].tolist() == [1.0] * 8

    def test_without_transform_one_child_everywhere_is_a_child_sum(self, on, encoder_class):
        encoder, plain = build(encoder_class, att_transform=False), build(CELLS[encoder_class])
        plain.load_state_dict({name: encoder.state_dict()[name] for name in plain.state_dict()})
        graphs = [(tree(UNARY), tree([-1])), (tree([-1, 0]), tree(UNARY))]
        states, _ = encode_pairs(encoder, graphs, (on, "auto"))
        close(states, encode(plain, [graph for pair in graphs for graph in pair], on)[0])

    def test_siblings_may_change_places(self, on, encoder_class):
        wide, order = tree([-1, 0, 0, 0, 1, 1, 3]), np.array([0, 3, 2, 1, 6, 5, 4])
        encoder, other = build(encoder_class), tree([1, -1, 1])
        states, turned = (
            encode_pairs(encoder, [(graph, other)], (on, "auto"))[0] for graph in (wide, renumbered(wide, order))
        )
        close(turned[:7], states[:7][order])
        close(turned[7:], states[7:])  # the words of `wide` are read in the same order


@on_engines
def test_a_gru_that_carries_sums_and_whose_gate_does_not_hear_attention_is_a_tree_gru(on):
    encoder, plain = build(AttentiveTreeGRU, carry_sum=True), build(ChildSumTreeGRU)
    torch.nn.init.zeros_(encoder.U_z.weight)
    plain.load_state_dict({name: encoder.state_dict()[name] for name in plain.state_dict()})
    graphs = [tree(SEVEN), tree([-1, 0, 0, 1])]
    close(encode_pairs(encoder, [tuple(graphs)], (on, "auto"))[0], encode(plain, graphs, on)[0])


@on_engines
@each_cell
class TestGuide:
    PAIRS = ((tree(SEVEN), tree([1, -1, 1])), (tree([-1]), tree(UNARY)), (tree([2, 2, -1, 2]), tree([-1, 0])))

    def test_alone_is_as_in_a_batch(self, on, encoder_class):
        encoder = build(encoder_class)
        together, _ = encode_pairs(encoder, self.PAIRS, (on, "auto"))
        close(torch.cat([encode_pairs(encoder, [pair], (on, "auto"))[0] for pair in self.PAIRS]), together)

    def test_swapping_the_sentences_swaps_their_vectors(self, on, encoder_class):
        encoder = build(encoder_class)
        vectors, turned = (
            encoder.readout(batch, states)
            for states, batch in (
                encode_pairs(encoder, graphs, (on, "auto"))
                for graphs in (self.PAIRS, [(other, one) for one, other in self.PAIRS])
            )
        )
        close(turned.view(3, 2, -1).flip(1), vectors.view(3, 2, -1))

    def test_it_is_the_other_sentence(self, on, encoder_class):
        """Another last word there, and the children here count otherwise."""
        encoder = build(encoder_class)
        (one, _), (other, _) = (
            encode_pairs(encoder, [(tree([-1, 0, 0]), tree([-1, 0], [5, last]))], (on, "auto")) for last in (3, 4)
        )
        assert (one[0] - other[0]).abs().max() > 1e-6
        close(one[1:3], other[1:3])

    def test_it_may_stay_as_it_was_initialised(self, on, encoder_class):
        learned, left = build(encoder_class), build(encoder_class, detach_guide=True)
        results = []
        for encoder in (learned, left):
            states, _ = encode_pairs(encoder, self.PAIRS, (on, "auto"))
            states.square().sum().backward()
            results.append(states.detach())
        close(*results)
        for p in learned.guide.parameters():
            assert p.grad.any()
        for p in left.guide.parameters():
            assert p.grad is None or not p.grad.any()
        assert left.attention.U_m.weight.grad.any()
        close(left.attention.U_m.weight.grad, learned.attention.U_m.weight.grad)
        assert (left.embedding.weight.grad.to_dense() - learned.embedding.weight.grad.to_dense()).abs().max() > 1e-6


@each_cell
def test_sentences_that_are_no_pairs_guide_nobody(encoder_class):
    encoder = build(encoder_class)
    graphs = [tree(SEVEN), tree([-1])]
    with pytest.raises(ValueError, match="pairs=True"):
        encoder.encode(Batch.of(graphs, relations=encoder.relations))
