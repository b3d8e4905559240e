from __future__ import annotations

import numpy as np
import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import binary_trees, caterpillar, caterpillars, renumbered, tree
from reference.dynamic_compositional import dc_recnn, dc_tree_lstm

from dglsent.models.dynamic_compositional import DCRecNN, DCTreeLSTM
from dglsent.models.recnn import RecNN
from dglsent.models.tree_lstm import BinaryTreeLSTM

BINARY = [caterpillar(depth) for depth in (3, 0, 1, 6)]

on_engines = pytest.mark.parametrize("on", ENGINES)
each_model = pytest.mark.parametrize("encoder_class", [DCRecNN, DCTreeLSTM])
reference = {DCRecNN: dc_recnn, DCTreeLSTM: dc_tree_lstm}


def made(encoder_class):
    return build(encoder_class, meta=3, z=5)


@on_engines
@each_model
class TestAgainstTheReference:
    def check(self, encoder_class, graphs, on):
        assert_agrees(made(encoder_class), reference[encoder_class], graphs, on, states=["h"])

    def test_awkward_trees(self, encoder_class, on):
        self.check(encoder_class, caterpillars(on), on)

    def test_only_words(self, encoder_class, on):
        self.check(encoder_class, [tree([-1], [4]), tree([-1], [7])], on)

    @settings(derandomize=True, deadline=None, max_examples=6)
    @given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
    def test_drawn_trees(self, encoder_class, on, graphs):
        self.check(encoder_class, graphs, on)


@on_engines
def test_a_recnn_that_starts_near_the_mean_equals_the_reference(on):
    encoder = build(DCRecNN, meta=3, z=5, near_mean=True)
    assert "compose.W_z.bias" in encoder.state_dict()
    assert_agrees(encoder, dc_recnn, caterpillars(on), on, states=["h"])


@on_engines
@each_model
class TestStates:
    def test_left_is_not_right(self, encoder_class, on):
        mirrored = renumbered(caterpillar(2), np.array([0, 2, 1, 3, 4]))
        encoder = made(encoder_class)
        root, turned = (encode(encoder, [graph], on)[0][0] for graph in (caterpillar(2), mirrored))
        assert (root - turned).abs().max() > 1e-3

    def test_every_node_has_its_own_composition(self, encoder_class, on):
        _, batch = encode(made(encoder_class), [caterpillar(4)], on)
        z = batch.nodes["z"]
        assert len(z.unique(dim=0)) == len(z)


def fixed(encoder, meta_gates):
    """Make an encoder's z the same at all words and the same at all phrases: hm depends on biases alone."""
    torch.manual_seed(2)
    with torch.no_grad():
        for linear, gates in ((encoder.W_m, [g for g in meta_gates if g != "f"]), (encoder.U_m, meta_gates)):
            linear.weight.zero_()
            for gate, bias in zip(gates, linear.bias.chunk(len(gates)), strict=True):
                bias.fill_(-60.0) if gate == "f" else bias.uniform_(-1.0, 1.0)  # no memory of what is below
    _, batch = encode(encoder, [caterpillar(1)])
    root, word, _ = batch.nodes["z"]
    P, B = encoder.compose.PB.weight.chunk(2, 1)
    return (P * word) @ encoder.compose.Q_x.weight, B @ word, (P * root) @ encoder.compose.Q_h.weight, B @ root


@on_engines
class TestWithOneCompositionForAll:
    def test_dc_recnn_is_a_recnn(self, on):
        dynamic, plain = made(DCRecNN), build(RecNN)
        with torch.no_grad():
            for parameter, value in zip(
                (plain.W.weight, plain.W.bias, plain.U.weight, plain.U.bias), fixed(dynamic, ["g"]), strict=True
            ):
                parameter.copy_(value)
        close(encode(dynamic, BINARY, on)[0], encode(plain, BINARY, on)[0])

    def test_dc_tree_lstm_is_a_tree_lstm(self, on):
        dynamic, plain = made(DCTreeLSTM), build(BinaryTreeLSTM)
        W, b_word, U, b = fixed(dynamic, ["g", "i", "f", "f", "o"])
        with torch.no_grad():
            for parameter, value in ((plain.W.weight, W), (plain.W.bias, b_word)):
                g, i, _, _, o = value.chunk(5)
                parameter.copy_(torch.cat([g, i, o]))
            plain.U.weight.copy_(U)
            plain.U.bias.copy_(b)
        close(encode(dynamic, BINARY, on)[0], encode(plain, BINARY, on)[0])
