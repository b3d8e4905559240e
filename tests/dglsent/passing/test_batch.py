"""A batch: fields in dgl.batch's order, readout, moving, writing back."""

from __future__ import annotations

import pickle

import torch
from random_graphs import SEVEN, chain, forest, tree

from dglsent.passing import Batch, propagate
from graphs.door import dgl, fn


def test_fields_follow_dgl_batch():
    sentences = [tree(SEVEN), chain(3), forest(), tree([-1])]
    batch = Batch.of(sentences)
    expected = dgl.batch([sentence.dgl() for sentence in sentences])
    assert torch.equal(batch.nodes["word"], expected.ndata["word"])
    assert torch.equal(batch.edges["slot"], expected.edata["slot"])
    for ours, theirs in zip(batch.graph.edges(), expected.edges(), strict=True):
        assert torch.equal(ours, theirs)
    assert batch.graph.batch_num_nodes().tolist() == expected.batch_num_nodes().tolist() == [8, 3, 7, 1]
    assert batch.graph.batch_num_edges().tolist() == expected.batch_num_edges().tolist()


def test_readout_is_the_mean_of_the_roots():
    batch = Batch.of([tree([1, -1]), forest(), tree([-1])])
    states = torch.arange(10.0, dtype=torch.float64)[:, None].repeat(1, 2).requires_grad_()
    roots = batch.at_roots(states)
    assert roots[:, 0].tolist() == [1.0, (2 + 4 + 8) / 3, 9.0]
    roots.sum().backward()
    assert torch.allclose(
        states.grad[:, 0], torch.tensor([0, 1, 1 / 3, 0, 1 / 3, 0, 0, 0, 1 / 3, 1], dtype=torch.float64)
    )


def test_first_nodes():
    batch = Batch.of([chain(3), tree([-1]), chain(2)])
    assert batch.at_first(torch.arange(6)).tolist() == [0, 3, 4]


def test_write_back_puts_fields_on_the_graph():
    batch = Batch.of([tree([-1, 0])])
    batch.nodes["x"] = torch.ones(2, 3, requires_grad=True)
    graph = batch.write_back()
    assert graph is batch.graph
    assert graph.ndata["x"].shape == (2, 3)
    assert not graph.ndata["x"].requires_grad
    assert set(graph.edata) == {"slot"}


def test_to_moves_fields_targets_and_plan():
    batch = Batch.of([tree(SEVEN), chain(3)], plan=["up"])
    batch.targets["label"] = torch.tensor([1, 0])
    assert batch.to("meta") is batch
    assert batch.nodes["word"].is_meta
    assert batch.edges["slot"].is_meta
    assert batch.targets["label"].is_meta
    assert batch.device.type == "meta"
    assert batch.plan.schedule("up").order.is_meta
    assert batch.plan.schedule("down").order.is_meta
    assert batch.plan.incidence("src").row.is_meta
    assert batch.graph.device.type == "cpu"


def test_a_batch_crosses_processes():
    """Loader workers send batches to the training process."""
    batch = Batch.of([tree(SEVEN), chain(3)], plan=["up"])
    copy = pickle.loads(pickle.dumps(batch))
    for each in (batch, copy):
        propagate(each, fn.copy_u("s", "m"), fn.sum("m", "s"), leaf=lambda nodes: {"s": nodes.data["word"].float()})
    assert torch.equal(batch.nodes["s"], copy.nodes["s"])


def test_chains_run_on_the_tree_schedule_both_ways():
    plan = Batch.of([chain(3), chain(5), tree([-1])]).plan
    assert plan.schedule("up").tree is not None
    assert plan.schedule("down").tree is not None
    assert Batch.of([tree(SEVEN)]).plan.schedule("down").tree is None
