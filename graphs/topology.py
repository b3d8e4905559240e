"""Levels of an acyclic graph: how many steps each node stands before the last one."""

from __future__ import annotations

import numpy as np

from graphs.columns import IntArray
from graphs.errors import Origin, SentenceError
from graphs.ranges import ranges


def levels(size: int, src: IntArray, dst: IntArray, origin: Origin | None = None) -> IntArray:
    """Edges on the longest path from each node to one that sends to none; in a tree, child -> parent, its depth.

    Args:
        size: number of nodes N.
        src: [E] senders.
        dst: [E] receivers.
        origin: where the sentence was read, for the error.

    Returns:
        [N] level of each node, 0 where it sends to none. Every edge leads to a lower level.

    Raises:
        SentenceError: the graph has a cycle; one of its nodes is named.
    """
    level = np.zeros(size, dtype=np.int64)
    by_receiver = np.argsort(dst, kind="stable")
    senders = src[by_receiver]
    starts = np.searchsorted(dst[by_receiver], np.arange(size + 1))
    waiting = np.bincount(src, minlength=size)
    frontier = np.flatnonzero(waiting == 0)
    done, step = len(frontier), 0
    while len(frontier):
        step += 1
        counts = starts[frontier + 1] - starts[frontier]
        reached, times = np.unique(senders[ranges(starts[frontier], counts)], return_counts=True)
        waiting[reached] -= times
        frontier = reached[waiting[reached] == 0]
        level[frontier] = step
        done += len(frontier)
    if done < size:
        # Whoever waits sends to one that waits; but the first of them may only lead to the cycle.
        next_of = {sender: to for sender, to in zip(src.tolist(), dst.tolist(), strict=True) if waiting[to]}
        node, met = min(next_of), set[int]()
        while node not in met:
            met.add(node)
            node = next_of[node]
        raise SentenceError(f"the graph has a cycle through node {node} (counted from 0)", origin)
    return level
