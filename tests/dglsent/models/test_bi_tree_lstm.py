from __future__ import annotations

import numpy as np
import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import binary_trees, caterpillar, caterpillars, renumbered, tree
from reference.bi_tree_lstm import bi_tree_lstm

from dglsent.models.bi_tree_lstm import BiTreeLSTM

pytestmark = pytest.mark.parametrize("on", ENGINES)


def made(**sizes):
    return build(BiTreeLSTM, **{"units": 5, **sizes})


class TestAgainstTheReference:
    def check(self, graphs, on):
        assert_agrees(made(), bi_tree_lstm, graphs, on, states=["r"])

    def test_awkward_trees(self, on):
        self.check(caterpillars(on), on)

    def test_only_words(self, on):
        self.check([tree([-1], [4]), tree([-1], [7])], on)

    @settings(derandomize=True, deadline=None, max_examples=6)
    @given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
    def test_drawn_trees(self, on, graphs):
        self.check(graphs, on)


@pytest.mark.parametrize(("bias", "word"), [(60.0, 0), (-60.0, -1)])
def test_an_open_head_gate_takes_the_leftmost_word_to_the_root_a_closed_one_the_rightmost(on, bias, word):
    graph = tree([-1, 0, 0, 1, 1, 2, 2, 6, 6], phrases=True)  # words 3, 4, 5, 7 and 8 from left to right
    encoder = made()
    torch.nn.init.zeros_(encoder.head.weight)
    torch.nn.init.constant_(encoder.head.bias, bias)
    _, batch = encode(encoder, [graph], on)
    x = batch.nodes["x"]
    close(x[0], x[[3, 4, 5, 7, 8][word]])


def test_what_comes_down_tells_a_word_of_its_neighbours(on):
    encoder = made()
    (one, batch), (other, changed) = (encode(encoder, [tree([-1, 0, 0], [0, left, 5])], on) for left in (3, 4))
    close(batch.nodes["h_up"][2], changed.nodes["h_up"][2])
    for name in ("h_down", "r"):
        assert (batch.nodes[name][2] - changed.nodes[name][2]).abs().max() > 1e-4
    assert not torch.equal(one, other)


def test_the_words_under_a_node_are_averaged(on):
    _, batch = encode(made(), [tree([-1, 0, 0, 1, 1], phrases=True)], on)
    down, average = batch.nodes["h_down"], batch.nodes["h_words"]
    close(average, torch.stack([down[[2, 3, 4]].mean(0), down[[3, 4]].mean(0), *down[2:]]))


def test_left_is_not_right(on):
    pair, encoder = caterpillar(1), made()
    mirrored = renumbered(pair, np.array([0, 2, 1]))
    (_, one), (_, other) = (encode(encoder, [graph], on) for graph in (pair, mirrored))
    for name in ("h_up", "h_down"):
        assert (one.nodes[name][0] - other.nodes[name][0]).abs().max() > 1e-3
    # Were the sides one, a root of the same head would be made the same of either child as the left one,
    # and a word under the same root would be sent the same whichever side it stands on.
    with torch.no_grad():
        encoder.head.weight.zero_()
        encoder.head.bias.zero_()
    (_, one), (_, other) = (encode(encoder, [graph], on) for graph in (pair, mirrored))
    assert (one.nodes["h_up"][0] - other.nodes["h_up"][0]).abs().max() > 1e-3
    close(one.nodes["h_down"][0], other.nodes["h_down"][0])
    assert (one.nodes["h_down"][1] - other.nodes["h_down"][2]).abs().max() > 1e-3


def test_size_is_near_the_published_one(on):
    """1.30 million, says the tag-guided hyper TreeLSTM paper, with 300-dimensional words and 150 units."""
    encoder = BiTreeLSTM(build(BiTreeLSTM, dim=300).embedding)
    count = sum(p.numel() for name, p in encoder.named_parameters() if not name.startswith("embedding"))
    assert 1.27e6 < count < 1.30e6
    assert encoder.size == 128
