"""Fields that are made when they are first read."""

from __future__ import annotations

import torch
from random_graphs import tree

from dglsent.passing import Batch, propagate
from graphs.door import fn


def test_a_field_that_is_first_read_without_gradients_keeps_its_own():
    """As where a callback looks at it."""
    batch = Batch.of([tree([-1, 0, 0, 1])])
    x = batch.nodes["x"] = torch.ones(4, requires_grad=True)
    propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]})
    with torch.no_grad():
        batch.nodes["h"].norm()
    batch.nodes["h"].sum().backward()
    assert x.grad.tolist() == [0, 0, 2, 3]


def test_without_gradients_none_is_made_later():
    batch = Batch.of([tree([-1, 0])])
    batch.nodes["x"] = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]})
    assert not batch.nodes["h"].requires_grad
