from __future__ import annotations

from functools import partial

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import DEEP, TALL, binary_trees, caterpillar, depth
from reference.tree_baselines import adamc_rnn

from dglsent.models.adamc_rnn import AdaMCRNN
from dglsent.models.recnn import RecNN

pytestmark = pytest.mark.parametrize("on", ENGINES)
GRAPHS = [caterpillar(d) for d in (0, 1, 6)]


@pytest.mark.parametrize("beta", [1.0, 2.0])
@pytest.mark.parametrize("depths", [(0, 1, 2, 5, DEEP), (0,)])
def test_awkward_trees(on, depths, beta):
    graphs = [caterpillar(min(levels, depth(on) if beta == 1 else TALL)) for levels in depths]
    assert_agrees(build(AdaMCRNN, functions=3, beta=beta), partial(adamc_rnn, beta=beta), graphs, on)


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
def test_drawn_trees(on, graphs):
    assert_agrees(build(AdaMCRNN, functions=3), adamc_rnn, graphs, on)


def recnn_like(encoder, weight, bias):
    """A RecNN with the encoder's words and the given composition."""
    plain = build(RecNN)
    with torch.no_grad():
        plain.embedding.weight.copy_(encoder.embedding.weight)
        plain.W.load_state_dict(encoder.W.state_dict())
        plain.U.weight.copy_(weight)
        plain.U.bias.copy_(bias)
    return plain


def test_with_equal_functions_it_is_a_recnn(on):
    encoder = build(AdaMCRNN, functions=3)
    with torch.no_grad():
        weight, bias = encoder.U.weight[:4].clone(), encoder.U.bias[:4].clone()
        encoder.U.weight.copy_(weight.repeat(3, 1))
        encoder.U.bias.copy_(bias.repeat(3))
    close(encode(encoder, GRAPHS, on)[0], encode(recnn_like(encoder, weight, bias), GRAPHS, on)[0])


def test_without_choice_it_is_a_recnn_of_the_mean_function(on):
    encoder = build(AdaMCRNN, functions=3, beta=0.0)
    weight, bias = (sum(value.detach().chunk(3)) / 3 for value in (encoder.U.weight, encoder.U.bias))
    close(encode(encoder, GRAPHS, on)[0], encode(recnn_like(encoder, weight, bias), GRAPHS, on)[0])
