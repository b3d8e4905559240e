"""Frontier passes: a frontier that has been computed hears from the other sentence before anyone hears from it."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from random_graphs import SEVEN, chain, forests, pairs, tree
from torch import nn

from dglsent.passing import Batch, StepLinear, engine, frontier_pass, propagate, softmax_sum
from graphs.door import fn

WAYS = [("torch", "edges"), ("torch", "dense"), ("dgl", "auto")]
WIDTH = 3
ATTENTION = softmax_sum(score="score", value="memory", out="context", weight="weight")
PAIRS = [(tree(SEVEN), tree([1, -1, 1])), (tree([-1]), tree([1, 2, 3, -1])), (tree([2, 2, -1, 2]), tree([-1, 0]))]
quick = settings(derandomize=True, deadline=None, max_examples=12)

on_ways = pytest.mark.parametrize("way", WAYS, ids="-".join)
each_direction = pytest.mark.parametrize("direction", ["up", "down"])


class Net(nn.Module):
    """A recursion whose every step looks at the other sentence."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.word = nn.Parameter(torch.randn(12, WIDTH))
        self.near = nn.Parameter(torch.randn(3))
        self.U, self.V, self.K = (StepLinear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.double()

    def fields(self, batch):
        x = self.word[batch.nodes["word"]]
        batch.nodes["x"], batch.nodes["memory"] = x, (x * 0.5).tanh()
        src, dst = (batch.nodes["position"][torch.from_numpy(end)] for end in batch.relation("attend").ends)
        batch.relation("attend").edges["near"] = self.near[(src + 2 * dst) % 3]

    def run(self, batch, direction, passes, relation="child"):
        with ExitStack() as stack:
            for each in passes:
                stack.enter_context(frontier_pass(**each))
            self.propagate(batch, direction, relation)

    def propagate(self, batch, direction="up", relation="child"):
        propagate(
            batch,
            fn.copy_u("h", "m"),
            fn.sum("m", "below"),
            lambda nodes: {"h": torch.tanh(self.U(nodes.data["below"]) + nodes.data["x"])},
            relation=relation,
            direction=direction,
            leaf=lambda nodes: {"h": nodes.data["x"].tanh()},
        )

    def keys(self, nodes):
        return {"key": self.K(nodes.data["h"])}

    def message(self, edges):
        return {"score": (edges.dst["key"] * edges.src["memory"]).sum(-1)}

    def near_message(self, edges):
        return {"score": self.message(edges)["score"] + edges.data["near"]}

    def mix(self, nodes):
        return {"h": nodes.data["h"] + self.V(nodes.data["context"]) * nodes.data["x"]}

    def attending(self, **changed):
        return {"relation": "attend", "message": self.message, "reduce": ATTENTION, **changed}


def prepared():
    """A recursion, and the batch of all pairs with its fields."""
    net, batch = Net(), Batch.of([graph for pair in PAIRS for graph in pair], pairs=True)
    net.fields(batch)
    return net, batch


def attention(net):
    return [net.attending(apply=net.mix, inputs=net.keys)]


def edge_fields(net):
    """The message function reads a field of the attend edges."""
    return [net.attending(message=net.near_message, apply=net.mix, inputs=net.keys)]


def no_apply(net):
    """The context is a field of its own, and no parent sees it."""
    return [net.attending(inputs=net.keys)]


def no_inputs(net):
    """The message function reads what the step has just computed."""

    def message(edges):
        return {"score": edges.dst["h"][..., 0] * edges.src["x"][..., 1]}

    return [net.attending(message=message, apply=net.mix)]


def inputs_of_both(net):
    """What was made for the message function is there in apply as well."""

    def mix(nodes):
        return {"h": net.mix(nodes)["h"] * nodes.data["key"]}

    return [net.attending(apply=mix, inputs=net.keys)]


def several_reducers(net):
    def message(edges):
        return {**net.message(edges), "difference": edges.src["x"] - edges.dst["h"]}

    def mix(nodes):
        return {"h": net.mix(nodes)["h"] + nodes.data["top"] - nodes.data["middle"]}

    reducers = (ATTENTION, fn.max("difference", "top"), fn.mean("difference", "middle"))
    return [net.attending(message=message, reduce=reducers, apply=mix, inputs=net.keys)]


def builtins(net):
    return [net.attending(message=fn.u_mul_v("x", "h", "m"), reduce=fn.sum("m", "context"), apply=net.mix)]


def two_in_turn(net):
    """The second pass sees what the first has made of h."""
    other = softmax_sum(score="score", value="memory", out="context", weight="second")
    return [*attention(net), net.attending(reduce=other, apply=net.mix, inputs=net.keys)]


BUILDS = [attention, edge_fields, no_apply, no_inputs, inputs_of_both, several_reducers, builtins, two_in_turn]
each_build = pytest.mark.parametrize("build", BUILDS, ids=lambda build: build.__name__)


def outcome(graphs, way, direction, build, relation="child"):
    """Node and edge fields, and the gradients of a loss over them."""
    net = Net()
    batch = Batch.of([graph for pair in graphs for graph in pair], pairs=True)
    net.fields(batch)
    with engine(*way):
        net.run(batch, direction, build(net), relation)
    edges = batch.relation("attend").edges
    found = {name: batch.nodes[name] for name in ("h", "context") if name in batch.nodes}
    found |= {name: edges[name] for name in (f"weight_{direction}", f"second_{direction}") if name in edges}
    torch.manual_seed(1)
    sum((value * torch.randn_like(value)).sum() for value in found.values()).backward()
    gradients = {name: torch.zeros_like(p) if p.grad is None else p.grad for name, p in net.named_parameters()}
    return {name: value.detach() for name, value in found.items()}, gradients


def assert_same(one, other):
    for ours, theirs in zip(one, other, strict=True):
        assert ours.keys() == theirs.keys()
        for name in theirs:
            message = lambda text, name=name: f"{name}: {text}"  # noqa: E731
            torch.testing.assert_close(ours[name], theirs[name], rtol=1e-9, atol=1e-11, msg=message)


@each_direction
@each_build
class TestEnginesAgree:
    def check(self, graphs, direction, build, relation="child"):
        edges, dense, dgl = (outcome(graphs, way, direction, build, relation) for way in WAYS)
        assert_same(edges, dgl)
        assert_same(dense, dgl)

    def test_on_drawn_trees(self, direction, build):
        @quick
        @given(graphs=pairs(forests()))
        def check(graphs):
            self.check(graphs, direction, build)

        check()

    def test_along_the_words(self, direction, build):
        self.check(PAIRS, direction, build, "next")


@on_ways
@each_direction
def test_against_plain_torch(way, direction):
    """Chains, node by node."""
    net, graphs = Net(), [(chain(4), chain(2)), (chain(1), chain(3))]
    batch = Batch.of([graph for pair in graphs for graph in pair], pairs=True)
    net.fields(batch)
    with engine(*way):
        net.run(batch, direction, attention(net))
    x, memory = batch.nodes["x"].split([4, 2, 1, 3]), batch.nodes["memory"].split([4, 2, 1, 3])
    wanted = []
    for k, words in enumerate(x):
        before, states = torch.zeros(WIDTH, dtype=torch.float64), []
        for word in words if direction == "up" else words.flip(0):
            h = torch.tanh(net.U.weight @ before + word)
            weight = (memory[k ^ 1] @ (net.K.weight @ h)).softmax(0)
            before = h + net.V.weight @ (weight @ memory[k ^ 1]) * word
            states.append(before)
        wanted += states if direction == "up" else states[::-1]
    torch.testing.assert_close(batch.nodes["h"], torch.stack(wanted))


@on_ways
@each_build
def test_a_batch_equals_its_pairs(way, build):
    together = outcome(PAIRS, way, "up", build)[0]
    alone = [outcome([pair], way, "up", build)[0] for pair in PAIRS]
    for name, value in together.items():
        torch.testing.assert_close(torch.cat([each[name] for each in alone]), value)


@on_ways
def test_weights_stand_in_the_order_of_the_edges(way):
    net, batch = prepared()
    with engine(*way):
        net.run(batch, "up", no_apply(net))
    attend = batch.relation("attend")
    src, dst = map(torch.from_numpy, attend.ends)
    context = torch.zeros_like(batch.nodes["x"])
    context = context.index_add(0, dst, attend.edges["weight_up"][:, None] * batch.nodes["memory"][src])
    torch.testing.assert_close(context, batch.nodes["context"])
    score = (net.K(batch.nodes["h"])[dst] * batch.nodes["memory"][src]).sum(-1)
    for node in range(batch.num_nodes):
        torch.testing.assert_close(attend.edges["weight_up"][dst == node], score[dst == node].softmax(0))


@pytest.mark.parametrize("direction", ["up", "down"])
def test_a_pass_reads_of_senders_what_it_made_before_as_it_was(direction):
    """As in a second layer: the engines read a field that is half new, or the old one."""
    found = []
    for way in WAYS:
        net, batch = prepared()
        batch.nodes["context"] = (3 * batch.nodes["x"]).sin()

        def message(edges):
            return {"score": (edges.dst["x"] * edges.src["context"]).sum(-1)}

        with engine(*way):
            net.run(batch, direction, [net.attending(message=message)])
        found.append(batch.nodes["context"])
    torch.testing.assert_close(found[1], found[0])
    torch.testing.assert_close(found[2], found[0])


class TestRefusals:
    @pytest.fixture
    def attempt(self):
        def run(layout="edges", **changed):
            net, batch = prepared()
            with engine("torch", layout):
                net.run(batch, "up", [net.attending(apply=net.mix, inputs=net.keys, **changed)])

        return run

    @pytest.mark.parametrize("layout", ["edges", "dense"])
    def test_reading_of_senders_what_is_being_computed(self, attempt, layout):
        with pytest.raises(KeyError, match=r"field 'h' .*; this propagation is computing it"):
            attempt(layout, message=lambda edges: {"score": (edges.dst["key"] * edges.src["h"]).sum(-1)})

    @pytest.mark.parametrize("layout", ["edges", "dense"])
    def test_a_missing_field_is_named(self, attempt, layout):
        with pytest.raises(KeyError, match="node field 'nothing'"):
            attempt(layout, message=lambda edges: {"score": edges.src["nothing"]})
        with pytest.raises(KeyError, match="edge field 'nothing'"):
            attempt(layout, message=lambda edges: {"score": edges.data["nothing"]})

    def test_a_reduce_function_with_mailboxes(self, attempt):
        with pytest.raises(ValueError, match="by softmax_sum or a reducer"):
            attempt(reduce=lambda nodes: {"context": nodes.mailbox["score"].sum(1)})

    @pytest.mark.parametrize("relation", ["child", "next"])
    def test_a_relation_of_single_sentences(self, attempt, relation):
        with pytest.raises(ValueError, match=f"over attend or complete, not over '{relation}'"):
            attempt(relation=relation)

    @pytest.mark.parametrize("name", ["torch", "dgl"])
    def test_what_is_just_being_computed_read_of_senders(self, name):
        net, batch = prepared()

        def message(edges):
            return {"score": (edges.src["h"] * edges.dst["h"]).sum(-1)}

        with (
            engine(name),
            pytest.raises(KeyError, match=r"field 'h' .*reads of its senders"),
            frontier_pass(**net.attending(message=message, apply=net.mix, inputs=net.keys)),
        ):
            net.propagate(batch)

    def refuses(self, way, *passes):
        net, batch = prepared()
        with engine(*way):
            net.run(batch, "up", [net.attending(**{"apply": net.mix, "inputs": net.keys, **each}) for each in passes])

    @on_ways
    def test_what_inputs_made_is_no_field_of_senders(self, way):
        with pytest.raises(KeyError, match="key"):
            self.refuses(way, {"message": lambda edges: {"score": (edges.dst["key"] * edges.src["key"]).sum(-1)}})

    @on_ways
    def test_what_inputs_made_is_no_field_of_another_pass(self, way):
        with pytest.raises(KeyError, match="key"):
            self.refuses(way, {}, {"inputs": None})

    @on_ways
    def test_what_a_pass_made_is_no_field_of_senders_of_another(self, way):
        """Although the batch has one of that name, from before."""

        def message(edges):
            return {"score": (edges.dst["x"] * edges.src["context"]).sum(-1)}

        net, batch = prepared()
        batch.nodes["context"] = torch.ones_like(batch.nodes["x"])
        passes = [net.attending(inputs=net.keys), net.attending(message=message, apply=net.mix)]
        with engine(*way), pytest.raises(KeyError, match=r"field 'context' .*reads of its senders"):
            net.run(batch, "up", passes)

    @pytest.mark.parametrize("rows", [1, -1])
    def test_messages_of_other_edges(self, rows):
        with pytest.raises(ValueError, match="the messages of the step"):
            self.refuses(
                ("torch", "edges"),
                {"message": lambda edges: {"score": torch.zeros(edges.batch_size() + rows).double()}},
            )

    @on_ways
    def test_inputs_of_a_name_that_is_taken(self, way):
        with pytest.raises(ValueError, match="inputs makes the field 'memory', which is set already"):
            self.refuses(way, {"inputs": lambda nodes: {"key": nodes.data["h"], "memory": nodes.data["h"]}})

    def test_an_encoder_that_never_propagates(self):
        net, batch = prepared()
        with (
            pytest.raises(ValueError, match="needs a propagation that computes the field 'h', and there was none"),
            frontier_pass(**net.attending(apply=net.mix, inputs=net.keys)),
        ):
            batch.nodes["h"] = batch.nodes["x"]

    @on_ways
    def test_a_propagation_of_another_field_takes_no_part(self, way):
        net, batch = prepared()
        with (
            engine(*way),
            pytest.raises(ValueError, match="computes the field 'h', and there was none"),
            frontier_pass(**net.attending(apply=net.mix, inputs=net.keys)),
        ):
            propagate(batch, fn.copy_u("g", "m"), fn.sum("m", "g"), leaf=lambda nodes: {"g": nodes.data["x"]})
        assert "weight_up" not in batch.relation("attend").edges

    def test_an_error_within_is_told_as_it_is(self):
        with pytest.raises(RuntimeError, match="within"), frontier_pass(**Net().attending()):
            raise RuntimeError("within")


@pytest.mark.parametrize("layout", ["edges", "dense"])
@pytest.mark.parametrize("name", ["h", "q"])
def test_a_pass_has_a_row_a_node(layout, name):
    net, batch = prepared()
    wrong = {
        "relation": "attend",
        "message": lambda edges: {"score": (edges.dst["h"] * edges.src["memory"]).sum(-1)},
        "reduce": ATTENTION,
        "apply": lambda nodes: {name: torch.cat([nodes.data["h"], nodes.data["context"]])},
    }
    with engine("torch", layout=layout), pytest.raises(ValueError, match=f"field '{name}' has the shape"):
        net.run(batch, "up", [wrong])


@on_ways
def test_a_field_that_was_of_another_width(way):
    """A pass may run again over a batch where another left a field under its name."""
    net, batch = prepared()
    for width in (1, 2):
        heard = net.attending(inputs=net.keys, apply=partial(first_numbers, width))
        with engine(*way):
            net.run(batch, "up", [heard])
        assert batch.nodes["heard"].shape == (batch.num_nodes, width)


def first_numbers(width, nodes):
    return {"heard": nodes.data["context"][:, :width]}
