"""What message functions may do where every node hears every node, the edges listed or padded."""

from __future__ import annotations

import pickle

import pytest
import torch
from random_graphs import chain, tree
from torch import nn

from dglsent.passing import Batch, dot, engine, softmax_sum, update_all
from graphs.door import fn

WIDTH = 3
JOINS = {
    "concatenated": lambda a, b, W: torch.cat([a, b], -1).tanh() @ W[0],
    "bilinear": lambda a, b, W: nn.functional.bilinear(a, b, W[None, :WIDTH, :WIDTH]).squeeze(-1),
    "dot, sender first": lambda a, b, W: dot(b, a),
}


@pytest.mark.parametrize("relation", ["attend", "complete"])
@pytest.mark.parametrize("join", JOINS)
def test_senders_and_receivers_may_be_joined_by_any_operation(relation, join):
    """Over padded tensors each end has a dimension of length 1, which only operations that broadcast take."""
    found = []
    for way in ("dense", "edges", "auto"):
        torch.manual_seed(0)
        W = torch.randn(2 * WIDTH, 2 * WIDTH, dtype=torch.float64, requires_grad=True)
        batch = Batch.of([tree([-1, 0, 0]), chain(2), chain(1), tree([-1, 0])], pairs=True)
        x = batch.nodes["x"] = torch.randn(batch.num_nodes, WIDTH, dtype=torch.float64, requires_grad=True)
        with engine("torch", layout=way):
            update_all(
                batch,
                lambda edges, W=W: {"score": JOINS[join](edges.dst["x"], edges.src["x"], W)},
                softmax_sum(score="score", value="x", out="mean", weight="weight"),
                relation=relation,
            )
        out = batch.nodes["mean"]
        loss = out.square().sum()
        found.append((out, *torch.autograd.grad(loss, [x, W], allow_unused=True)))
    for other in found[1:]:
        for ours, theirs in zip(found[0], other, strict=True):
            assert (ours is None) == (theirs is None)
            if ours is not None:
                torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("way", ["dense", "edges"])
def test_errors_of_a_message_function_stay_its_own(way):
    batch = Batch.of([chain(3), chain(2)])
    batch.nodes["x"] = torch.randn(5, 3)
    with engine("torch", layout=way), pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        update_all(
            batch,
            lambda edges: {"score": nn.functional.linear(edges.src["x"], torch.ones(1, 4)).squeeze(-1)},
            softmax_sum(score="score", value="x", out="mean", weight="weight"),
            relation="complete",
        )


@pytest.mark.parametrize("way", ["dense", "edges"])
def test_whole_numbers_are_averaged_too(way):
    batch = Batch.of([chain(3), chain(2)])
    batch.nodes["x"] = torch.tensor([[0], [3], [6], [1], [2]])
    with engine("torch", layout=way):
        update_all(
            batch,
            lambda edges: {"score": (edges.dst["x"] * edges.src["x"] * 0.0).sum(-1)},
            softmax_sum(score="score", value="x", out="mean", weight="weight"),
            relation="complete",
        )
    torch.testing.assert_close(batch.nodes["mean"], torch.tensor([[3.0], [3], [3], [1.5], [1.5]]))


@pytest.mark.parametrize("way", ["dense", "edges"])
def test_a_product_of_fields_without_a_dimension_is_no_sum(way):
    batch = Batch.of([chain(3), chain(2)])
    batch.nodes["x"], batch.nodes["v"] = torch.arange(5.0), torch.ones(5, 2)
    with engine("torch", layout=way), pytest.raises(ValueError, match="without a dimension to sum over"):
        update_all(
            batch,
            fn.u_dot_v("x", "x", "score"),
            softmax_sum(score="score", value="v", out="mean", weight="weight"),
            relation="complete",
        )


def test_a_batch_crosses_processes_after_a_round():
    batch = Batch.of([chain(3), chain(2)])
    batch.nodes["x"] = torch.randn(5, 3)
    with engine("torch", layout="dense"):
        update_all(
            batch,
            lambda edges: {"score": dot(edges.dst["x"], edges.src["x"])},
            softmax_sum(score="score", value="x", out="mean", weight="weight"),
            relation="complete",
        )
    copy = pickle.loads(pickle.dumps(batch))
    weight = copy.relation("complete").edges["weight"]
    torch.testing.assert_close(weight, batch.relation("complete").edges["weight"])
