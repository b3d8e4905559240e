"""Graphs of DGL and NetworkX, which the engine takes as columns."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from random_graphs import chain, tree

from dglsent.passing import Batch, apply_edges, edge_softmax, propagate, update_all
from graphs.door import fn
from graphs.errors import InputError
from graphs.networkx_bridge import from_dgl, from_networkx, to_networkx
from graphs.topology import levels


def sums(graph):
    """What every node has under it."""
    batch = Batch.of([graph, graph])
    batch.nodes["x"] = torch.arange(float(batch.num_nodes))
    leaf, update = (lambda nodes: {"h": nodes.data["x"]}), (lambda nodes: {"h": nodes.data["x"] + nodes.data["s"]})
    propagate(batch, fn.copy_u("h", "m"), fn.sum("m", "s"), update, leaf=leaf)
    return batch.nodes["h"]


@pytest.mark.parametrize("there", [tree([-1, 0, 0, 1, 1]), chain(4)], ids=["tree", "chain"])
def test_they_are_what_they_were(there):
    back = from_dgl(from_networkx(to_networkx(there)))
    assert back.fault() == ""
    assert back.level.tolist() == there.level.tolist()
    for kind in ("nodes", "edges"):
        assert {name: column.tolist() for name, column in getattr(back, kind).items()} == {
            name: column.tolist() for name, column in getattr(there, kind).items()
        }
    assert torch.equal(sums(back), sums(there))


def test_those_with_cycles_are_for_rounds():
    batch = Batch.of([from_dgl(from_networkx(nx.DiGraph([("a", "b"), ("b", "a"), ("a", "c")])))])
    batch.nodes["x"] = torch.tensor([1.0, 2.0, 4.0])
    update_all(batch, fn.copy_u("x", "m"), fn.sum("m", "s"))
    assert batch.nodes["s"].tolist() == [2, 1, 1]
    with pytest.raises(ValueError, match="this relation has cycles"):
        propagate(batch, fn.copy_u("x", "m"), fn.sum("m", "s"), leaf=lambda nodes: {"s": nodes.data["x"]})


def test_where_nodes_have_no_levels_it_is_said():
    """That the relation has cycles was said of trees whose columns have 0 everywhere."""
    graph = tree([-1, 0, 0])
    graph.level = np.zeros_like(graph.level)
    batch = Batch.of([graph])
    batch.nodes["x"] = torch.ones(3)
    with pytest.raises(ValueError, match=r"levels of nodes, .* make them by graphs\.topology\.levels\(size"):
        propagate(batch, fn.copy_u("x", "m"), fn.sum("m", "s"), leaf=lambda nodes: {"s": nodes.data["x"]})
    graph.level = levels(graph.size, graph.src, graph.dst)
    sums(graph)


def test_levels_may_leave_numbers_out():
    """All that a propagation wants of them is that every edge leads to a lower one."""
    graph, spread = tree([-1, 0, 0, 1, 1]), tree([-1, 0, 0, 1, 1])
    spread.level = 3 * graph.level
    assert torch.equal(sums(spread), sums(graph))


@pytest.mark.parametrize(
    "run",
    [
        lambda graph: propagate(
            graph, fn.copy_u("x", "m"), fn.sum("m", "s"), leaf=lambda nodes: {"s": nodes.data["x"]}
        ),
        lambda graph: update_all(graph, fn.copy_u("x", "m"), fn.sum("m", "s")),
        lambda graph: apply_edges(graph, fn.copy_u("x", "m")),
        lambda graph: edge_softmax(graph, torch.ones(2)),
    ],
    ids=["propagate", "update_all", "apply_edges", "edge_softmax"],
)
def test_what_dgls_own_functions_take_is_refused(run):
    with pytest.raises(InputError, match=r"^Batch is wanted, and DGLGraph was given; Batch\.of\(graphs\) makes one"):
        run(tree([-1, 0, 0]).dgl())
    with pytest.raises(InputError, match=r"^Batch is wanted, and Relation was given"):
        run(Batch.of([tree([-1, 0, 0])]).relation("child"))
