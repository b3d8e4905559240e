from __future__ import annotations

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import binary_trees, caterpillar, caterpillars, one_word
from reference.tree_baselines import rntn

from dglsent.models.recnn import RecNN
from dglsent.models.rntn import RNTN

pytestmark = pytest.mark.parametrize("on", ENGINES)


@pytest.mark.parametrize("graphs", [caterpillars, one_word])
def test_awkward_trees(on, graphs):
    assert_agrees(build(RNTN), rntn, graphs(on), on)


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
def test_drawn_trees(on, graphs):
    assert_agrees(build(RNTN), rntn, graphs, on)


def test_without_tensor_it_is_a_recnn(on):
    graphs = [caterpillar(d) for d in (0, 1, 6)]
    encoder, plain = build(RNTN), build(RecNN)
    plain.load_state_dict({name: value for name, value in encoder.state_dict().items() if name != "V.weight"})
    assert (encode(encoder, graphs, on)[0] - encode(plain, graphs, on)[0]).abs().max() > 1e-3
    torch.nn.init.zeros_(encoder.V.weight)
    close(encode(encoder, graphs, on)[0], encode(plain, graphs, on)[0])
