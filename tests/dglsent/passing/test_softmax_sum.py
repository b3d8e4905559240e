"""softmax_sum: attention as a reducer, in propagations and rounds, on both engines."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from random_graphs import SEVEN, chain, forest, forests, pairs, tree
from torch.autograd import gradcheck

from dglsent.passing import Batch, at_once, dot, engine, propagate, softmax_sum, update_all
from dglsent.passing.engines.torch import all_pairs
from dglsent.passing.plans import all_pairs as plans
from graphs.door import fn

OURS = [("torch", "edges"), ("torch", "dense")]
WAYS = [*OURS, ("dgl", "auto")]
ATTENTION = softmax_sum(score="score", value="value", out="mean", weight="weight")
quick = settings(derandomize=True, deadline=None, max_examples=25)
on_ways = pytest.mark.parametrize("way", WAYS, ids="-".join)


def message(edges):
    return {"score": dot(edges.dst["query"], edges.src["key"])}


def fields(batch):
    torch.manual_seed(0)
    drawn = {name: torch.randn(batch.num_nodes, 2, dtype=torch.float64) for name in ("query", "key", "value")}
    return {name: value.requires_grad_() for name, value in drawn.items()}


def plainly(batch, relation, given):
    """Weights in the order of the relation's edges and means of all nodes, node by node."""
    src, dst = map(torch.from_numpy, batch.relation(relation).ends)
    weight = torch.zeros(len(src), dtype=torch.float64)
    mean = []
    for node in range(batch.num_nodes):
        here = (dst == node).nonzero().flatten()
        a = (given["key"][src[here]] @ given["query"][node]).softmax(0)
        weight = weight.index_add(0, here, a)
        mean.append(a @ given["value"][src[here]])
    return torch.stack(mean), weight


def round_over(batch, relation, given, way):
    for name, value in given.items():
        batch.nodes[name] = value
    with engine(*way):
        update_all(batch, message, ATTENTION, relation=relation)
    return batch.nodes["mean"], batch.relation(relation).edges["weight"]


def assert_same(found, wanted, inputs):
    torch.manual_seed(1)
    loss = wanted_loss = 0
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)
        scale = torch.randn_like(other)
        loss, wanted_loss = loss + (one * scale).sum(), wanted_loss + (other * scale).sum()
    gradients = [torch.autograd.grad(x, inputs, allow_unused=True) for x in (loss, wanted_loss)]
    for one, other in zip(*gradients, strict=True):
        one, other = (torch.zeros_like(inputs[0]) if x is None else x for x in (one, other))
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-11)


@on_ways
class TestRound:
    @pytest.mark.parametrize("relation", ["child", "attend", "next"])
    def test_against_plain_torch(self, way, relation):
        @quick
        @given(graphs=pairs(forests()))
        def check(graphs):
            batch = Batch.of([graph for pair in graphs for graph in pair], pairs=True)
            given = fields(batch)
            if len(batch.relation(relation).ends[0]):
                found = round_over(batch, relation, given, way)
                assert_same(found, plainly(batch, relation, given), list(given.values()))

        check()

    def test_a_node_without_in_edges_gets_zero(self, way):
        batch = Batch.of([tree(SEVEN), tree([-1])])
        mean, weight = round_over(batch, "child", fields(batch), way)
        assert mean[0].all()
        assert not mean[1:].any()
        assert len(weight) == 7

    @pytest.mark.parametrize("at_once", [1, 40, 70])
    def test_scores_of_some_receivers_at_a_time(self, way, at_once, monkeypatch):
        """The backward pass makes them again, of the fields as they were."""
        monkeypatch.setattr(all_pairs, "_PAIRS", at_once)
        batch = Batch.of([tree(SEVEN), chain(3), tree([-1]), chain(5)], pairs=True)
        given = fields(batch)
        found = round_over(batch, "attend", given, way)
        wanted = plainly(batch, "attend", given)
        for name in given:
            batch.nodes[name] = torch.zeros_like(given[name])
        assert_same(found, wanted, list(given.values()))

    @pytest.mark.parametrize("at_once", [40, 2**16])
    def test_sentences_of_different_lengths(self, way, at_once, monkeypatch):
        """Long ones stand apart from short ones, of which no two have one length."""
        monkeypatch.setattr(plans, "_FEW_CELLS", 0)
        monkeypatch.setattr(all_pairs, "_PAIRS", at_once)
        graphs = [chain(3), tree(SEVEN), tree([-1]), chain(12), chain(2), chain(2)]
        batch = Batch.of(graphs, pairs=True)
        assert len(batch.relation("attend").blocks.paddings) == 3
        given = fields(batch)
        found = round_over(batch, "attend", given, way)
        assert_same(found, plainly(batch, "attend", given), list(given.values()))

    def test_no_edges_at_all(self, way):
        batch = Batch.of([tree([-1]), tree([-1])])
        mean, weight = round_over(batch, "child", fields(batch), way)
        assert torch.equal(mean, torch.zeros(2, 2, dtype=torch.float64))
        assert len(weight) == 0

    def test_large_scores(self, way):
        batch = Batch.of([tree(SEVEN), chain(3)], pairs=True)
        given = fields(batch)
        with torch.no_grad():
            given["query"].mul_(1e4)
        found = round_over(batch, "attend", given, way)
        assert_same(found, plainly(batch, "attend", given), list(given.values()))

    @pytest.mark.parametrize(
        "score",
        [
            lambda edges: edges.src["key"][..., 0],
            lambda edges: edges.dst["query"][..., 0],
            lambda edges: edges.data["near"] * edges.src["key"][..., 0],
        ],
        ids=["senders", "receivers", "edges"],
    )
    def test_a_score_of_one_end_or_of_the_edge(self, way, score):
        batch = Batch.of([tree(SEVEN), chain(3), tree([-1]), tree([-1, 0])], pairs=True)
        given = fields(batch)
        src, dst = map(torch.from_numpy, batch.relation("attend").ends)
        torch.manual_seed(2)
        near = torch.randn(len(src), dtype=torch.float64, requires_grad=True)
        batch.relation("attend").edges["near"] = near
        for name, value in given.items():
            batch.nodes[name] = value
        with engine(*way):
            update_all(batch, lambda edges: {"score": score(edges)}, ATTENTION, relation="attend")
        found = batch.nodes["mean"], batch.relation("attend").edges["weight"]

        by_end = [{name: value[end] for name, value in given.items()} for end in (src, dst)]
        scores = score(SimpleNamespace(src=by_end[0], dst=by_end[1], data={"near": near}))
        weight, mean = torch.zeros(len(src), dtype=torch.float64), []
        for node in range(batch.num_nodes):
            here = (dst == node).nonzero().flatten()
            weight = weight.index_add(0, here, scores[here].softmax(0))
            mean.append(weight[here] @ given["value"][src[here]])
        assert_same(found, (torch.stack(mean), weight), [*given.values(), near])

    def test_beside_other_reducers(self, way):
        """A tuple of reducers reads one message function."""
        batch = Batch.of([tree(SEVEN), chain(3)], pairs=True)
        given = fields(batch)
        mean, weight = plainly(batch, "attend", given)
        for name, value in given.items():
            batch.nodes[name] = value
        both = (ATTENTION, fn.sum("copy", "total"), fn.max("copy", "top"))
        with engine(*way):
            update_all(batch, lambda edges: {**message(edges), "copy": edges.src["value"]}, both, relation="attend")
        assert_same([batch.nodes["mean"], batch.relation("attend").edges["weight"]], [mean, weight], [given["value"]])
        other = torch.stack([given["value"][8:].sum(0)] * 8 + [given["value"][:8].sum(0)] * 3)
        torch.testing.assert_close(batch.nodes["total"], other)
        top = torch.stack([given["value"][8:].amax(0)] * 8 + [given["value"][:8].amax(0)] * 3)
        torch.testing.assert_close(batch.nodes["top"], top)


@pytest.mark.parametrize("way", OURS, ids="-".join)
@pytest.mark.parametrize("relation", ["child", "attend"])
def test_gradients_of_a_round(way, relation):
    """Of the torch engine's ways; those of the other are DGL's own."""
    graphs = [tree(SEVEN), chain(3), tree([-1]), forest()]

    def run(*values):
        batch = Batch.of(graphs, pairs=True)
        return round_over(batch, relation, dict(zip(("query", "key", "value"), values, strict=True)), way)

    assert gradcheck(run, tuple(fields(Batch.of(graphs)).values()), fast_mode=True)


def composed(batch, given, on, direction):
    """A node's value is its own plus the mean of those before it, weighed by their values."""
    for name, value in given.items():
        batch.nodes["own" if name == "value" else name] = value
    with engine(on):
        propagate(
            batch,
            lambda edges: {"score": (edges.dst["query"] * edges.src["value"]).sum(-1)},
            ATTENTION,
            lambda nodes: {"value": nodes.data["own"] + nodes.data["mean"]},
            direction=direction,
            leaf=lambda nodes: {"value": nodes.data["own"]},
        )
    return batch.nodes["value"], batch.edges["weight"]


def composed_plainly(batch, given, direction):
    src, dst = batch.relation("child").ends if direction == "up" else batch.relation("child").ends[::-1]
    edges = list(zip(src.tolist(), dst.tolist(), strict=True))
    value, weight = {}, {}
    while len(value) < batch.num_nodes:
        for node in set(range(batch.num_nodes)) - set(value):
            before = [(edge, u) for edge, (u, v) in enumerate(edges) if v == node]
            if all(u in value for _, u in before):
                value[node] = given["value"][node]
                if before:
                    heard = torch.stack([value[u] for _, u in before])
                    a = (heard @ given["query"][node]).softmax(0)
                    value[node] = value[node] + a @ heard
                    weight.update(zip((edge for edge, _ in before), a, strict=True))
    return torch.stack([value[n] for n in range(len(value))]), torch.stack([weight[e] for e in range(len(edges))])


@pytest.mark.parametrize("direction", ["up", "down"])
class TestPropagation:
    @pytest.mark.parametrize("on", ["torch", "dgl"])
    def test_against_plain_torch(self, on, direction):
        @quick
        @given(graphs=pairs(forests()))
        def check(graphs):
            batch = Batch.of([graph for pair in graphs for graph in pair])
            if len(batch.relation().ends[0]):
                given = fields(batch)
                found = composed(batch, given, on, direction)
                assert_same(found, composed_plainly(batch, given, direction), list(given.values()))

        check()

    def test_gradients(self, direction):
        graphs = [tree(SEVEN), forest(), tree([-1])]

        def run(query, value):
            return composed(Batch.of(graphs), {"query": query, "value": value}, "torch", direction)

        drawn = fields(Batch.of(graphs))
        assert gradcheck(run, (drawn["query"], drawn["value"]), fast_mode=True)


@pytest.mark.parametrize("on", ["torch", "dgl"])
def test_without_edges_there_are_no_weights(on):
    batch = Batch.of([tree([-1]), tree([-1])])
    batch.nodes["h"] = torch.ones(2, 1)
    with engine(on):
        propagate(
            batch,
            lambda edges: {"score": edges.src["h"].squeeze(1)},
            softmax_sum(score="score", value="h", out="h", weight="weight"),
            lambda nodes: {"h": nodes.data["h"]},
        )
    assert batch.edges["weight"].shape == (0,)


@on_ways
@pytest.mark.parametrize("relation", ["child", "complete"])
def test_a_message_of_the_same_name_is_not_the_field_that_is_averaged(way, relation):
    batch = Batch.of([chain(2)])
    batch.nodes["h"] = torch.full((2, 1), 3.0)

    def message(edges):
        return {"score": 0 * edges.src["h"].squeeze(-1), "h": 100 * edges.src["h"]}

    attention = softmax_sum(score="score", value="h", out="mean", weight="weight")
    with engine(*way):
        update_all(batch, message, attention, relation=relation)
    assert batch.nodes["mean"].flatten().tolist() == [0.0 if relation == "child" else 3.0, 3.0]


@on_ways
def test_nor_in_a_propagation(way):
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes["x"] = torch.tensor([[0.0], [2.0], [4.0]])
    attention = softmax_sum(score="score", value="h", out="mean", weight="weight")
    with engine(*way):
        propagate(
            batch,
            lambda edges: {"score": 0 * edges.src["h"].squeeze(-1), "h": 100 * edges.src["h"]},
            attention,
            lambda nodes: {"h": nodes.data["mean"]},
            leaf=lambda nodes: {"h": nodes.data["x"]},
        )
    assert batch.nodes["h"].flatten().tolist() == [3.0, 2.0, 4.0]


@on_ways
@pytest.mark.parametrize("heads", [False, True])
@pytest.mark.parametrize("types", [(torch.float64, torch.float32), (torch.float32, torch.float64)])
def test_scores_and_values_of_two_types(way, heads, types):
    batch = Batch.of([chain(4), chain(2)])
    drawn = torch.randn(batch.num_nodes, *(2, 3) if heads else (3,))
    batch.nodes["key"], batch.nodes["value"] = drawn.to(types[0]), drawn.to(types[1])
    with engine(*way):
        update_all(
            batch, lambda edges: {"score": dot(edges.dst["key"], edges.src["key"])}, ATTENTION, relation="complete"
        )
    found = batch.nodes["mean"]
    assert found.dtype == torch.float64
    batch.nodes["key"], batch.nodes["value"] = drawn.double(), drawn.double()
    update_all(batch, lambda edges: {"score": dot(edges.dst["key"], edges.src["key"])}, ATTENTION, relation="complete")
    torch.testing.assert_close(found, batch.nodes["mean"], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 1), (2, 4, 3)])
def test_scores_of_no_edges_are_refused(shape):
    batch = Batch.of([chain(4), chain(2)])
    batch.nodes.update(fields(batch))
    with (
        pytest.raises(
            ValueError, match=r"the score 'score' has the shape .*should be those of padded edges, \(2, 4, 4\)"
        ),
        engine("torch", "dense"),
    ):
        update_all(batch, lambda edges: {"score": torch.zeros(shape).double()}, ATTENTION, relation="complete")


def test_a_message_function_of_products_is_called_once_a_block(monkeypatch):
    """However long the sentences are, and not again in the backward pass."""
    monkeypatch.setattr(all_pairs, "_PAIRS", 1)
    batch = Batch.of([chain(5), chain(3)], pairs=False)
    given = fields(batch)
    called = []

    def scores(edges):
        called.append(edges.src["key"].shape)
        return message(edges)

    batch.nodes.update(given)
    with engine("torch", "dense"):
        update_all(batch, at_once(scores), ATTENTION, relation="complete")
    found = batch.nodes["mean"], batch.relation("complete").edges["weight"]
    assert_same(found, plainly(batch, "complete", given), list(given.values()))
    assert len(called) == len(batch.relation("complete").blocks.paddings)


def test_a_field_is_padded_once_however_few_receivers_are_scored_at_a_time(monkeypatch):
    """Padded anew for each, sentences of 400 words take twice as long."""
    monkeypatch.setattr(all_pairs, "_PAIRS", 1)
    made = []
    for name in ("pad", "pad_senders"):
        make = getattr(all_pairs, name)
        monkeypatch.setattr(all_pairs, name, lambda *args, make=make, name=name: (made.append(name), make(*args))[1])
    batch = Batch.of([chain(5)], pairs=False)
    mean, _ = round_over(batch, "complete", fields(batch), ("torch", "dense"))
    mean.sum().backward()
    assert sorted(made) == ["pad", "pad_senders", "pad_senders"]
