"""A field has a row a node, an edge or a message; one of others is refused and named."""

from __future__ import annotations

import pytest
import torch
from random_graphs import SEVEN, tree

from dglsent.passing import Batch, apply_edges, engine, frontier_pass, padded, propagate, softmax_sum, update_all
from graphs.door import fn

on_engines = pytest.mark.parametrize("name", ["torch", "dgl"])


def every_row(nodes):
    """Sums over receivers and messages, where over messages alone is meant."""
    return {"s": nodes.mailbox["m"].sum((0, 1))[None]}


def twice(edges):
    return {"m": torch.cat([edges.src["x"]] * 2)}


def heard(nodes):
    return {"s": nodes.mailbox["m"].sum(1)}


@on_engines
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"leaf": lambda nodes: {"h": torch.ones(nodes.batch_size() + 1, 2)}},
            r"'h' has the shape \(3, 2\); .* should be 2, the nodes without",
        ),
        ({"leaf": lambda nodes: {"h": torch.ones(1, 2)}}, r"'h' has the shape \(1, 2\)"),
        (
            {"apply": lambda nodes: {"h": nodes.data["s"].sum(0, keepdim=True).repeat(3, 1)}},
            r"'h' has the shape \(3, 2\)",
        ),
        (
            {"reduce": lambda nodes: {"s": nodes.mailbox["m"].sum((0, 1))[None].repeat(2, 1)}},
            r"'s' has the shape \(2, 2\)",
        ),
        (
            {"message": lambda edges: {"m": edges.src["h"][:1]}},
            r"'m' has the shape \(1, 2\); .* be 2, the messages of the step",
        ),
        ({"message": twice}, r"'m' has the shape \(4, 2\)"),
        ({"message": twice, "reduce": heard}, r"'m' has the shape \(4, 2\); .* be 2, the messages of the step"),
        (
            {"inputs": lambda nodes: {"p": torch.ones(7, 2)}, "apply": lambda nodes: {"h": nodes.data["p"]}},
            r"'p' has the shape \(7, 2\); .* be 1, the nodes with in-edges",
        ),
        ({"apply": lambda nodes: {"h": torch.tensor(1.0)}}, r"'h' has the shape \(\)"),
    ],
)
def test_outputs_of_other_nodes_are_refused(wrong, said, name):
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes["x"] = torch.ones(3, 2)
    functions = {
        "message": fn.copy_u("h", "m"),
        "reduce": fn.sum("m", "s"),
        "apply": lambda nodes: {"h": nodes.data["s"]},
        "leaf": lambda nodes: {"h": torch.ones(nodes.batch_size(), 2)},
    } | wrong
    with engine(name), pytest.raises(ValueError, match=said):
        propagate(batch, functions.pop("message"), functions.pop("reduce"), **functions)


@on_engines
@pytest.mark.parametrize("reduce", [every_row, padded(every_row), (every_row,)], ids=["function", "padded", "tuple"])
def test_a_sum_over_receivers_too_is_refused(reduce, name):
    """In a round it was an IndexError, and where in-degrees differ rows of one could pass for those of another."""
    batch = Batch.of([tree([-1, 0, 0, 1, 1, 2, 2])])
    batch.nodes["x"] = torch.ones(batch.num_nodes, 2)
    said = r"'s' has the shape \(1, 2\); its first dimension should be ., the nodes with "
    with engine(name), pytest.raises(ValueError, match=said):
        update_all(batch, fn.copy_u("x", "m"), reduce)
    with engine(name), pytest.raises(ValueError, match=said):
        propagate(batch, fn.copy_u("x", "m"), reduce, leaf=lambda nodes: {"s": nodes.data["x"]})


@on_engines
def test_rows_of_one_in_degree_do_not_pass_for_those_of_another(name):
    batch = Batch.of([tree([-1, 0, 0, 1])])
    batch.nodes["x"] = torch.ones(batch.num_nodes, 2)

    def swapped(nodes):
        return {"s": torch.ones(0 if nodes.mailbox["m"].shape[1] == 1 else 2, 2)}

    said = r"'s' has the shape \(0, 2\); its first dimension should be 1, the nodes with 1 in-edges"
    with engine(name), pytest.raises(ValueError, match=said):
        update_all(batch, fn.copy_u("x", "m"), swapped)


@on_engines
def test_a_frontier_pass_with_other_rows_is_refused(name):
    attention = softmax_sum(score="score", value="x", out="s", weight="weight")

    def score(edges):
        return {"score": (edges.src["x"] * edges.dst["x"]).sum(-1)}

    def more(seen):
        return {"score": torch.ones(50, 2)}

    for functions in ((more,), (score, more), (score, None, more)):
        batch = Batch.of([tree([-1, 0, 0])])
        batch.nodes["x"] = torch.ones(batch.num_nodes, 2)
        message, apply, inputs = (*functions, None, None)[:3]
        with (
            engine(name),
            frontier_pass("complete", message, attention, apply, inputs=inputs),
            pytest.raises(ValueError, match=r"'score' has the shape \(50, 2\)"),
        ):
            propagate(
                batch,
                fn.copy_u("h", "m"),
                fn.sum("m", "s"),
                lambda nodes: {"h": nodes.data["s"]},
                leaf=lambda nodes: {"h": nodes.data["x"]},
            )


@pytest.mark.parametrize("rows", [2, 4])
def test_a_field_of_another_batch_is_refused_when_it_is_set(rows):
    batch = Batch.of([tree([-1, 0, 0])])
    with pytest.raises(ValueError, match=rf"'x' has the shape \({rows}, 5\); .* should be 3, the nodes of the batch"):
        batch.nodes["x"] = torch.ones(rows, 5)
    with pytest.raises(ValueError, match=r"'e' has the shape \(3,\); .* should be 2, the edges of the relation"):
        batch.edges["e"] = torch.ones(3)
    with pytest.raises(ValueError, match=r"'w' has the shape \(2,\); .* should be 9, the edges of the relation"):
        batch.relation("complete").edges["w"] = torch.ones(2)
    batch.relation("complete").edges["w"] = torch.ones(9, 4)


@on_engines
def test_a_round_with_messages_or_fields_of_other_edges_is_refused(name):
    with engine(name):
        refused_in_rounds()


def refused_in_rounds():
    batch = Batch.of([tree(SEVEN)])
    batch.nodes["x"] = torch.ones(batch.num_nodes, 2)
    with pytest.raises(ValueError, match=r"'m' has the shape .* the messages of the round"):
        update_all(batch, lambda edges: {"m": edges.src["x"][1:]}, fn.sum("m", "h"))
    with pytest.raises(ValueError, match=r"'m' has the shape \(14, 2\); .* be 7, the messages of the round"):
        update_all(batch, twice, heard)
    with pytest.raises(ValueError, match=r"'h' has the shape \(1, 2\)"):
        update_all(
            batch, fn.copy_u("x", "m"), fn.sum("m", "s"), lambda nodes: {"h": nodes.data["s"].sum(0, keepdim=True)}
        )
    with pytest.raises(ValueError, match=r"'e' has the shape \(1,\)"):
        apply_edges(batch, lambda edges: {"e": edges.src["x"].sum().view(1)})


@on_engines
def test_a_round_without_edges_has_messages_of_none(name):
    batch = Batch.of([tree([-1])])
    batch.nodes["x"] = torch.ones(1, 2)
    with engine(name), pytest.raises(ValueError, match=r"'m' has the shape \(1, 2\); .* the messages of the round"):
        update_all(batch, lambda edges: {"m": torch.ones(1, 2)}, heard)
    with engine(name), pytest.raises(ValueError, match=r"'s' has the shape \(1, 2\); .* be 0, the nodes with "):
        update_all(batch, fn.copy_u("x", "m"), every_row)
