from __future__ import annotations

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import VOCABULARY, binary_trees, caterpillar, caterpillars, one_word, tree
from reference.tree_baselines import mv_rnn

from dglsent.models.mv_rnn import MVRNN
from dglsent.models.recnn import RecNN
from dglsent.nn.embeddings import WordEmbedding

pytestmark = pytest.mark.parametrize("on", ENGINES)


def small(hidden=3):
    """Matrices of phrases are products of W_M alone: with small weights they do not explode in a deep tree."""
    encoder = build(MVRNN, hidden, rank=2)
    torch.nn.init.uniform_(encoder.W_M, -0.4, 0.4)
    return encoder


@pytest.mark.parametrize("graphs", [caterpillars, one_word])
def test_awkward_trees(on, graphs):
    assert_agrees(small(), mv_rnn, graphs(on), on, states=["h"])


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
def test_drawn_trees(on, graphs):
    assert_agrees(small(4), mv_rnn, graphs, on, states=["h"])


def test_matrices_start_near_the_identity(on):
    torch.manual_seed(0)
    encoder = MVRNN(WordEmbedding(VOCABULARY, 3), 10)
    _, batch = encode(encoder, [caterpillar(8)], on)
    away = (batch.nodes["A"] - torch.eye(10)).abs().amax((1, 2))
    assert away.min() > 0
    assert away.max() < 0.3


def test_with_identity_matrices_it_is_a_recnn(on):
    graphs = [caterpillar(d) for d in (0, 1, 6)]
    encoder, plain = build(MVRNN), build(RecNN)
    with torch.no_grad():
        encoder.U.weight.zero_()
        encoder.v.weight.fill_(1)
        encoder.W_M.copy_(torch.eye(4).repeat(1, 2) / 2)
        plain.embedding.weight.copy_(encoder.embedding.weight)
        for mine, other in ((encoder.W_leaf, plain.W), (encoder.W, plain.U)):
            other.load_state_dict(mine.state_dict())
    states, batch = encode(encoder, graphs, on)
    close(states, encode(plain, graphs, on)[0])
    close(batch.nodes["A"], torch.eye(4, dtype=torch.float64).expand(batch.num_nodes, 4, 4))


def test_the_matrix_of_a_word_changes_its_sibling(on):
    """The left vector meets the right word's matrix: with W's right half zero, the left word's is never seen."""
    encoder = build(MVRNN)
    torch.nn.init.zeros_(encoder.W.weight[:, 4:])
    pair = tree([-1, 0, 0], [1, 3, 4], phrases=True)
    root = encode(encoder, [pair], on)[0][0]
    for word, changes in ((3, False), (4, True)):
        other = build(MVRNN)
        other.load_state_dict(encoder.state_dict())
        other.v.weight.data[word] += 1
        assert ((encode(other, [pair], on)[0][0] - root).abs().max() > 1e-3) == changes
