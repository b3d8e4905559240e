"""update_all, apply_edges and edge_softmax agree between the engines and with DGL's rules."""

from __future__ import annotations

import pytest
import torch
from complete_sentences import sentence
from hypothesis import given, settings
from random_graphs import SEVEN, chain, tree
from test_propagate import batches
from torch import nn

from dglsent.passing import Batch, apply_edges, edge_softmax, engine, padded, propagate, update_all
from graphs.door import fn
from graphs.errors import InputError

quick = settings(derandomize=True, deadline=None, max_examples=15)


def reduce(nodes):
    mail = nodes.mailbox["m"]
    order = torch.arange(1, mail.shape[1] + 1, dtype=mail.dtype)
    return {"h": (mail * order[:, None]).sum(1) + nodes.data["x"]}


REDUCERS = {
    "function": reduce,
    "padded": padded(reduce),
    "sum": fn.sum("m", "h"),
    "mean": fn.mean("m", "h"),
    "max": fn.max("m", "h"),
    "min": fn.min("m", "h"),
}


def run(graphs, name, reducer, message):
    torch.manual_seed(0)
    batch = Batch.of(graphs)
    x = torch.randn(batch.num_nodes, 2, dtype=torch.float64, requires_grad=True)
    e = torch.randn(len(batch.edges["slot"]), 2, dtype=torch.float64, requires_grad=True)
    batch.nodes["x"], batch.edges["e"] = x, e
    with engine(name):
        update_all(batch, message, reducer, lambda nodes: {"y": nodes.data["h"] * 2 + nodes.data["x"]})
        assert "h" not in batch.nodes
    y = batch.nodes["y"]
    (y * torch.randn_like(y)).sum().backward()
    return y.detach(), x.grad, e.grad


@pytest.mark.parametrize("reducer", REDUCERS)
@pytest.mark.parametrize(
    "message",
    [fn.u_mul_e("x", "e", "m"), fn.u_sub_v("x", "x", "m"), fn.copy_e("e", "m"), fn.copy_u("x", "m")],
    ids=["u_mul_e", "u_sub_v", "copy_e", "copy_u"],
)
def test_update_all(reducer, message):
    @quick
    @given(batches)
    def check(graphs):
        results = [run(graphs, name, REDUCERS[reducer], message) for name in ("torch", "dgl")]
        for ours, theirs in zip(*results, strict=True):
            if ours is None or theirs is None:
                assert ours is None or not ours.any()
                assert theirs is None or not theirs.any()
            else:
                assert torch.allclose(ours, theirs, rtol=1e-10, atol=1e-12)

    check()


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int8, torch.int32, torch.int64])
@pytest.mark.parametrize("reducer", ["sum", "mean", "max", "min"])
@pytest.mark.parametrize("relation", ["neighbour", "next", "complete"])
@pytest.mark.parametrize("several", [False, True])
def test_whole_numbers_and_truth_values(dtype, reducer, relation, several):
    """As a tensor has them: sums in 64 bits, and truth values counted; also where all of a sentence hear the same."""
    batch = Batch.of([chain(3), chain(2)])
    x = batch.nodes["x"] = torch.tensor([0, 100, 100, 0, 1]).to(dtype)
    reduce = getattr(fn, reducer)("m", "h")
    with engine("torch"):
        update_all(batch, fn.copy_u("x", "m"), [reduce] if several else reduce, relation=relation)
    src, dst = map(torch.from_numpy, batch.relation(relation).ends)
    for node, found in enumerate(batch.nodes["h"].tolist()):
        heard = x[src[dst == node]]
        if not len(heard):
            assert not found
            continue
        wanted = {"sum": heard.sum, "mean": heard.double().mean, "max": heard.max, "min": heard.min}[reducer]()
        assert found == pytest.approx(wanted.item(), rel=1e-6)
    wanted = {"sum": torch.int64, "mean": torch.get_default_dtype()}.get(reducer, dtype)
    assert batch.nodes["h"].dtype == wanted


@pytest.mark.parametrize("relation", ["child", "neighbour", "complete"])
def test_a_mean_is_finite_where_the_sum_is_not(relation):
    """Of float16, whose largest number is 65504; a function of mailboxes gives the same."""
    batch = Batch.of([tree([-1, 0, 0, 0])])
    batch.nodes["x"] = torch.full((4, 2), 40000.0, dtype=torch.float16)
    found = []
    for reduce in (fn.mean("m", "h"), lambda nodes: {"h": nodes.mailbox["m"].mean(1)}):
        update_all(batch, fn.copy_u("x", "m"), reduce, relation=relation)
        found.append(batch.nodes["h"])
    ours, theirs = found
    assert ours.dtype == torch.float16
    assert torch.equal(ours, theirs)
    assert ours[0].tolist() == [40000, 40000]


@pytest.mark.parametrize("dtype", [torch.bool, torch.uint8, torch.int64, torch.bfloat16, torch.float64])
@pytest.mark.parametrize(
    "reduce",
    [
        *(getattr(fn, name)("m", "h") for name in ("sum", "mean", "max", "min")),
        lambda nodes: {"h": nodes.mailbox["m"][:, 0]},
    ],
    ids=["sum", "mean", "max", "min", "first"],
)
def test_over_no_edges_the_engines_give_zeros_of_one_type(dtype, reduce):
    found = []
    for name in ("torch", "dgl"):
        batch = Batch.of([chain(1), chain(1)])
        batch.nodes["x"] = torch.ones(2, 3, dtype=dtype)
        with engine(name):
            update_all(batch, fn.copy_u("x", "m"), reduce)
        found.append(batch.nodes["h"])
    ours, theirs = found
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape == (2, 3)
    assert not ours.any()
    assert not theirs.any()


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64, torch.float16])
def test_numbers_that_dgl_does_not_know_are_told_in_one_line(dtype):
    batch = Batch.of([chain(3)])
    batch.nodes["x"] = torch.ones(3, dtype=dtype)
    uses = (
        lambda: update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "h")),
        lambda: propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]}),
        lambda: apply_edges(batch, fn.u_add_v("x", "x", "m")),
        lambda: edge_softmax(batch, torch.ones(2, dtype=dtype)),
    )
    for use in uses:
        saying = "^engine dgl cannot run this, for DGL says: .* data (must be float|can only be) .*; take engine torch$"
        with engine("dgl"), pytest.raises(InputError, match=saying) as told:
            use()
        assert len(str(told.value).splitlines()) == 1


@pytest.mark.parametrize("on", ["torch", "dgl"])
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("message", [fn.copy_u("x", "m"), lambda edges: {"m": edges.src["x"]}], ids=["built-in", "own"])
@pytest.mark.parametrize("reduce", [fn.max("m", "h"), fn.min("m", "h"), (fn.sum("m", "s"), fn.max("m", "h"))])
def test_complex_numbers_have_no_greatest(on, size, message, reduce):
    """Of a round without edges there is nothing to compare, and it is refused as well."""
    batch = Batch.of([chain(size)])
    batch.nodes["x"] = torch.ones(size, 2, dtype=torch.complex64)
    saying = r"^fn\.(max|min) compares messages, and complex numbers such as those of 'm' have no order; send their abs"
    with engine(on), pytest.raises(InputError, match=saying):
        update_all(batch, message, reduce)


@pytest.mark.parametrize("message", [fn.u_dot_v("h", "x", "m"), fn.u_mul_v("h", "x", "m"), fn.copy_u("h", "m")])
def test_dgl_is_not_given_fields_of_no_width(message):
    """Its kernel of `u_dot_v` divides by their width, and the process ended without a word."""
    batch = Batch.of([chain(3)])
    batch.nodes["x"], leaf = torch.ones(3, 0), lambda nodes: {"h": nodes.data["x"]}
    saying = r"^engine dgl takes no field without numbers, and field 'h' has the shape \[0\] a row; take engine torch$"
    with engine("dgl"), pytest.raises(InputError, match=saying):
        propagate(batch, message, fn.sum("m", "s"), leaf, leaf=leaf)


def test_dgl_is_not_given_messages_of_no_width():
    """Its kernels said what they expect of E_data, or "O"."""
    batch = Batch.of([chain(3)])
    batch.nodes["x"], leaf = torch.ones(3, 0), lambda nodes: {"h": nodes.data["x"]}
    saying = (
        r"^engine dgl takes no message without numbers, and message 'm' has the shape \[0\] a row; take engine torch$"
    )
    with engine("dgl"), pytest.raises(InputError, match=saying):
        propagate(batch, lambda edges: {"m": edges.src["h"]}, fn.sum("m", "s"), leaf, leaf=leaf)
    with engine("dgl"), pytest.raises(InputError, match=saying):
        update_all(batch, lambda edges: {"m": edges.src["x"]}, fn.mean("m", "h"))


def test_a_field_of_no_width():
    batch = Batch.of([chain(3), chain(2)])
    batch.nodes["x"] = torch.ones(5, 0)
    update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "h"), relation="neighbour")
    assert batch.nodes["h"].shape == (5, 0)


def test_a_node_without_in_edges_gets_zero():
    batch = Batch.of([tree(SEVEN)])
    batch.nodes["x"] = torch.ones(8, 1)
    update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "s"))
    assert batch.nodes["s"].flatten().tolist() == [7.0, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    ("of_node", "of_edge"),
    [((2,), ()), ((1,), ()), ((), (3,)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 3), (2, 1))],
    ids=str,
)
def test_a_built_in_message_aligns_fields_as_dgl_does(of_node, of_edge):
    """A weight for each of two edges is one of the edge, and not one of its two dimensions."""
    found = []
    for name in ("torch", "dgl"):
        torch.manual_seed(0)
        batch = Batch.of([tree([-1, 0, 0])])
        batch.nodes["x"] = x = torch.randn(3, *of_node, requires_grad=True)
        batch.edges["e"] = e = torch.randn(2, *of_edge, requires_grad=True)
        with engine(name):
            update_all(batch, fn.u_mul_e("x", "e", "m"), fn.sum("m", "h"))
        h = batch.nodes["h"]
        found.append((h, *torch.autograd.grad((h * torch.arange(1.0, 1 + h.shape[-1])).sum(), (x, e))))
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("reducer", ["max", "min"])
@pytest.mark.parametrize("value", [-torch.inf, torch.inf, torch.nan])
def test_where_a_maximum_is_not_finite_the_engines_differ(reducer, value):
    """DGL marks with an infinity who heard nothing and makes it 0, those that were sent too, and it passes over NaN."""

    def of_mailboxes(nodes):
        return {"mail": getattr(nodes.mailbox["m"], reducer)(1).values}

    found = {}
    for name in ("torch", "dgl"):
        batch = Batch.of([tree([-1, 0, 0])])
        batch.nodes["x"] = torch.tensor([0.0, value, value])
        with engine(name):
            update_all(batch, fn.copy_u("x", "m"), getattr(fn, reducer)("m", "h"))
            update_all(batch, fn.copy_u("x", "m"), of_mailboxes)
        found[name] = batch.nodes["h"]
        torch.testing.assert_close(batch.nodes["mail"], torch.tensor([value, 0.0, 0.0]), equal_nan=True)
    torch.testing.assert_close(found["torch"], torch.tensor([value, 0.0, 0.0]), equal_nan=True)
    assert found["dgl"].tolist() == [0.0] * 3


@pytest.mark.parametrize("norm_by", ["dst", "src"])
@quick
@given(graphs=batches)
def test_edge_softmax(norm_by, graphs):
    torch.manual_seed(0)
    score = 40 * torch.randn(len(Batch.of(graphs).edges["slot"]), 2, dtype=torch.float64)
    results = []
    for name in ("torch", "dgl"):
        leaf = score.clone().requires_grad_()
        with engine(name):
            weight = edge_softmax(Batch.of(graphs), leaf, norm_by)
        (weight * torch.arange(len(score), dtype=torch.float64)[:, None]).sum().backward()
        results.append((weight.detach(), leaf.grad))
    (weight, grad), (expected, expected_grad) = results
    assert torch.allclose(weight, expected, atol=1e-12)
    assert torch.allclose(grad, expected_grad, atol=1e-10)


@pytest.mark.parametrize("name", ["torch", "dgl"])
def test_apply_edges_sets_edge_fields(name):
    batch = Batch.of([tree([-1, 0, 0]), tree([1, -1])])
    batch.nodes["x"] = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
    with engine(name):
        apply_edges(batch, lambda edges: {"d": edges.dst["x"] - edges.src["x"] + edges.data["slot"]})
    assert batch.edges["d"].tolist() == [1 - 2, 1 - 4 + 1, 16 - 8]


@pytest.mark.parametrize("name", ["torch", "dgl"])
def test_a_softmax_over_the_edges_of_no_end_is_refused(name):
    batch = Batch.of([tree(SEVEN)])
    with engine(name), pytest.raises(ValueError, match="norm_by is 'dst' or 'src', not 'source'"):
        edge_softmax(batch, torch.randn(len(batch.edges["slot"])), "source")


@pytest.mark.parametrize(
    "run",
    [
        lambda batch: update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "s")),
        lambda batch: apply_edges(batch, fn.copy_u("x", "m")),
        lambda batch: edge_softmax(batch, batch.edges["slot"].float()),
        lambda batch: propagate(
            batch, fn.copy_u("h", "m"), fn.sum("m", "h"), leaf=lambda nodes: {"h": nodes.data["x"]}
        ),
    ],
    ids=["update_all", "apply_edges", "edge_softmax", "propagate"],
)
def test_a_batch_on_another_device_is_refused_by_dgl(run):
    batch = Batch.of([tree(SEVEN)])
    batch.nodes["x"] = torch.ones(8, 2)
    run(batch.to("meta"))
    with (
        engine("dgl"),
        pytest.raises(InputError, match="engine dgl runs on the CPU, and the batch is on meta; move it"),
    ):
        run(batch)


def test_weights_of_mixed_precision_add_up_to_one():
    batch = Batch.of([chain(600)])
    x, U = torch.randn(600, 8), nn.Linear(8, 1)
    with torch.autocast("cpu", torch.bfloat16):
        score = U(x)[torch.from_numpy(batch.relation("complete").ends[0])].squeeze(-1)
        weight = edge_softmax(batch, score, relation="complete")
    assert score.dtype is torch.bfloat16
    assert weight.dtype is torch.float32
    torch.testing.assert_close(weight.view(600, 600).sum(1), torch.ones(600))


@pytest.mark.parametrize("name", ["torch", "dgl"])
@pytest.mark.parametrize("count", [2, 4])
def test_scores_of_other_edges_are_refused(name, count):
    batch = Batch.of([chain(4)])
    with (
        engine(name),
        pytest.raises(ValueError, match=r"'score' has the shape .* should be 3, the edges of the relation"),
    ):
        edge_softmax(batch, torch.zeros(count))


@pytest.mark.parametrize("relation", ["child", "complete"])
def test_a_message_that_nobody_sends_is_missing(relation):
    batch = Batch.of([chain(4)])
    batch.nodes["x"] = torch.ones(4, 2)
    with pytest.raises(KeyError, match="typo"):
        update_all(batch, fn.copy_u("x", "m"), fn.sum("typo", "s"), relation=relation)


@pytest.mark.parametrize("name", ["torch", "dgl"])
@pytest.mark.parametrize("relation", ["child", "neighbour"])
@pytest.mark.parametrize(
    "run",
    [
        lambda batch, over: update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "h"), relation=over),
        lambda batch, over: apply_edges(batch, fn.copy_u("x", "m"), relation=over),
        lambda batch, over: edge_softmax(batch, torch.zeros(0 if over == "child" else 5), relation=over),
    ],
    ids=["update_all", "apply_edges", "edge_softmax"],
)
def test_edges_that_complete_graphs_do_not_have_are_refused(run, relation, name):
    """Every node would have heard nothing, or itself alone, without a word; over `complete` they hear each other."""
    batch = Batch.of([sentence(3), sentence(2)])
    batch.nodes["x"] = torch.ones(5, 2)
    saying = rf"^the relation {relation} is of the edges of trees or chains, and complete graphs have none: no node"
    with engine(name):
        with pytest.raises(InputError, match=saying):
            run(batch, relation)
        update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "h"), relation="complete")
    assert batch.nodes["h"][:, 0].tolist() == [3, 3, 3, 2, 2]


@pytest.mark.parametrize("name", ["torch", "dgl"])
def test_complete_graphs_with_their_edges_listed_have_child(name):
    batch = Batch.of([sentence(3).listed()])
    batch.nodes["x"] = torch.ones(3, 2)
    with engine(name):
        update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "h"))
    assert batch.nodes["h"].tolist() == [[3, 3]] * 3
