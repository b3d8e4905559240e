from __future__ import annotations

from functools import partial

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import DEEP, TALL, binary_trees, caterpillar, depth
from reference.tree_baselines import adamc_rnn, adamc_rntn

from dglsent.models.adamc_rnn import AdaMCRNN, AdaMCRNTN
from dglsent.models.recnn import RecNN
from dglsent.models.rntn import RNTN
from graphs.errors import InputError

pytestmark = pytest.mark.parametrize("on", ENGINES)
GRAPHS = [caterpillar(d) for d in (0, 1, 6)]


@pytest.mark.parametrize("beta", [1.0, 2.0])
@pytest.mark.parametrize("depths", [(0, 1, 2, 5, DEEP), (0,)])
def test_awkward_trees(on, depths, beta):
    graphs = [caterpillar(min(levels, depth(on) if beta == 1 else TALL)) for levels in depths]
    assert_agrees(build(AdaMCRNN, functions=3, beta=beta), partial(adamc_rnn, beta=beta), graphs, on)


@pytest.mark.parametrize("depths", [(0, 1, 2, 5, TALL), (0,)])
def test_tensors_over_awkward_trees(on, depths):
    assert_agrees(
        build(AdaMCRNTN, functions=3, beta=2.0), partial(adamc_rntn, beta=2.0), [caterpillar(d) for d in depths], on
    )


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
@pytest.mark.parametrize(("encoder", "reference"), [(AdaMCRNN, adamc_rnn), (AdaMCRNTN, adamc_rntn)])
def test_drawn_trees(on, encoder, reference, graphs):
    assert_agrees(build(encoder, functions=3), reference, graphs, on)


def test_with_one_function_of_tensors_it_is_an_rntn(on):
    encoder, plain = build(AdaMCRNTN, functions=1), build(RNTN)
    plain.load_state_dict({name: value for name, value in encoder.state_dict().items() if name != "S.weight"})
    close(encode(encoder, GRAPHS, on)[0], encode(plain, GRAPHS, on)[0])


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


@pytest.mark.parametrize("beta", ["0.5", None])
@pytest.mark.parametrize("encoder", [AdaMCRNN, AdaMCRNTN])
def test_a_sharpness_that_is_no_number(on, encoder, beta):
    with pytest.raises(InputError, match=f"^Real is wanted, and {type(beta).__name__} was given; beta is how sharply"):
        build(encoder, functions=3, beta=beta)
