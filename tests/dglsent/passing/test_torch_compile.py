"""A model in the hands of `torch.compile`: the engines are gone around, and what it says is what it says without."""

from __future__ import annotations

from functools import partial

import pytest
import torch
from families import each_once, prepared
from torch import Tensor

# Over trees, over chains and windows, all words at once, frontier passes, and pairs.
FAMILIES = {
    name: known
    for name, known in each_once().items()
    if name.startswith(
        ("BinaryTreeLSTM-Cl", "ChildSumTreeLSTM-", "WindowLSTM-", "CN3-Cl", "ProgressiveAttention-Child")
    )
}


def gradients(model: torch.nn.Module, loss: Tensor) -> dict[str, Tensor]:
    model.zero_grad()
    loss.backward()
    return {
        name: weight.grad.to_dense().clone() for name, weight in model.named_parameters() if weight.grad is not None
    }


@pytest.mark.parametrize("family", FAMILIES)
def test_losses_and_gradients_are_those_without(family: str) -> None:
    torch._dynamo.reset()
    _, model, data, shortest = prepared(FAMILIES[family])
    model.eval()
    compiled = torch.compile(model.loss, backend="eager")
    for index in ([*shortest], [shortest[0]], range(len(data))):
        make = partial(data.batch, list(index), model.encoder.directions, model.encoder.relations)
        plain, other = model.loss(make()), compiled(make())
        assert torch.equal(plain, other)
        wanted, found = gradients(model, plain), gradients(model, other)
        assert wanted.keys() == found.keys()
        assert all(torch.equal(wanted[name], found[name]) for name in wanted)
