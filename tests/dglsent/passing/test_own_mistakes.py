"""Mistakes in functions of one's own are told with the function's name, on both engines."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
import torch
from random_graphs import tree

from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, apply_edges, at_once, engine, frontier_pass, padded, propagate, softmax_sum
from dglsent.passing import update_all as round_of
from dglsent.passing.missing import MissingFieldError
from graphs.door import fn

ATTENTION = softmax_sum(score="score", value="h", out="s", weight="weight")
VALUE_SENT = softmax_sum(score="score", value="value", out="s", weight="weight")
SUM = fn.sum("m", "s")

on_engines = pytest.mark.parametrize("name", ["torch", "dgl"])


def send(edges):
    return {"m": edges.src["h"]}


def scores(edges):
    return {"score": edges.src["h"].sum(-1), "value": edges.src["h"]}


def leaf(nodes):
    return {"h": nodes.data["x"]}


def update(nodes):
    return {"h": nodes.data["s"]}


def nothing(seen):
    """Forgets to return."""


def bare(seen):
    return torch.ones(seen.batch_size(), 2)


def hears_typo(nodes):
    return {"s": nodes.mailbox["typo"].sum(1)}


def reads_typo(seen):
    return {"h": seen.data["typo"]}


def sends_typo(edges):
    return {"m": edges.src["typo"]}


def batch():
    made = Batch.of([tree([-1, 0, 0, 1])])
    made.nodes["x"] = torch.ones(made.num_nodes, 2)
    made.nodes["h"] = made.nodes["x"]
    return made


@on_engines
@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ((nothing, SUM, update, leaf), "nothing returns None"),
        ((at_once(nothing), SUM, update, leaf), "nothing returns None"),
        ((send, nothing, update, leaf), "nothing returns None"),
        ((send, padded(nothing), update, leaf), "nothing returns None"),
        ((send, (SUM, nothing), update, leaf), "nothing returns None"),
        ((nothing, ATTENTION, update, leaf), "nothing returns None"),
        ((partial(nothing), SUM, update, leaf), "nothing returns None"),
        ((send, SUM, bare, leaf), "bare returns a value of type Tensor; it should return a dict"),
        ((send, SUM, update, bare), "bare returns a value of type Tensor"),
    ],
)
def test_what_is_no_dict_is_refused(functions, said, name):
    message, reduce, apply, at_leaves = functions
    with engine(name), pytest.raises(TypeError, match=said):
        propagate(batch(), message, reduce, apply, leaf=at_leaves)


@on_engines
@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ((send, padded(hears_typo), update, leaf), r"^hears_typo: message 'typo' .*there are: m\)"),
        ((send, ATTENTION, update, leaf), r"^softmax_sum: message 'score' .*there are: .*m\)"),
        ((scores, VALUE_SENT, update, leaf), r"^softmax_sum: node field 'value' .*there are: .*\bx\)"),
        ((send, hears_typo, update, leaf), r"^hears_typo: .*'typo' .*: m\)"),
        ((send, (SUM, hears_typo), update, leaf), r"^hears_typo: .*'typo' .*: m\)"),
        ((send, SUM, reads_typo, leaf), r"^reads_typo: .*'typo' .*\bx\b"),
        ((send, SUM, update, reads_typo), r"^reads_typo: .*'typo' .*\bx\b"),
        ((sends_typo, SUM, update, leaf), r"^sends_typo: .*'typo' .*\bx\b"),
        ((at_once(sends_typo), SUM, update, leaf), r"^sends_typo: .*'typo' .*\bx\b"),
    ],
)
def test_what_is_not_there_is_named_and_what_is_there_too(functions, said, name):
    message, reduce, apply, at_leaves = functions
    with engine(name), pytest.raises(KeyError, match=said):
        propagate(batch(), message, reduce, apply, leaf=at_leaves)


@on_engines
@pytest.mark.parametrize(
    ("functions", "said"),
    [
        (
            (send, SUM, update, lambda nodes: {"g": nodes.data["x"]}),
            r"^send: node field 'h' .*\bg, .*both leaf and apply",
        ),
        (
            (fn.copy_u("h", "m"), SUM, update, lambda nodes: {"g": nodes.data["x"]}),
            r"^fn\.copy_u: .*both leaf and apply",
        ),
        (
            (lambda edges: {"m": edges.dst["h"]}, SUM, update, leaf),
            r"node field 'h' .*: position, .*still to be computed",
        ),
        ((fn.u_add_v("h", "h", "m"), SUM, update, leaf), r"^fn\.u_add_v: node field 'h' .*still to be computed"),
        ((send, lambda nodes: {"s": nodes.data["h"]}, update, leaf), r"node field 'h' .*still to be computed"),
        ((send, SUM, lambda nodes: {"h": nodes.data["h"]}, leaf), r"node field 'h' .*\bs, .*still to be computed"),
        ((send, SUM, lambda nodes: {"h": nodes.data["h"]}, None), r"node field 'h' .*without in-edges .*leaf="),
        ((send, SUM, reads_typo, leaf), r"^reads_typo: node field 'typo' .*\bs, sentence"),
        ((send, fn.sum("typo", "s"), update, leaf), r"^fn\.sum: message 'typo' .*: m\)"),
        ((fn.copy_u("h", "m"), fn.sum("typo", "s"), update, leaf), r"^fn\.sum: message 'typo' .*: m\)"),
        ((fn.u_mul_e("h", "typo", "m"), SUM, update, leaf), r"^fn\.u_mul_e: edge field 'typo' .*: slot\)"),
    ],
)
def test_what_is_missing_in_a_propagation_is_told_by_where_it_is_read(functions, said, name):
    """On engine "dgl" what is still to be computed was read as zeros."""
    message, reduce, apply, at_leaves = functions
    made = batch()
    del made.nodes["h"]
    with engine(name), pytest.raises(KeyError, match=said) as error:
        propagate(made, message, reduce, apply, leaf=at_leaves)
    assert ("leaf=" in str(error.value)) == (at_leaves is None)


@on_engines
@pytest.mark.parametrize("parents", [[-1, 0, 0, 1], [-1, 0, 1], [-1, 0, 0]])
def test_messages_that_are_not_reduced_to_one_are_told_with_their_shapes(parents, name):
    """They ended in torch's error of an index or in DGL's of a column."""
    made = Batch.of([tree(parents)])
    made.nodes["x"] = torch.ones(made.num_nodes, 2)

    def kept(nodes):
        return {"h": nodes.mailbox["m"]}

    def states(apply):
        propagate(made, send, kept, apply, leaf=leaf)
        return made.nodes["h"]

    said = r"field 'h' .*\(., 2\) at some .*\(1, ., 2\) at others; give"
    for apply in (None, lambda nodes: {"h": nodes.data["h"]}):
        with engine(name), pytest.raises(ValueError, match=said):
            states(apply)


@on_engines
def test_messages_that_are_not_reduced_in_a_round_are_told_with_their_shapes(name):
    with engine(name), pytest.raises(ValueError, match=r"field 's' has the shape \(1, 1, 2\) .* \(1, 2, 2\) at others"):
        round_of(batch(), send, lambda nodes: {"s": nodes.mailbox["m"]})


@on_engines
@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ((send, SUM, lambda nodes: {"h": nodes["s"]}), r"'s' is read of nodes; write nodes\.data\['s'\]"),
        ((send, lambda nodes: {"s": nodes["m"]}, update), r"'m' is read of nodes; write .* nodes\.mailbox"),
        ((lambda edges: {"m": edges["h"]}, SUM, update), r"'h' is read of edges; write edges\.src\['h'\]"),
        ((send, SUM, lambda nodes: {"h": nodes.data["s"] if "s" in nodes else None}), r"'s' is read of nodes"),
        (
            (send, SUM, lambda nodes: {"h": WordEmbedding(12, 2).of(nodes)}),
            r"'word' is read of nodes; write",
        ),
    ],
)
def test_nodes_and_edges_are_no_fields_themselves(functions, said, name):
    """It was said that 'Nodes', or DGL's 'NodeBatch', is not subscriptable."""
    with engine(name), pytest.raises(TypeError, match=said):
        propagate(batch(), *functions, leaf=leaf)


@on_engines
def test_a_function_s_own_key_error_stays_as_it_is(name):
    with engine(name), pytest.raises(KeyError, match=r"^'own'$"):
        round_of(batch(), lambda edges: {"m": {}["own"]}, SUM)


def test_an_error_of_what_is_missing_comes_whole_out_of_another_process():
    error = MissingFieldError("h", "node field", ["x"])
    error.by = "send"
    error.add(["s"])
    assert (
        str(pickle.loads(pickle.dumps(error)))
        == str(error)
        == ("send: node field 'h' is not there (there are: s, x); set it on the batch")
    )


@on_engines
def test_functions_of_rounds(name):
    with engine(name):
        for functions in ((nothing, SUM), (send, nothing), (send, SUM, nothing)):
            with pytest.raises(TypeError, match="nothing returns None"):
                round_of(batch(), *functions)
        with pytest.raises(KeyError, match=r"^hears_typo: .*'typo'"):
            round_of(batch(), send, hears_typo)
        for relation in ("child", "complete"):
            with pytest.raises(KeyError, match=r"^softmax_sum: message 'score'"):
                round_of(batch(), send, ATTENTION, relation=relation)
        with pytest.raises(TypeError, match="nothing returns None"):
            apply_edges(batch(), nothing)


@on_engines
def test_inputs(name):
    for leaves in (leaf, None):
        with engine(name), pytest.raises(TypeError, match="nothing returns None"):
            propagate(batch(), send, SUM, update, leaf=leaves, inputs=nothing)
        with engine(name), pytest.raises(KeyError, match=r"^reads_typo: .*'typo'"):
            propagate(batch(), send, SUM, update, leaf=leaves, inputs=reads_typo)


@pytest.mark.parametrize("way", [("torch", "edges"), ("torch", "dense"), ("dgl", "auto")], ids="-".join)
def test_functions_of_a_frontier_pass(way):
    attention = softmax_sum(score="score", value="x", out="s", weight="weight")

    def score(edges):
        return {"score": (edges.src["x"] * edges.dst["x"]).sum(-1)}

    def run(message, apply=None, inputs=None):
        with engine(*way), frontier_pass("complete", message, attention, apply, inputs=inputs):
            propagate(batch(), send, SUM, update, leaf=leaf)

    for functions in ((nothing,), (score, nothing), (score, None, nothing)):
        with pytest.raises(TypeError, match="nothing returns None"):
            run(*functions)
    for functions in ((sends_typo,), (score, reads_typo), (score, None, reads_typo)):
        with pytest.raises(KeyError, match=r"(sends|reads)_typo: .*'typo'"):
            run(*functions)
    with pytest.raises(KeyError, match=r"^softmax_sum: message 'score'"):
        run(lambda edges: {"m": edges.dst["x"]})


@on_engines
def test_a_field_that_may_be_missing_can_be_asked_for(name):
    def own(nodes):
        return {"h": nodes.data["s"] if "typo" not in nodes.data else None}

    seen = batch()
    with engine(name):
        propagate(seen, send, SUM, own, leaf=leaf)
    assert seen.nodes["h"][0].tolist() == [2, 2]  # of two children


@on_engines
@pytest.mark.parametrize("more", [1, 2])
def test_a_reducer_returns_the_same_fields_at_all_nodes(more, name):
    """A field that only some have was lost, or was a bare KeyError, as the nodes of fewer in-edges lacked or had it."""

    def by_degree(nodes):
        heard = nodes.mailbox["m"]
        return {"s": heard.sum(1)} | ({"extra": heard[:, 0]} if heard.shape[1] == more else {})

    said = r"by_degree returns .*s at nodes with 1 in-edges and .*s at those with 2; it"
    with engine(name), pytest.raises(ValueError, match=said):
        round_of(batch(), send, by_degree)


@on_engines
@pytest.mark.parametrize("padding", [padded, lambda function: function], ids=["padded", "function"])
def test_mailboxes_without_messages(padding, name):
    made = batch()
    with engine(name):
        round_of(made, lambda edges: {}, padding(lambda nodes: {"s": torch.ones(nodes.batch_size(), 2)}))
    assert made.nodes["s"].sum(1).tolist() == [2, 2, 0, 0]


@on_engines
@pytest.mark.parametrize("wrong", [1.0, None, np.ones((1, 2))], ids=["float", "None", "array"])
def test_a_field_that_is_no_tensor_is_refused(wrong, name):
    """An array was an error of torch or DGL, in words of its own, or was taken."""
    said = f"field '.' is a value of type {type(wrong).__name__}; give a tensor"
    whole = {"message": send, "reduce": lambda nodes: {"s": nodes.mailbox["m"].sum(1)}, "apply": update, "leaf": leaf}
    inputs = {"inputs": lambda nodes: {"p": wrong}}
    for given in (*({key: lambda seen, key=key: {key[0]: wrong}} for key in whole), inputs):
        message, reduce, apply, at_leaves = [*(whole | given).values()][:4]
        with engine(name), pytest.raises(TypeError, match=said):
            propagate(batch(), message, reduce, apply, leaf=at_leaves, inputs=given.get("inputs"))
        if given.keys() & {"message", "reduce", "apply"}:
            with engine(name), pytest.raises(TypeError, match=said):
                round_of(batch(), message, reduce, apply)
    with engine(name), pytest.raises(TypeError, match=said):
        apply_edges(batch(), lambda edges: {"e": wrong})


@on_engines
def test_what_inputs_make_and_what_edges_have_is_among_what_there_is(name):
    """Engine "torch" left out the former, and "dgl" named its own numbers of edges too."""
    with engine(name), pytest.raises(KeyError, match=r"'typo' .*there are: .*\bp, position, s, "):
        propagate(batch(), send, SUM, reads_typo, leaf=leaf, inputs=lambda nodes: {"p": nodes.data["x"]})
    with engine(name), pytest.raises(KeyError, match=r"edge field 'typo' .*there are: slot\)"):
        propagate(batch(), lambda edges: {"m": edges.data["typo"]}, SUM, update, leaf=leaf)


@on_engines
def test_built_in_functions_in_each_other_s_place(name):
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes["x"] = torch.ones(3, 1)
    send_x, no_reducer = fn.copy_u("x", "m"), r"fn\.copy_u makes messages; give a reducer in its place, such as fn\.sum"
    with engine(name):
        for reduce in (send_x, [SUM, send_x]):
            with pytest.raises(ValueError, match=no_reducer):
                round_of(batch, send_x, reduce)
            with pytest.raises(ValueError, match=no_reducer):
                propagate(batch, send_x, reduce, update, leaf=leaf)
            with pytest.raises(ValueError, match=no_reducer), frontier_pass("complete", send_x, reduce):
                pass
        for use in (partial(apply_edges, batch, SUM), partial(round_of, batch, SUM, SUM)):
            with pytest.raises(ValueError, match=r"fn\.sum reduces messages; give a message function in its place"):
                use()


@on_engines
def test_two_attentions_whose_weights_have_one_name(name):
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes["x"] = torch.ones(3, 1)
    both = (ATTENTION, SUM, ATTENTION)
    with (
        engine(name),
        pytest.raises(ValueError, match="several softmax_sum keep weights under one name of weight, weight"),
    ):
        propagate(batch, send, both, update, leaf=leaf)
    with engine(name), pytest.raises(ValueError, match="give each its own weight="):
        round_of(batch, send, both)


@on_engines
@pytest.mark.parametrize("wrong", [ATTENTION, padded(update), None, ()])
def test_what_is_no_function_in_the_place_of_one(wrong, name):
    batch = Batch.of([tree([-1, 0, 0])])
    batch.nodes["x"] = torch.ones(3, 1)
    said = rf"^a value of type {type(wrong).__name__} is given where a message function is wanted, such as fn\.copy_u$"
    with engine(name):
        for use in (
            partial(apply_edges, batch, wrong),
            partial(round_of, batch, wrong, SUM),
            partial(propagate, batch, wrong, SUM, update, leaf=leaf),
        ):
            with pytest.raises(ValueError, match=said):
                use()
        said = r"^a value of type NoneType is given where a reducer is wanted, such as fn\.sum$"
        for use in (partial(round_of, batch, send), partial(propagate, batch, send, apply=update, leaf=leaf)):
            with pytest.raises(ValueError, match=said):
                use(reduce=None)


@on_engines
@pytest.mark.parametrize("place", ["apply", "leaf", "inputs"])
def test_what_is_no_function_in_the_place_of_one_of_nodes(place, name):
    """It was a bare "'str' object is not callable"."""
    given = {"apply": update, "leaf": leaf, "inputs": None, place: "h"}
    said = rf"^{place} is a value of type str; give a function of nodes$"
    with engine(name):
        with pytest.raises(ValueError, match=said):
            propagate(batch(), send, SUM, **given)
        if place == "apply":
            with pytest.raises(ValueError, match=said):
                round_of(batch(), send, SUM, "h")
        if place != "leaf":
            with pytest.raises(ValueError, match=said), frontier_pass("complete", send, SUM, **{place: "h"}):
                pass


@on_engines
@pytest.mark.parametrize("relation", ["child", "next"])
@pytest.mark.parametrize("other", ["float64", "meta"])
def test_states_of_another_type_or_device_at_leaves(other, relation, name):
    """It was torch's "index_copy_(): self and source expected to have the same dtype", or DGL's of two schemes."""
    change = (lambda x: x.double()) if other == "float64" else (lambda x: x.to("meta"))
    said = r"^field 'h' is torch\.float32 on cpu at nodes without in-edges and torch\.float.. on (cpu|meta) at others"
    with engine(name), pytest.raises(ValueError, match=said):
        propagate(batch(), send, SUM, lambda nodes: {"h": change(nodes.data["x"])}, leaf=leaf, relation=relation)
