"""Which of n rows each of m edges touches, and how rows fall into groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from graphs.columns import IntArray


class Incidence(NamedTuple):
    """Which of n rows each of m edges touches.

    Attributes:
        row: [m] row of each edge.
        order: [m] edges sorted by row.
        offsets: [n + 1] where each row's edges start in `order`.
    """

    row: Tensor
    order: Tensor
    offsets: Tensor


def incidence(row: Tensor, rows: int) -> Incidence:
    """Incidence of m edges on n = `rows` rows, of which each touches row [m]."""
    ordered, order = row.sort(stable=True)
    return Incidence(row, order, _starts(ordered, rows))


def incidence_in_order(row: Tensor, rows: int) -> Incidence:
    """The same of edges that stand by row already, such as the nodes of one sentence after the other."""
    return Incidence(row, torch.arange(len(row), device=row.device), _starts(row, rows))


def incidences(row: Tensor, offsets: Tensor, edges: Sequence[int], rows: Sequence[int]) -> Iterator[Incidence]:
    """The same group by group, where the edges of each group stand by its rows.

    Args:
        row: [m] row of each edge among those of its group.
        offsets: [n + g] for each of g groups where the edges of its rows start, and their number.
        edges: [g] edges of each group.
        rows: [g] rows of each group.
    """
    ordinal = torch.arange(max(edges, default=0), device=row.device)
    starts = offsets.split([count + 1 for count in rows])
    for part, start in zip(row.split(list(edges)), starts, strict=True):
        yield Incidence(part, ordinal[: len(part)], start)


def _starts(ordered: Tensor, rows: int) -> Tensor:
    return torch.searchsorted(ordered, torch.arange(rows + 1, device=ordered.device))


def inverse(order: IntArray) -> IntArray:
    """[n] place of each number in a permutation [n]."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    return places


def running_offsets(counts: IntArray, sizes: IntArray) -> IntArray:
    """For each group of `sizes` [g] consecutive rows, 0 and the running sums of their `counts` [n]: [n + g]."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    group_ends = np.cumsum(sizes)
    start = group_ends - sizes
    index = np.arange(int(sizes.sum()) + len(sizes)) - np.repeat(np.arange(len(sizes)), sizes + 1)
    return ends[index] - np.repeat(ends[start], sizes + 1)


def degree_runs(indegree: IntArray, sizes: IntArray) -> list[list[tuple[int, int]]]:
    """For each group of `sizes` [g] consecutive nodes, runs (in-degree, nodes of it) of their in-degrees [n]."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    change = np.flatnonzero((np.diff(indegree) != 0) | (np.diff(group) != 0)) + 1
    starts = np.concatenate([[0], change]) if len(indegree) else np.zeros(0, dtype=np.int64)
    counts = np.diff(np.concatenate([starts, [len(indegree)]]))
    result: list[list[tuple[int, int]]] = [[] for _ in sizes]
    for g, degree, count in zip(group[starts].tolist(), indegree[starts].tolist(), counts.tolist(), strict=True):
        result[g].append((degree, count))
    return result
