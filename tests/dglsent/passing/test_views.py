"""Fields that are made when they are first read."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from random_graphs import tree

from dglsent.passing import Batch, propagate, update_all
from graphs.door import fn


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_a_field_that_is_first_read_without_gradients_keeps_its_own(mode):
    """As where a callback looks at it."""
    batch = Batch.of([tree([-1, 0, 0, 1])])
    x = batch.nodes["x"] = torch.ones(4, requires_grad=True)
    propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]})
    with mode():
        batch.nodes["h"].norm()
    batch.nodes["h"].sum().backward()
    assert x.grad.tolist() == [0, 0, 2, 3]


def test_a_batch_that_inference_mode_moved_can_be_trained_on():
    with torch.inference_mode():
        batch = Batch.of([tree([-1, 0, 0, 1])], directions=("up",)).to("meta")
    table = torch.nn.Embedding(12, 2, device="meta")
    batch.nodes["x"] = table(batch.nodes["word"])
    propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]})
    batch.nodes["h"].sum().backward()
    assert table.weight.grad.shape == (12, 2)


def test_moving_a_batch_without_gradients_keeps_none():
    batch = Batch.of([tree([-1, 0])])
    batch.nodes["x"] = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        batch.to("meta")
    assert not batch.nodes["x"].requires_grad


def test_a_field_is_a_tensor():
    batch = Batch.of([tree([-1, 0])])
    with pytest.raises(TypeError, match="field 'x' is a value of type ndarray; give a tensor"):
        batch.nodes["x"] = np.ones(2)


def test_without_gradients_none_is_made_later():
    batch = Batch.of([tree([-1, 0])])
    x = batch.nodes["x"] = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]})
        batch.nodes.set_lazy("twice", lambda: 2 * x)
    assert not batch.nodes["h"].requires_grad
    assert not batch.nodes["twice"].requires_grad


def test_fields_are_named_and_not_gone_through():
    """Nothing is fetched by then, and a reducer that went through it would return nothing."""
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes["x"] = torch.ones(3)
    ways = ["items", "keys", "values", "copy", "popitem"]
    through_all = [list, len, *(lambda view, name=name: getattr(view, name)() for name in ways)]
    at_one = [lambda view, name=name: getattr(view, name)("m", None) for name in ("pop", "setdefault")]
    for through in (*through_all, *at_one):
        with pytest.raises(TypeError, match="fields are fetched by name"):
            update_all(batch, fn.copy_u("x", "m"), lambda nodes, through=through: {"s": through(nodes.mailbox)})


def test_a_field_that_is_made_later_has_a_row_a_node_too():
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes.set_lazy("h", lambda: torch.ones(4, 2))
    with pytest.raises(ValueError, match=r"field 'h' has the shape \(4, 2\)"):
        batch.nodes["h"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (lambda batch: batch.nodes, "node field 'typo' .*: position, sentence, tag, word\\); set it on the batch"),
        (lambda batch: batch.edges, "edge field 'typo' .*: slot\\); set it on the edges"),
        (lambda batch: batch.relation("next").edges, "edge field 'typo' .*: none\\); set it on the edges"),
        (
            lambda batch: batch.targets,
            "^target 'typo' .*: score\\); name it in the task's `targets`, "
            "or in a loop of your own set it in batch\\.targets$",
        ),
    ],
)
def test_a_field_that_is_not_there_is_named_and_what_is_there_too(fields, said):
    """It was a bare KeyError."""
    batch = Batch.of([tree([-1, 0])])
    batch.targets["score"] = torch.ones(1)
    with pytest.raises(KeyError, match=said):
        fields(batch)["typo"]
    assert fields(batch).get("typo") is None
