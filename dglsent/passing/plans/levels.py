"""When each node is computed: levels, and the order of nodes that follows from them.

Nodes run by level: step t handles the nodes t steps before the last, so in a tree every child is computed exactly
one step before its parent and a step reads nothing but the step before it. Nodes without in-edges (leaves) wait
for nobody and are computed all at once beforehand. Within a step nodes stand by in-degree, so that the mailboxes of
one degree are one contiguous view.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dglsent.passing.plans.incidence import inverse
from graphs.columns import IntArray


class NodeOrder(NamedTuple):
    """N nodes in the order in which T steps compute them; there are T + 1 levels, and step t computes level T - 1 - t.

    Attributes:
        level: [N] level of each node.
        indegree: [N] in-degree of each node.
        is_leaf: [N] whether it has no in-edges.
        order: [N] the nodes: all leaves, then the others, each group from the highest level down and by in-degree
            within a level.
        position: [N] inverse of `order`.
        row: [N] row of each node among the leaves, or the computed nodes, of its own level.
        leaves_at: [T + 1] leaves of each level.
        computed_at: [T + 1] other nodes of each level.
        steps: [T] the level that each step computes.
    """

    level: IntArray
    indegree: IntArray
    is_leaf: npt.NDArray[np.bool_]
    order: IntArray
    position: IntArray
    row: IntArray
    leaves_at: IntArray
    computed_at: IntArray
    steps: IntArray

    @property
    def leaves(self) -> int:
        """How many leaves there are."""
        return int(self.is_leaf.sum())

    @property
    def computed(self) -> IntArray:
        """[N - leaves] the nodes with in-edges, as they are computed."""
        return self.order[self.leaves :]


def order_nodes(size: int, dst: IntArray, level: IntArray) -> NodeOrder:
    """The order of N = `size` nodes for edges into dst [E], all of which lead to a lower level [N]."""
    indegree = np.bincount(dst, minlength=size)
    top = int(level.max(initial=0))
    is_leaf = indegree == 0
    order = np.lexsort((indegree, -level, ~is_leaf))
    position = inverse(order)
    leaves_at = np.bincount(level[is_leaf], minlength=top + 1)
    computed_at = np.bincount(level[~is_leaf], minlength=top + 1)
    leaf_start = leaves_at.sum() - np.cumsum(leaves_at)
    computed_start = is_leaf.sum() + computed_at.sum() - np.cumsum(computed_at)
    row = position - np.where(is_leaf, leaf_start[level], computed_start[level])
    return NodeOrder(
        level, indegree, is_leaf, order, position, row, leaves_at, computed_at, steps=np.arange(top - 1, -1, -1)
    )


def is_tree(src: IntArray, dst: IntArray, level: IntArray) -> bool:
    """Whether every node but those of level 0 sends once, and to the step after its own."""
    sends = np.bincount(src, minlength=len(level))
    return np.array_equal(sends, level > 0) and bool(np.all(level[src] == level[dst] + 1))


def reversed_levels(src: IntArray, dst: IntArray, level: IntArray, sentence: IntArray) -> IntArray:
    """[N] levels for the edges turned round, of nodes with a `level` [N] in a `sentence` [N].

    They are counted within each sentence, so that a chain is a chain backwards too and ends at level 0.
    """
    top = np.zeros(int(sentence[-1]) + 1, dtype=np.int64)
    np.maximum.at(top, sentence, level)
    alone = np.ones(len(level), dtype=bool)
    alone[src] = alone[dst] = False
    return np.where(alone, 0, top[sentence] - level)
