from __future__ import annotations

import numpy as np
import pytest
from agreement import ENGINES, assert_agrees, build, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import DEEP, binary_trees, caterpillar, renumbered, tree
from reference.recnn import recnn

from dglsent.models.recnn import RecNN

pytestmark = pytest.mark.parametrize("on", ENGINES)


@pytest.mark.parametrize("graphs", [[caterpillar(d) for d in (0, 1, 2, 5, DEEP)], [tree([-1], [4])]])
def test_awkward_trees(on, graphs):
    assert_agrees(build(RecNN), recnn, graphs, on)


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
def test_drawn_trees(on, graphs):
    assert_agrees(build(RecNN), recnn, graphs, on)


def test_left_is_not_right(on):
    pair = caterpillar(2)
    mirrored = renumbered(pair, np.array([0, 2, 1, 3, 4]))
    root, turned = (encode(build(RecNN), [graph], on)[0][0] for graph in (pair, mirrored))
    assert (root - turned).abs().max() > 1e-3
