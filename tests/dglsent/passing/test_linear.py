"""StepLinear is torch.nn.Linear, in and out of a propagation."""

from __future__ import annotations

import pytest
import torch
from random_graphs import SEVEN, chain, tree
from torch import nn
from torch.utils.checkpoint import CheckpointError, checkpoint

from dglsent.models.sequence import SeqLSTM
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, propagate
from dglsent.passing.linear import StepLinear, shared_weights
from graphs.door import fn


def uses(module, xs):
    return sum(module(x).pow(2).sum() * (k + 1) for k, x in enumerate(xs))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [[3], [1, 2, 3], [200, 5, 300, 1], [(2, 4), (3, 5)], [(2, 0), 3, 0]])
def test_gradients_equal_those_of_a_plain_linear(bias, rows):
    torch.manual_seed(0)
    ours, plain = StepLinear(4, 3, bias=bias).double(), nn.Linear(4, 3, bias=bias).double()
    plain.load_state_dict(ours.state_dict())
    shapes = [(r, 4) if isinstance(r, int) else (*r, 4) for r in rows]
    xs = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in shapes]
    with shared_weights():
        loss = uses(ours, xs)
    grads = torch.autograd.grad(loss, [*ours.parameters(), *xs])
    expected = torch.autograd.grad(uses(plain, xs), [*plain.parameters(), *xs])
    for grad, other in zip(grads, expected, strict=True):
        assert torch.allclose(grad, other, rtol=1e-10)


@pytest.mark.parametrize("mixed", [False, True])
def test_a_propagation_may_map_whole_mailboxes_and_what_is_left_of_them(mixed):
    """Of siblings after the first there are none where a node has one child."""
    found = []
    for kind in (StepLinear, nn.Linear):
        torch.manual_seed(1)
        module, batch = kind(4, 4), Batch.of([tree(SEVEN), chain(3)])
        batch.nodes["x"] = torch.randn(batch.num_nodes, 4, requires_grad=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
            propagate(
                batch,
                fn.copy_u("h", "m"),
                lambda nodes, module=module: {"h": module(nodes.mailbox["m"][:, 1:]).sum(1)},
                lambda nodes: {"h": nodes.data["h"] + nodes.data["x"]},
                leaf=lambda nodes: {"h": nodes.data["x"]},
            )
        batch.nodes["h"].sum().backward()
        found.append((batch.nodes["h"], module.weight.grad, batch.nodes["x"].grad))
    for ours, plain in zip(*found, strict=True):
        torch.testing.assert_close(ours, plain, **({"rtol": 0.02, "atol": 0.1} if mixed else {}))


def test_frozen_weights_get_no_gradient_and_inputs_do():
    module = StepLinear(4, 3).requires_grad_(False)
    x = torch.randn(2, 4, requires_grad=True)
    with shared_weights():
        module(x).sum().backward()
    assert module.weight.grad is None
    assert torch.allclose(x.grad, module.weight.sum(0).expand(2, 4))


def test_a_gradient_of_inputs_alone_leaves_nothing_behind():
    """A look at what a prediction depends on, and then a training step on the same graph."""
    torch.manual_seed(0)
    module = StepLinear(3, 2).double()
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    with shared_weights():
        loss = uses(module, [x, 2 * x])
    expected = torch.autograd.grad(loss, [*module.parameters()], retain_graph=True)
    torch.autograd.grad(loss, x, retain_graph=True)
    loss.backward()
    assert expected[0].any()
    for parameter, grad in zip(module.parameters(), expected, strict=True):
        assert torch.equal(parameter.grad, grad)


def test_second_derivatives_are_refused_and_not_wrong():
    """`autograd.grad` goes around a function that is `once_differentiable`, and gives what is left."""
    module = StepLinear(4, 3)
    x = torch.randn(2, 4, requires_grad=True)
    with shared_weights():
        loss = uses(module, [x, x.tanh()])
    with pytest.raises(RuntimeError, match="second derivatives"):
        torch.autograd.grad(loss, module.weight, create_graph=True)


def test_gradients_of_several_outputs_at_once_are_those_one_after_the_other():
    torch.manual_seed(0)
    module = StepLinear(4, 3)
    x = torch.randn(2, 4, requires_grad=True)

    def outputs():
        with shared_weights():
            return torch.stack([uses(module, [x, x.tanh()]), uses(module, [x.sin()])])

    inputs = [module.weight, x]
    at_once = torch.autograd.grad(outputs(), inputs, torch.eye(2), is_grads_batched=True)
    for number, row in enumerate(torch.eye(2)):
        for grads, expected in zip(at_once, torch.autograd.grad(outputs(), inputs, row), strict=True):
            torch.testing.assert_close(grads[number], expected)


def test_a_checkpoint_that_computes_again_outside_the_propagation_is_told():
    """There is no propagation in the backward pass, and what a plain product saves is not what was saved."""
    U, batch = StepLinear(4, 4), Batch.of([tree(SEVEN), chain(3)])
    batch.nodes["x"] = torch.randn(batch.num_nodes, 4, requires_grad=True)
    propagate(
        batch,
        fn.copy_u("h", "m"),
        fn.sum("m", "s"),
        lambda nodes: {"h": checkpoint(lambda s: torch.tanh(U(s)), nodes.data["s"], use_reentrant=False)},
        leaf=lambda nodes: {"h": torch.tanh(U(nodes.data["x"]))},
    )
    with pytest.raises(CheckpointError, match="different number of tensors"):
        batch.nodes["h"].sum().backward()


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_around_a_whole_propagation_has_its_gradients(reentrant):
    U, batch = StepLinear(4, 4), Batch.of([tree(SEVEN), chain(3)])
    given, found = torch.randn(batch.num_nodes, 4), []

    def encode(x):
        batch.nodes["x"] = x
        propagate(
            batch,
            fn.copy_u("h", "m"),
            fn.sum("m", "s"),
            lambda nodes: {"h": torch.tanh(U(nodes.data["s"]))},
            leaf=lambda nodes: {"h": torch.tanh(U(nodes.data["x"]))},
        )
        return batch.nodes["h"]

    for again in (False, True):
        x = given.clone().requires_grad_()
        U.zero_grad()
        states = checkpoint(encode, x, use_reentrant=reentrant) if again else encode(x)
        states.pow(2).sum().backward()
        found.append((x.grad, U.weight.grad.clone()))
    torch.testing.assert_close(found[1], found[0])


@pytest.mark.filterwarnings("ignore:None of the inputs have requires_grad:UserWarning")
@pytest.mark.parametrize("reentrant", [True, False])
def test_a_checkpoint_that_is_given_a_batch_alone(reentrant):
    """docs/engine.md says that the reentrant one wants a tensor with a gradient, as torch does."""
    encoder = SeqLSTM(WordEmbedding(20, 4), hidden=3)
    batch = Batch.of([chain(3)])
    assert checkpoint(encoder.encode, batch, use_reentrant=reentrant).requires_grad != reentrant


@pytest.mark.parametrize(("words", "reached"), [(1, False), (2, True)])
def test_a_batch_in_which_nobody_hears_anybody_reaches_no_weight_between_words(words, reached):
    """As docs/own-loop.md says for DistributedDataParallel."""
    encoder = SeqLSTM(WordEmbedding(20, 4), hidden=3)
    encoder.encode(Batch.of([chain(words)])).sum().backward()
    assert (encoder.chain.U.weight.grad is not None) == reached
