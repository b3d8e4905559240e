"""Propagation asks the device for no value, forward or backward: on a GPU nothing waits."""

from __future__ import annotations

import pytest
import torch
from random_graphs import SEVEN, awkward_trees, chain, forest, tree
from test_frontier_pass import BUILDS
from test_frontier_pass import Net as Attending
from test_propagate import Net, at_once, builtin, leafless, standard
from test_softmax_sum import ATTENTION, message
from test_softmax_sum import fields as drawn
from waiting import NoWaiting

from dglsent.models.cn3 import CN3
from dglsent.models.lstmn import LSTMN
from dglsent.models.pd_graph import PDGraph
from dglsent.models.self_attention import AttentiveBiLSTM, Transformer
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, edge_softmax, engine, update_all
from dglsent.passing.engines.torch import all_pairs
from graphs.door import fn


def test_the_guard_sees_what_waits():
    with NoWaiting():
        for wait in (torch.Tensor.item, torch.Tensor.nonzero, torch.Tensor.unique, bool):
            with pytest.raises(AssertionError, match="waits"):
                wait(torch.ones(1))


@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize(
    "build", [standard, leafless, at_once, builtin(fn.sum), builtin(fn.mean), builtin(fn.max)], ids=lambda f: f.__name__
)
def test_propagate_does_not_wait(build, direction):
    batch = Batch.of([*awkward_trees()[:6], forest(), chain(5)], directions=[direction])
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
    assert batch.relation().mailboxes.leaves
    with NoWaiting():
        update_all(batch, fn.copy_u("x", "m"), lambda nodes: {"h": nodes.mailbox["m"].sum(1)})
        weight = edge_softmax(batch, batch.nodes["h"][: len(batch.edges["slot"])])
        (weight.sum() + batch.nodes["h"].sum()).backward()
    assert x.grad.any()


def pairs(directions=()):
    return Batch.of(
        [*awkward_trees()[1:6], chain(5), tree([-1]), tree([-1])],
        pairs=True,
        directions=directions,
        relations=["next", *(("attend", direction) for direction in directions)],
    )


@pytest.mark.parametrize("layout", ["edges", "dense"])
@pytest.mark.parametrize("relation", ["attend", "next", "child"])
def test_attention_does_not_wait(relation, layout):
    batch = pairs()
    given = drawn(batch)
    batch.nodes.update(given)
    with NoWaiting(), engine("torch", layout):
        update_all(batch, message, ATTENTION, relation=relation)
        update_all(batch, fn.copy_u("value", "m"), fn.sum("m", "total"), relation=relation)
        weight = batch.relation(relation).edges["weight"]
        (batch.nodes["mean"].sum() + batch.nodes["total"].sum() + weight.square().sum()).backward()
    assert given["value"].grad.any()


@pytest.mark.parametrize("layout", ["edges", "dense"])
@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)
@pytest.mark.parametrize("relation", ["child", "next"])
def test_frontier_passes_do_not_wait(build, direction, layout, relation):
    batch, net = pairs([direction]), Attending()
    net.fields(batch)
    if relation == "next":  # whose steps no encoder asks to be planned together with attend
        batch.relation("attend").frontiers(batch.relation("next"), "next", direction)
    with NoWaiting(), engine("torch", layout):
        net.run(batch, direction, build(net), relation)
        edges = batch.relation("attend").edges
        (batch.nodes["h"].sum() + sum(edges[name].square().sum() for name in edges if name != "near")).backward()
    assert net.word.grad.any()


@pytest.mark.parametrize(
    "made",
    [
        lambda: CN3(WordEmbedding(12, 4), 4, edges=["distance"]),
        lambda: CN3(WordEmbedding(12, 4), 4, context="cnn", scorer="dot", self_loop=False),
        lambda: Transformer(WordEmbedding(12, 4), 4, heads=2),
        lambda: PDGraph(WordEmbedding(12, 4), 4),
        lambda: LSTMN(WordEmbedding(12, 4), 4),
        lambda: AttentiveBiLSTM(WordEmbedding(12, 4), 4),
    ],
    ids=["cn3", "cn3 of windows", "transformer", "pd graph", "lstmn", "pooled"],
)
def test_attention_among_words_does_not_wait(made, monkeypatch):
    monkeypatch.setattr(all_pairs, "_PAIRS", 20)
    encoder = made()
    batch = Batch.of([chain(5), chain(1), chain(3)], directions=encoder.directions, relations=encoder.relations)
    with NoWaiting():
        encoder.readout(batch, encoder.encode(batch)).sum().backward()
    assert encoder.embedding.weight.grad.any()
