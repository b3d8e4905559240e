"""Batches that are to be the same, however their graphs were made."""

from __future__ import annotations

import numpy as np
import torch

from dglsent.passing import Batch
from dglsent.training.graphs import Graph


def same(one: Batch, other: Batch, kind: Graph) -> None:
    """Nodes, gold values and edges of batches of a kind of graph are equal."""
    assert one.complete == other.complete == (kind == "complete")
    relation = "complete" if kind == "complete" else "child"
    here, there = one.relation(relation), other.relation(relation)
    for mine, theirs in ((one.nodes, other.nodes), (one.targets, other.targets), (here.edges, there.edges)):
        assert set(mine) == set(theirs)
        assert all(torch.equal(mine[name], theirs[name]) for name in mine)
    for mine, theirs in zip(here.ends, there.ends, strict=True):
        assert np.array_equal(mine, theirs)
