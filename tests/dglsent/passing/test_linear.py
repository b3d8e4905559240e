"""StepLinear is torch.nn.Linear, in and out of a propagation."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from dglsent.passing.linear import StepLinear, shared_weights


def uses(module, xs):
    return sum(module(x).pow(2).sum() * (k + 1) for k, x in enumerate(xs))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("rows", [[3], [1, 2, 3], [200, 5, 300, 1], [(2, 4), (3, 5)]])
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
