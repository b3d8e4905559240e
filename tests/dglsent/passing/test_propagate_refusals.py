"""What a propagation refuses, and what it says."""

from __future__ import annotations

import pytest
import torch
from random_graphs import caterpillar, chain, tree
from torch.autograd import forward_ad
from torch.autograd.functional import jacobian

from dglsent.passing import Batch, engine, propagate, update_all
from graphs.door import fn
from graphs.errors import InputError


def test_a_missing_field_is_named():
    batch = Batch.of([tree([-1, 0])])
    with pytest.raises(KeyError, match=r"node field 'nothing' .* leaf="):
        propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), lambda nodes: {"h": nodes.data["nothing"]})
    with pytest.raises(KeyError, match="edge field 'strength'"):
        propagate(
            batch, fn.u_mul_e("h", "strength", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["word"]}
        )
    with pytest.raises(KeyError, match="'c' is computed at nodes with in-edges but not"):
        propagate(
            batch,
            fn.copy_u("h", "m"),
            fn.sum("m", "h"),
            lambda nodes: {"h": nodes.data["h"], "c": nodes.data["h"]},
            leaf=lambda nodes: {"h": nodes.data["word"]},
        )


@pytest.mark.parametrize(
    ("relation", "name", "said"),
    [
        ("child", "relation", r"there are: slot\); it is on those of child in graphs\.dependency"),
        ("neighbour", "slot", r"there are: none\); it is on those of child"),
        ("complete", "pmi", r"graphs\.complete, with a vocabulary of co-occurrence"),
        ("complete", "lexical", r"graphs\.complete, with lexical="),
        ("child", "strength", r"there are: slot\); set it on the edges of their relation, or .* graphs\.over_words"),
    ],
)
def test_a_missing_edge_field_has_a_hint_of_its_own(relation, name, said):
    with pytest.raises(KeyError, match=said) as error:
        update_all(
            Batch.of([tree([-1, 0])]), lambda edges: {"m": edges.data[name]}, fn.sum("m", "s"), relation=relation
        )
    assert "leaf=" not in str(error.value)


@pytest.mark.parametrize("name", ["torch", "dgl"])
def test_without_apply_and_leaf_the_message_says_what_to_give(name):
    with engine(name), pytest.raises(ValueError, match="leaf="):
        propagate(Batch.of([tree([-1, 0])]), fn.copy_u("h", "m"), fn.sum("m", "h"))


@pytest.mark.parametrize("name", ["torch", "dgl"])
@pytest.mark.parametrize(
    ("at_leaves", "at_others", "said"),
    [
        (["c", "o"], ["c"], "'o' is computed at nodes without in-edges but not at those with"),
        (["c"], ["c", "o"], "'o' is computed at nodes with in-edges but not at those without"),
    ],
)
def test_a_field_of_some_nodes_alone_is_refused(at_leaves, at_others, said, name):
    batch = Batch.of([caterpillar(2)])
    batch.nodes["c"] = batch.nodes["o"] = torch.ones(batch.num_nodes, 2)

    def only(names):
        return lambda nodes: dict.fromkeys(names, nodes.data["c"])

    with engine(name), pytest.raises(KeyError, match=said):
        propagate(batch, fn.copy_u("c", "m"), fn.sum("m", "c"), only(at_others), leaf=only(at_leaves))
    for reduce in (only(at_others), [only(at_others)]):  # without apply it was silent on engine "dgl"
        with engine(name), pytest.raises(KeyError, match=said):
            propagate(batch, fn.copy_u("c", "m"), reduce, leaf=only(at_leaves))


@pytest.mark.parametrize("name", ["torch", "dgl"])
@pytest.mark.parametrize(
    ("reduce", "apply", "said"),
    [
        (fn.sum("m", "s"), None, "'s' is computed at nodes with in-edges but not at those without"),
        (fn.sum("m", "s"), lambda nodes: {}, "'h' is computed at nodes without in-edges but not at those with"),
    ],
)
def test_what_only_some_nodes_become_is_refused_whoever_computes_it(reduce, apply, said, name):
    batch = Batch.of([caterpillar(2)])
    batch.nodes["x"] = torch.ones(batch.num_nodes, 2)
    with engine(name), pytest.raises(KeyError, match=said):
        propagate(batch, fn.copy_u("x", "m"), reduce, apply, leaf=lambda nodes: {"h": nodes.data["x"]})


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError, match="'torch' or 'dgl'"), engine("jax"):
        pass


@pytest.mark.parametrize("name", ["torch", "dgl"])
@pytest.mark.parametrize(
    ("over", "saying"),
    [
        ({"direction": "left"}, "'up' or 'down', not 'left'"),
        ({"relation": "sibling"}, "no relation 'sibling'; there are child"),
        *(({"relation": each}, "this relation has cycles: run") for each in ("complete", "attend", "neighbour")),
    ],
)
def test_what_no_propagation_runs_over_is_refused(name, over, saying):
    batch = Batch.of([tree([-1, 0]), chain(3)], pairs=True)
    with engine(name), pytest.raises(ValueError, match=saying):
        propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["word"]}, **over)


@pytest.mark.parametrize("on", ["torch", "dgl"])
def test_a_field_that_only_leaves_have_is_named_before_a_message_reads_it(on):
    batch = Batch.of([tree([-1, 0, 1])])
    batch.nodes["x"] = torch.ones(3, 2)
    with engine(on), pytest.raises(KeyError, match="'c' is computed at nodes without in-edges but not at those with"):
        propagate(
            batch,
            lambda edges: {"m": edges.src["h"] * edges.src["c"]},
            fn.sum("m", "s"),
            lambda nodes: {"h": nodes.data["s"]},
            leaf=lambda nodes: {"h": nodes.data["x"], "c": nodes.data["x"]},
        )


def test_what_inputs_make_has_a_row_a_node():
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes["x"] = torch.ones(3, 2)
    for leaf in (None, lambda nodes: {"h": nodes.data["x"]}):
        with pytest.raises(ValueError, match="field 'p' has the shape"):
            propagate(
                batch,
                fn.copy_u("h", "m"),
                fn.sum("m", "s"),
                lambda nodes: {"h": nodes.data["p"]},
                leaf=leaf,
                inputs=lambda nodes: {"p": torch.ones(7, 2)},
            )


def test_transforms_of_functorch_are_refused():
    batch = Batch.of([tree([-1, 0, 0])])

    def total(x):
        batch.nodes["x"] = x
        update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "s"))
        return batch.nodes["s"].sum()

    with pytest.raises(InputError, match=r"torch.func cannot pass through an engine"):
        torch.func.grad(total)(torch.ones(3, 2))


@pytest.mark.parametrize("way", ["up", "round"])
def test_derivatives_forwards_are_refused_and_not_wrong(way):
    """States are written into memory that others share, where a tangent is lost: what came out was a wrong number."""
    batch = Batch.of([chain(4)])

    def total(x):
        batch.nodes["x"] = x
        if way == "round":
            update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "h"))
        else:
            propagate(
                batch,
                fn.copy_u("h", "m"),
                fn.sum("m", "s"),
                lambda nodes: {"h": nodes.data["s"] * nodes.data["x"]},
                leaf=lambda nodes: {"h": nodes.data["x"]},
            )
        return batch.nodes["h"].sum()

    x = torch.rand(4, 2)
    backwards = jacobian(total, x)
    assert backwards.shape == (4, 2)
    with pytest.raises(InputError, match=r"forwards .* cannot pass through engine torch"):
        jacobian(total, x, strategy="forward-mode", vectorize=True)
    with forward_ad.dual_level(), pytest.raises(InputError, match=r"forwards .* cannot pass through engine torch"):
        total(forward_ad.make_dual(x, torch.ones_like(x)))
    assert torch.equal(jacobian(total, x), backwards)  # when it is over, all is as before


def test_derivatives_forwards_pass_through_functions_of_mailboxes_on_engine_dgl():
    batch = Batch.of([tree([-1, 0, 0])])
    with engine("dgl"), forward_ad.dual_level():
        batch.nodes["x"] = forward_ad.make_dual(torch.zeros(3), torch.tensor([1.0, 2.0, 4.0]))
        update_all(batch, lambda edges: {"m": edges.src["x"]}, lambda nodes: {"s": nodes.mailbox["m"].sum(1)})
        assert forward_ad.unpack_dual(batch.nodes["s"]).tangent.tolist() == [6, 0, 0]
