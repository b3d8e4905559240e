from __future__ import annotations

import pytest
import torch
from random_graphs import chain, tree
from torch.testing import assert_close

from dglsent.nn.readout import QueryPooling, max_over_words, mean_over_words
from dglsent.passing import Batch
from dglsent.passing.segments import segment_sum

SIZES = [3, 1, 5]

each_readout = pytest.mark.parametrize(
    ("readout", "of_one"), [(max_over_words, lambda s: s.amax(0)), (mean_over_words, lambda s: s.mean(0))]
)


def batch_and_states(*, padded):
    """Sentences, the last node of each a padding node if so wanted, and states that are all below zero."""
    batch = Batch.of([chain(size + padded) for size in SIZES])
    if padded:
        batch.nodes["word"] = torch.cat([torch.tensor([1] * size + [0]) for size in SIZES])
    torch.manual_seed(0)
    return batch, (-1 - torch.rand(batch.num_nodes, 4, dtype=torch.float64)).requires_grad_()


@each_readout
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("garbage", [100.0, torch.inf, torch.nan])
def test_is_that_of_each_sentences_words(readout, of_one, padded, garbage):
    batch, states = batch_and_states(padded=padded)
    parts = [part[:size] for part, size in zip(states.split([size + padded for size in SIZES]), SIZES, strict=True)]
    given = states
    if padded:
        given = torch.where(batch.nodes["word"].unsqueeze(-1) > 0, states, garbage)
    result, wanted = readout(batch, given), torch.stack([of_one(part) for part in parts])
    assert_close(result, wanted)
    weight = torch.rand(wanted.shape, dtype=torch.float64)
    (gradient,) = torch.autograd.grad((result * weight).sum(), states)
    assert_close(gradient, torch.autograd.grad((wanted * weight).sum(), states)[0])


@each_readout
def test_phrases_are_no_words(readout, of_one):
    batch = Batch.of([tree([-1, 0, 0, 1, 1], phrases=True), tree([-1])])
    states = torch.arange(12.0).flip(0).view(6, 2).requires_grad_()
    result, wanted = readout(batch, states), torch.stack([of_one(states[[2, 3, 4]]), of_one(states[[5]])])
    assert torch.equal(result, wanted)
    gradients = [torch.autograd.grad(x.square().sum(), states)[0] for x in (result, wanted)]
    assert torch.equal(*gradients)


@each_readout
def test_gradients(readout, of_one):
    batch, states = batch_and_states(padded=True)
    assert torch.autograd.gradcheck(lambda s: readout(batch, s), states)


def test_a_tie_sends_its_gradient_to_the_first():
    batch = Batch.of([tree([-1, 0, 0])])
    states = torch.tensor([[1.0], [2.0], [2.0]], requires_grad=True)
    max_over_words(batch, states).sum().backward()
    assert states.grad.squeeze(1).tolist() == [0.0, 1.0, 0.0]


@each_readout
def test_does_not_wait_for_the_device(readout, of_one):
    batch, states = batch_and_states(padded=True)
    batch.nodes["word"], batch.nodes["sentence"] = (batch.nodes[name].to("meta") for name in ("word", "sentence"))
    # On "meta" tensors have no values, so that any step which asks for one fails.
    assert readout(batch, states.detach().to("meta")).shape == (len(SIZES), 4)


def test_a_model_in_bfloat16_has_vectors_in_bfloat16():
    """They were float32, which the head of such a model refuses."""
    batch, states = batch_and_states(padded=False)
    for readout in (max_over_words, mean_over_words, QueryPooling(4, 3).to(torch.bfloat16)):
        assert readout(batch, states.to(torch.bfloat16)).dtype == torch.bfloat16
    # Its weights are float32, and so add up to one: in bfloat16 they have eight bits.
    assert_close(segment_sum(batch.nodes["attention"], batch.sentences), torch.ones(len(SIZES)))


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.int64])
def test_the_mean_of_whole_numbers_has_fractions(dtype):
    """It was cut to their type: of truth values it was whether there is one."""
    batch = Batch.of([chain(3), chain(2)])
    states = torch.tensor([[0], [100], [100], [0], [1]]).to(dtype)
    wanted = [part.double().mean().item() for part in states.split([3, 2])]
    assert mean_over_words(batch, states).flatten().tolist() == pytest.approx(wanted)
