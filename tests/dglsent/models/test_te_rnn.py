from __future__ import annotations

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import TAGS, binary_trees, caterpillar, caterpillars, one_word, tree
from reference.tree_baselines import te_rnn

from dglsent.models.recnn import RecNN
from dglsent.models.te_rnn import TERNN

pytestmark = pytest.mark.parametrize("on", ENGINES)


def tagged():
    return build(TERNN, tag_dim=2, tags=TAGS)


@pytest.mark.parametrize("graphs", [caterpillars, one_word])
def test_awkward_trees(on, graphs):
    assert_agrees(tagged(), te_rnn, graphs(on), on, tags=True, states=["h", "e"])


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
def test_drawn_trees(on, graphs):
    assert_agrees(tagged(), te_rnn, graphs, on, tags=True, states=["h", "e"])


def test_without_tag_weights_it_is_a_recnn_beside_tags(on):
    graphs = [caterpillar(d) for d in (0, 1, 6)]
    encoder, plain = tagged(), build(RecNN)
    torch.nn.init.zeros_(encoder.V.weight)
    plain.load_state_dict({name: value for name, value in encoder.state_dict().items() if name[0] not in "tV"})
    states, batch = encode(encoder, graphs, on)
    assert encoder.size == states.shape[1] == 6
    close(states[:, :4], encode(plain, graphs, on)[0])
    close(states[:, 4:], encoder.tag[batch.nodes["tag"]])


def test_h_sees_the_tags_of_the_children_and_not_its_own(on):
    pair = tree([-1, 0, 0], [1, 3, 4], phrases=True)
    encoder = tagged()
    root = encode(encoder, [pair], on)[0][0]
    for node, changes in ((0, False), (1, True), (2, True)):
        other = tree([-1, 0, 0], [1, 3, 4], phrases=True)
        other.nodes["tag"][node] = TAGS.index("VP")
        h = encode(encoder, [other], on)[0][0, :4]
        assert ((h - root[:4]).abs().max() > 1e-3) == changes
