"""Propagation asks the device for no value, forward or backward: on a GPU nothing waits."""

from __future__ import annotations

import pytest
import torch
from random_graphs import SEVEN, awkward_trees, chain, forest, tree
from test_propagate import Net, builtin, leafless, standard
from torch.utils._python_dispatch import TorchDispatchMode

from dglsent.passing import Batch, edge_softmax, update_all
from graphs.door import fn

WAITING = ("_local_scalar_dense", "nonzero", "masked_select", "unique", "_unique2", "bincount", "item", "equal")


class NoWaiting(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        if name in WAITING:
            raise AssertionError(f"{name} waits for the device")
        return function(*args, **(kwargs or {}))


def test_the_guard_sees_what_waits():
    with NoWaiting():
        for wait in (torch.Tensor.item, torch.Tensor.nonzero, torch.Tensor.unique, bool):
            with pytest.raises(AssertionError, match="waits"):
                wait(torch.ones(1))


@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize(
    "build", [standard, leafless, builtin(fn.sum), builtin(fn.mean), builtin(fn.max)], ids=lambda f: f.__name__
)
def test_propagate_does_not_wait(build, direction):
    batch = Batch.of([*awkward_trees()[:6], forest(), chain(5)], plan=[direction])
    net = Net()
    net.fields(batch)
    with NoWaiting():
        build(net, batch, direction)
        batch.at_roots(batch.nodes["h"]).sum().backward()
    assert net.word.grad.any()


def test_rounds_do_not_wait():
    batch = Batch.of([tree(SEVEN), forest()])
    x = torch.randn(batch.num_nodes, 2, requires_grad=True)
    batch.nodes["x"] = x
    assert batch.plan.whole.silent
    with NoWaiting():
        update_all(batch, fn.copy_u("x", "m"), lambda nodes: {"h": nodes.mailbox["m"].sum(1)})
        weight = edge_softmax(batch, batch.nodes["h"][: len(batch.edges["slot"])])
        (weight.sum() + batch.nodes["h"].sum()).backward()
    assert x.grad.any()
