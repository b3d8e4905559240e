"""A field has a row a node, an edge or a message; one of others is refused and named."""

from __future__ import annotations

import pytest
import torch
from random_graphs import SEVEN, tree

from dglsent.passing import Batch, apply_edges, propagate, update_all
from graphs.door import fn


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
        ({"message": lambda edges: {"m": torch.cat([edges.src["h"]] * 2)}}, r"'m' has the shape \(4, 2\)"),
        ({"apply": lambda nodes: {"h": 1.0}}, r"'h' has the shape \(\)"),
    ],
)
def test_outputs_of_other_nodes_are_refused(wrong, said):
    batch = Batch.of([tree([-1, 0, 0])])
    functions = {
        "message": fn.copy_u("h", "m"),
        "reduce": fn.sum("m", "s"),
        "apply": lambda nodes: {"h": nodes.data["s"]},
        "leaf": lambda nodes: {"h": torch.ones(nodes.batch_size(), 2)},
    } | wrong
    with pytest.raises(ValueError, match=said):
        propagate(batch, functions.pop("message"), functions.pop("reduce"), **functions)


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


def test_a_round_with_messages_or_fields_of_other_edges_is_refused():
    batch = Batch.of([tree(SEVEN)])
    batch.nodes["x"] = torch.ones(batch.num_nodes, 2)
    with pytest.raises(ValueError, match=r"'m' has the shape .* the messages of the round"):
        update_all(batch, lambda edges: {"m": edges.src["x"][1:]}, fn.sum("m", "h"))
    with pytest.raises(ValueError, match=r"'h' has the shape \(1, 2\)"):
        update_all(
            batch, fn.copy_u("x", "m"), fn.sum("m", "s"), lambda nodes: {"h": nodes.data["s"].sum(0, keepdim=True)}
        )
    with pytest.raises(ValueError, match=r"'e' has the shape \(1,\)"):
        apply_edges(batch, lambda edges: {"e": edges.src["x"].sum().view(1)})
