"""Both engines compute the same, on trees, forests, chains and other acyclic graphs, up and down."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import SEVEN, awkward_trees, chain, chains, forest, forests, tree
from torch import nn

from dglsent.passing import Batch, StepLinear, engine, padded, propagate, update_all
from graphs import topology
from graphs.door import fn
from graphs.sentence_graph import SentenceGraph

WIDTH = 3
quick = settings(derandomize=True, deadline=None, max_examples=20)


@st.composite
def dags(draw):
    """Acyclic graphs with uneven degrees, several sinks, edges over several levels, and parallel edges."""
    size = draw(st.integers(1, 8))
    pairs = [(u, v) for v in range(size) for u in range(v + 1, size)]
    edges = draw(st.lists(st.sampled_from(pairs), max_size=14)) if pairs else []
    order = draw(st.permutations(range(size)))
    src = np.array([order[u] for u, _ in edges], dtype=np.int64)
    dst = np.array([order[v] for _, v in edges], dtype=np.int64)
    return SentenceGraph(
        size=size,
        src=src,
        dst=dst,
        nodes={"word": np.arange(1, size + 1), "tag": np.full(size, 2), "position": np.arange(size)},
        edges={"slot": np.arange(len(src))},
        level=topology.levels(size, src, dst),
    )


graphs_of_any_kind = st.one_of(forests(), chains(), dags())
batches = st.lists(graphs_of_any_kind, min_size=1, max_size=4)


class Net(nn.Module):
    """A recursion that notices the order of siblings, both ends of an edge, and edge fields."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.word = nn.Parameter(torch.randn(40, WIDTH))
        self.edge = nn.Parameter(torch.randn(40, WIDTH))
        self.U = StepLinear(WIDTH, WIDTH)
        self.V = StepLinear(WIDTH, WIDTH, bias=False)
        self.double()

    def fields(self, batch):
        batch.nodes["x"] = self.word[batch.nodes["word"]]
        batch.edges["e"] = self.edge[batch.edges["slot"]]

    def inputs(self, nodes):
        return {"vx": self.V(nodes.data["x"])}

    def leaf(self, nodes):
        return {"h": nodes.data["x"].tanh(), "c": nodes.data["x"] * 2}

    def message(self, edges):
        gate = torch.sigmoid(self.U(edges.src["h"]) + edges.dst["vx"] + edges.data["e"])
        return {"m": gate * edges.src["c"], "h": edges.src["h"] + edges.src["x"]}

    def reduce(self, nodes):
        mail = nodes.mailbox["m"]
        order = torch.arange(1, mail.shape[1] + 1, dtype=mail.dtype)
        return {"m": (mail * order[:, None]).sum(1), "first": nodes.mailbox["h"][:, 0] * nodes.data["x"]}

    def update(self, nodes):
        h = torch.tanh(nodes.data["m"] + nodes.data["vx"])
        return {"h": h, "c": h * nodes.data["first"]}


def run(graphs, name, direction="up", build=None):
    """States and gradients of every parameter for a fixed loss over all nodes."""
    net = Net()
    batch = Batch.of(graphs)
    net.fields(batch)
    with engine(name):
        (build or standard)(net, batch, direction)
    torch.manual_seed(1)
    states = batch.nodes["h"]
    (states * torch.randn(states.shape, dtype=states.dtype)).sum().backward()
    return states.detach(), {key: value.grad for key, value in net.named_parameters()}


def standard(net, batch, direction):
    propagate(batch, net.message, net.reduce, net.update, direction=direction, leaf=net.leaf, inputs=net.inputs)


def leafless(net, batch, direction):
    """Without leaf=, nodes without in-edges go through apply and see the fields set beforehand."""
    batch.nodes["m"] = batch.nodes["x"] * 0.5
    batch.nodes["first"] = batch.nodes["x"] * 0.25
    propagate(batch, net.message, net.reduce, net.update, direction=direction, inputs=net.inputs)


def at_once(net, batch, direction):
    """Attention written over mailboxes, called once a step; what stands where there is no message is never seen."""

    def reduce(nodes):
        mail = nodes.mailbox["m"]
        weight = mail.masked_fill(~nodes.mask.unsqueeze(-1), -torch.inf).softmax(1)
        order = torch.arange(1, mail.shape[1] + 1, dtype=mail.dtype)
        last = nodes.mailbox["h"] * order[:, None]
        return {"m": (weight * mail * order[:, None]).sum(1), "first": last.sum(1) * nodes.data["x"]}

    propagate(batch, net.message, padded(reduce), net.update, direction=direction, leaf=net.leaf, inputs=net.inputs)


def builtin(reducer):
    def build(net, batch, direction):
        def update(nodes):
            return {"h": torch.tanh(nodes.data["s"] + nodes.data["vx"])}

        propagate(
            batch,
            fn.u_mul_e("h", "e", "m"),
            reducer("m", "s"),
            update,
            direction=direction,
            leaf=lambda nodes: {"h": nodes.data["x"]},
            inputs=net.inputs,
        )

    return build


def assert_same(one, other):
    assert torch.allclose(one[0], other[0], rtol=1e-10, atol=1e-12)
    for key, grad in one[1].items():
        expected = other[1][key]
        if grad is None or expected is None:
            # A weight that no message met has no gradient on one engine and zeros on the other.
            assert grad is None or not grad.any()
            assert expected is None or not expected.any()
        else:
            assert torch.allclose(grad, expected, rtol=1e-9, atol=1e-12), key


@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize(
    "build",
    [standard, leafless, at_once, builtin(fn.sum), builtin(fn.mean), builtin(fn.max), builtin(fn.min)],
    ids=["standard", "leafless", "at once", "sum", "mean", "max", "min"],
)
def test_engines_agree(build, direction):
    @quick
    @given(batches)
    def check(graphs):
        assert_same(run(graphs, "torch", direction, build), run(graphs, "dgl", direction, build))

    check()


@pytest.mark.parametrize("direction", ["up", "down"])
def test_engines_agree_on_the_awkward_ones(direction):
    graphs = [*awkward_trees(), forest(), chain(1), chain(7)]
    assert_same(run(graphs, "torch", direction), run(graphs, "dgl", direction))


@pytest.mark.parametrize("direction", ["up", "down"])
@quick
@given(graphs=st.lists(graphs_of_any_kind, min_size=2, max_size=4))
def test_a_batch_equals_its_sentences(direction, graphs):
    together = run(graphs, "torch", direction)[0]
    alone = [run([graph], "torch", direction)[0] for graph in graphs]
    assert torch.allclose(together, torch.cat(alone), rtol=1e-12, atol=1e-13)


def test_siblings_keep_their_order():
    """With weights 1 .. 7 for the children, exchanging two words changes the root, and by the right amount."""
    batch = Batch.of([tree(SEVEN), tree([-1, 0, 0])])
    batch.nodes["x"] = torch.arange(11, dtype=torch.float64)[:, None]

    def reduce(nodes):
        mail = nodes.mailbox["x"]
        return {"x": (mail * 10.0 ** torch.arange(mail.shape[1], dtype=mail.dtype)[:, None]).sum(1)}

    propagate(batch, fn.copy_u("x", "x"), reduce, leaf=lambda nodes: {"x": nodes.data["x"]})
    assert batch.nodes["x"][0].item() == 7654321
    assert batch.nodes["x"][8].item() == 9 + 100


def test_a_padded_function_is_called_once_a_step_and_its_padding_is_zero_without_gradient():
    batch = Batch.of([tree([-1, 0, 0, 0]), tree([-1, 0]), tree([-1, 0, 0])])
    x = torch.ones(batch.num_nodes, 1, dtype=torch.float64, requires_grad=True)
    batch.nodes["x"], seen = x, []

    def reduce(nodes):
        seen.append((nodes.mask, nodes.mailbox["m"].detach().squeeze(-1)))
        return {"h": nodes.mailbox["m"].exp().sum(1)}

    propagate(batch, fn.copy_u("x", "m"), padded(reduce), leaf=lambda nodes: {"h": nodes.data["x"]})
    ((mask, mail),) = seen
    assert mask.tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert torch.equal(mail, mask.double())
    batch.at_roots(batch.nodes["h"]).sum().backward()
    receives = torch.zeros(len(x), dtype=torch.bool).index_fill_(0, torch.from_numpy(batch.relation().ends[1]), True)
    assert torch.allclose(x.grad.squeeze(1), torch.where(receives, 0.0, torch.e).double())


def test_depth_2000():
    deep = tree([-1, *range(2000)])
    states, grads = run([deep, chain(2000)], "torch")
    assert states.isfinite().all()
    assert grads["word"].abs().sum() > 0


def test_backward_runs_twice_with_retain_graph():
    net, batch = Net(), Batch.of([tree([-1, 0, 1, 1])])
    net.fields(batch)
    standard(net, batch, "up")
    loss = batch.nodes["h"].sum()
    first = torch.autograd.grad(loss, list(net.parameters()), retain_graph=True)
    second = torch.autograd.grad(loss, list(net.parameters()))
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert any(a.any() for a in first)


def test_nothing_is_recorded_without_grad():
    net, batch = Net(), Batch.of([tree([-1, 0, 1, 1]), chain(4)])
    net.fields(batch)
    standard(net, batch, "up")
    expected = batch.nodes["h"].detach()
    with torch.no_grad():
        standard(net, batch, "up")
    assert not batch.nodes["h"].requires_grad
    assert torch.allclose(batch.nodes["h"], expected, atol=1e-14)


def test_a_second_propagation_reads_the_first():
    """Layers: the states of one pass are fields set beforehand for the next, on both engines."""

    def twice(net, batch, direction):
        standard(net, batch, direction)
        batch.nodes["x"] = batch.nodes["h"]
        standard(net, batch, "down" if direction == "up" else "up")

    graphs = [tree([-1, 0, 1, 1]), tree(SEVEN), chain(3)]
    assert_same(run(graphs, "torch", "up", twice), run(graphs, "dgl", "up", twice))


@pytest.mark.parametrize("name", ["torch", "dgl"])
@pytest.mark.parametrize("wrap", [lambda function: function, padded], ids=["mailboxes", "padded"])
def test_functions_may_ask_which_fields_there_are(name, wrap):
    batch = Batch.of([tree(SEVEN), chain(3)])
    batch.nodes["x"] = torch.randn(batch.num_nodes, 2)
    batch.edges["e"] = torch.randn(len(batch.edges["slot"]), 2)
    asked = set()

    def ask(kind, fields, *there):
        for field in there:
            assert field in fields
            assert torch.equal(fields.get(field), fields[field])
        assert "nowhere" not in fields
        assert fields.get("nowhere") is None
        assert fields.get("nowhere", 1) == 1
        asked.add(kind)

    def message(edges):
        ask("src", edges.src, "h", "x")
        ask("dst", edges.dst, "x")
        ask("data", edges.data, "e")
        return {"m": edges.src["h"]}

    def reduce(nodes):
        ask("mailbox", nodes.mailbox, "m")
        ask("receivers", nodes.data, "x")
        return {"sum": nodes.mailbox["m"].sum(1)}

    def update(nodes):
        ask("nodes", nodes.data, "sum", "x")
        return {"h": nodes.data["sum"] + nodes.data["x"]}

    def leaf(nodes):
        ask("leaves", nodes.data, "x")
        return {"h": nodes.data["x"]}

    with engine(name):
        propagate(batch, message, wrap(reduce), update, leaf=leaf)
        assert asked == {"src", "dst", "data", "mailbox", "receivers", "nodes", "leaves"}
        asked.clear()
        update_all(batch, message, wrap(reduce), update)
        assert asked == {"src", "dst", "data", "mailbox", "receivers", "nodes"}


@pytest.mark.parametrize("reduce", [fn.max, fn.min])
@pytest.mark.parametrize("relation", ["child", "next", "preceding"])
@pytest.mark.parametrize("direction", ["up", "down"])
def test_of_equal_messages_the_first_gets_the_gradient(reduce, relation, direction):
    """On both engines, whatever the schedule: the tie is over the whole mailbox.

    In float64: of fewer bits DGL's kernels of libxsmm give it to the last.
    """
    gradients = []
    for name in ("torch", "dgl"):
        batch = Batch.of([*awkward_trees()[1:6], chain(4)])
        tied = torch.ones(batch.num_nodes, 2, dtype=torch.float64, requires_grad=True)
        batch.nodes["tied"] = tied
        with engine(name):
            propagate(
                batch,
                fn.copy_u("tied", "m"),
                reduce("m", "h"),
                lambda nodes: {"h": nodes.data["h"]},
                relation=relation,
                direction=direction,
                leaf=lambda nodes: {"h": 0 * nodes.data["tied"]},
            )
        (batch.nodes["h"] * torch.arange(1.0, batch.num_nodes + 1, dtype=torch.float64)[:, None]).sum().backward()
        gradients.append(tied.grad)
    assert gradients[0].any()
    assert torch.equal(*gradients)


@pytest.mark.parametrize("on", ["torch", "dgl"])
def test_states_without_a_gradient_may_pass_through_weights(on):
    """Such as counts: what messages keep of them for the gradient of a weight must not change later."""
    U, batch = nn.Linear(1, WIDTH).double(), Batch.of([tree(SEVEN), tree([-1, 0, 0, 1, 3]), chain(4)])
    one = batch.nodes["one"] = torch.ones(batch.num_nodes, 1, dtype=torch.float64)
    with engine(on):
        propagate(
            batch,
            lambda edges: {"m": U(edges.src["size"]), "c": edges.src["size"]},
            (fn.sum("m", "heard"), fn.sum("c", "below")),
            lambda nodes: {"size": nodes.data["below"] + nodes.data["one"], "h": torch.tanh(nodes.data["heard"])},
            leaf=lambda nodes: {"size": nodes.data["one"], "h": nodes.data["one"].expand(-1, WIDTH)},
        )
    size, h = batch.nodes["size"], torch.zeros(batch.num_nodes, WIDTH, dtype=torch.float64)
    src, dst = batch.relation("child").ends
    assert size.sum() > one.sum()
    h = h.index_add(0, torch.from_numpy(dst), U(size[torch.from_numpy(src)])).tanh()
    inner = torch.from_numpy(np.isin(np.arange(batch.num_nodes), dst))
    expected = torch.autograd.grad(h[inner].square().sum(), [*U.parameters()])
    found = torch.autograd.grad(batch.nodes["h"].square().sum(), [*U.parameters()])
    for ours, plain in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, plain)
