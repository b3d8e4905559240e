"""What is not finite in attention, of words or of edges, stays in its sentence, and may hide edges."""

from __future__ import annotations

import pytest
import torch
from random_graphs import SEVEN, chain, tree
from test_softmax_sum import ATTENTION, assert_same, fields, message, on_ways

from dglsent.passing import Batch, engine, frontier_pass, propagate, update_all
from graphs.door import fn

in_a_pass_or_a_round = pytest.mark.parametrize("in_a_pass", [False, True])
on_relations = pytest.mark.parametrize("relation", ["attend", "complete"])


def query_at_leaves(nodes):
    return {"h": nodes.data["query"]}


def assert_others_do_not_change(way, in_a_pass, relation, scores, change):
    """Means and gradients of sentences that hear nothing of the first, where `change` has changed something there."""
    graphs, results = [tree(SEVEN), chain(3), chain(2), tree([-1]), chain(4), tree([-1, 0])], []
    apart = 8 if relation == "complete" else 8 + 3  # nodes from here on
    for changed in (False, True):
        batch = Batch.of(graphs, pairs=True)
        given = fields(batch)
        change(batch, given, changed)
        batch.nodes.update(given)
        with engine(*way):
            if in_a_pass:
                with frontier_pass(relation, scores, ATTENTION):
                    propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=query_at_leaves)
            else:
                update_all(batch, scores, ATTENTION, relation=relation)
        batch.nodes["mean"].square().sum().backward()
        results.append([each[apart:] for each in (batch.nodes["mean"], *(field.grad for field in given.values()))])
    for one, other in zip(*results, strict=True):
        assert torch.equal(one, other)


@on_ways
@in_a_pass_or_a_round
@on_relations
@pytest.mark.parametrize("name", ["query", "key", "value"])
@pytest.mark.parametrize("value", [torch.inf, torch.nan])
def test_what_is_not_finite_stays_among_those_who_hear_each_other(way, in_a_pass, relation, name, value):
    """Padding stood for the first node of all, and 0 times infinity is NaN."""

    def change(batch, given, changed):
        with torch.no_grad():
            given[name][0] = value if changed else 1.0

    assert_others_do_not_change(way, in_a_pass, relation, message, change)


@on_ways
@in_a_pass_or_a_round
@on_relations
@pytest.mark.parametrize("value", [-torch.inf, torch.inf, torch.nan, 0.0])
def test_what_is_not_finite_on_an_edge_stays_there_too(way, in_a_pass, relation, value):
    """Padding stood for the first edge of all."""

    def scores(edges):
        return {"score": message(edges)["score"] * edges.data["by"] + edges.data["more"] + 1 / edges.data["under"]}

    def change(batch, given, changed):
        for name in ("by", "more", "under"):
            field = torch.ones(len(batch.relation(relation).ends[0]), dtype=torch.float64)
            field[0] = value if changed else 1.0
            batch.relation(relation).edges[name] = field

    assert_others_do_not_change(way, in_a_pass, relation, scores, change)


@on_ways
@pytest.mark.parametrize("hide", ["itself", "first"])
def test_edges_may_be_hidden(way, hide):
    """By scores of -inf, as where no word hears itself; a word of which all are hidden has none."""
    graphs = [chain(4), chain(2), chain(3)]
    batch = Batch.of(graphs)
    given = fields(batch)
    src, dst = map(torch.from_numpy, batch.relation("complete").ends)
    hidden = src == dst if hide == "itself" else torch.isin(src, torch.tensor([0, 4, 6]))
    batch.relation("complete").edges["hidden"] = torch.zeros(len(src)).double().masked_fill(hidden, -torch.inf)
    batch.nodes.update(given)
    with engine(*way):
        update_all(
            batch,
            lambda edges: {"score": message(edges)["score"] + edges.data["hidden"]},
            ATTENTION,
            relation="complete",
        )
    weight, means = torch.zeros(len(src), dtype=torch.float64), []
    for node in range(batch.num_nodes):
        here = ((dst == node) & ~hidden).nonzero().flatten()
        a = (given["key"][src[here]] @ given["query"][node]).softmax(0)
        weight = weight.index_add(0, here, a)
        means.append(a @ given["value"][src[here]])
    found = batch.nodes["mean"], batch.relation("complete").edges["weight"]
    assert_same(found, (torch.stack(means), weight), list(given.values()))
