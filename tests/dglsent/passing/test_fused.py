"""Compiled methods compute what they compute as they are. Here dynamo's own backend stands for a compiler."""

from __future__ import annotations

import warnings

import pytest
import torch
from agreement import build, close
from random_graphs import VOCABULARY, caterpillar, tree
from torch import nn

from dglsent.models.tree_lstm import BinaryTreeLSTM, ChildSumTreeLSTM
from dglsent.passing import Batch, engine, propagate
from dglsent.passing.engines.torch import fused
from graphs.door import fn


@pytest.fixture(autouse=True)
def _backend(monkeypatch):
    monkeypatch.setattr(fused, "BACKEND", "eager")


def of_batch(encoder, graphs, *, fuse):
    batch = Batch.of(graphs)
    with engine("torch", fused=fuse):
        states = encoder.encode(batch)
    return states, torch.autograd.grad(states.square().sum(), list(encoder.parameters()))


@pytest.mark.parametrize(
    ("encoder_class", "graph"), [(BinaryTreeLSTM, caterpillar(3)), (ChildSumTreeLSTM, tree([-1, 0, 0, 1, 1, 3, 3]))]
)
def test_states_and_gradients_are_those_of_the_plain_path(encoder_class, graph):
    encoder, graphs = build(encoder_class), [graph, graph]
    states, gradients = of_batch(encoder, graphs, fuse=False)
    assert encoder not in fused._made
    for _ in range(2):
        fused_states, fused_gradients = of_batch(encoder, graphs, fuse=True)
        close(fused_states, states)
        for one, other in zip(fused_gradients, gradients, strict=True):
            close(one, other)
    assert all(made._run is not None for made in fused._made[encoder].values())


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.word = nn.Embedding(VOCABULARY, 3)

    def leaf(self, nodes):
        return {"h": self.word(nodes.data["word"])}

    def plain(self, nodes):
        return {"h": torch.tanh(nodes.data["sum"])}

    def asks(self, nodes):
        """Depends on a value, which a compiler does not know."""
        total = nodes.data["sum"]
        return {"h": torch.tanh(total) if total.sum() > 0 else torch.sigmoid(total)}

    def looks(self, nodes):
        """Depends on which fields there are."""
        return {"h": nodes.data["sum"] + nodes.data.get("extra", 0)}

    def trains(self, nodes):
        """Reads a field in training alone."""
        return {"h": nodes.data["sum"] * nodes.data["keep"] if self.training else nodes.data["sum"]}

    def errs(self, nodes):
        return {"h": nodes.data["nowhere"]}


class NoModule:
    def plain(self, nodes):
        return {"h": torch.tanh(nodes.data["sum"])}


def run(net, update, *, fuse, **given):
    batch = Batch.of([caterpillar(4)])
    batch.nodes.update(given)
    with engine("torch", fused=fuse):
        propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "sum"), update, leaf=net.leaf)
    return batch.nodes["h"]


def test_what_cannot_be_compiled_runs_as_it_is_and_says_so_once():
    net = Net()
    with pytest.warns(UserWarning, match=r"Net\.asks runs as it is") as said:
        states = run(net, net.asks, fuse=True)
    assert len(said) == 1
    assert "\n" not in str(said[0].message)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        close(run(net, net.asks, fuse=True), states)
    assert not said
    close(run(net, net.asks, fuse=False), states)


def test_the_warning_has_what_the_backend_says(monkeypatch):
    def broken(_graph, _inputs):
        raise RuntimeError("no C++ compiler here\nset CXX")

    monkeypatch.setattr(fused, "BACKEND", broken)
    net = Net()
    with pytest.warns(UserWarning, match=r"Net\.plain runs as it is.*: RuntimeError: no C\+\+ compiler here$"):
        states = run(net, net.plain, fuse=True)
    close(states, run(net, net.plain, fuse=False))


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Data-dependent branching\n  Explanation: ...", "Data-dependent branching"),
        (
            "backend='inductor' raised:\nCppCompileError: C++ compile error\n\nCommand:",
            "CppCompileError: C++ compile error",
        ),
        ("\n\n", "ValueError"),
    ],
)
def test_the_reason_is_one_line_of_an_error(said, reason):
    assert fused._reason(ValueError(said)) == reason


def test_errors_are_those_of_the_function():
    net = Net()
    with pytest.raises(KeyError, match="nowhere"):
        run(net, net.errs, fuse=True)


def test_functions_that_are_no_methods_stay_as_they_are():
    """Nor are methods of what is no model compiled."""
    net, other = Net(), NoModule()
    for own in (lambda nodes: {"h": torch.tanh(nodes.data["sum"])}, other.plain):
        close(run(net, own, fuse=True), run(net, own, fuse=False))
    assert net not in fused._made
    assert other not in fused._made


def test_what_asks_which_fields_there_are_runs_as_it_is():
    net = Net()
    with pytest.warns(UserWarning, match=r"Net\.looks runs as it is.* which fields there are"):
        run(net, net.looks, fuse=True)
    extra = torch.ones(9, 3)
    close(run(net, net.looks, fuse=True, extra=extra), run(net, net.looks, fuse=False, extra=extra))


def test_a_field_that_is_read_in_training_alone():
    net = Net().train()
    keep = torch.full((9, 3), 2.0)
    for _ in range(2):
        close(run(net, net.trains, fuse=True, keep=keep), run(net, net.trains, fuse=False, keep=keep))
    net.eval()
    with pytest.warns(UserWarning, match=r"Net\.trains runs as it is"):
        states = run(net, net.trains, fuse=True)
    close(states, run(net, net.trains, fuse=False))
