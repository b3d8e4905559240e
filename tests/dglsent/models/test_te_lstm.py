from __future__ import annotations

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import TAGS, binary_trees, caterpillar, caterpillars, one_word, tree
from reference.tree_baselines import te_lstm

from dglsent.models.te_lstm import TELSTM
from dglsent.models.tree_lstm import BinaryTreeLSTM

pytestmark = pytest.mark.parametrize("on", ENGINES)


def tagged():
    return build(TELSTM, tag_dim=2, tags=TAGS)


@pytest.mark.parametrize("graphs", [caterpillars, one_word])
def test_awkward_trees(on, graphs):
    assert_agrees(tagged(), te_lstm, graphs(on), on, tags=True)


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
def test_drawn_trees(on, graphs):
    assert_agrees(tagged(), te_lstm, graphs, on, tags=True)


def test_without_tag_weights_it_is_a_binary_tree_lstm(on):
    graphs = [caterpillar(d) for d in (0, 1, 6)]
    encoder, plain = tagged(), build(BinaryTreeLSTM)
    for map in (encoder.V, encoder.V_p):
        torch.nn.init.zeros_(map.weight)
    plain.load_state_dict({name: value for name, value in encoder.state_dict().items() if name[0] not in "tV"})
    close(encode(encoder, graphs, on)[0], encode(plain, graphs, on)[0])


@pytest.mark.parametrize("node", [0, 1, 2])
def test_a_phrase_sees_its_own_tag_and_those_of_its_children(on, node):
    graphs = [tree([-1, 0, 0], [1, 3, 4], phrases=True) for _ in range(2)]
    graphs[1].nodes["tag"][node] = TAGS.index("VP")
    encoder = tagged()
    torch.nn.init.zeros_((encoder.V if node == 0 else encoder.V_p).weight)  # else a child's state would tell its tag
    one, other = encode(encoder, graphs, on)[0][[0, 3]]
    assert (one - other).abs().max() > 1e-3
