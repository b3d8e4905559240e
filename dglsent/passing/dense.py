"""Rounds in which every node hears every node of a sentence, as products of tables [S, m, ...] without edges."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from dglsent.passing.functions import (
    MessageFunction,
    Outputs,
    ReduceFunction,
    SoftmaxSum,
    is_builtin,
    message_function,
)
from dglsent.passing.given import read
from dglsent.passing.layout import Between, Layout
from dglsent.passing.segments import segment_sum, spread
from dglsent.passing.views import Edges, Fields

Way: TypeAlias = Literal["auto", "dense", "edges"]

_LEAST_FILL = 0.25  # of the tables; below, listing the edges is less work than the padding
_PAIRS = 2**16  # of nodes whose scores are computed at once: of 100 dimensions, what malloc still keeps for reuse

way: ContextVar[Way] = ContextVar("way", default="auto")


def runs_dense(layout: Layout, message: MessageFunction, reduce: ReduceFunction) -> bool:
    """Whether a round runs over tables."""
    if way.get() == "edges":
        return False
    if _is_sum_of_senders(message, reduce):
        return True
    return isinstance(reduce, SoftmaxSum) and (way.get() == "dense" or layout.fill >= _LEAST_FILL)


def steps_run_dense(layout: Layout, reduce: ReduceFunction) -> bool:
    """Whether the steps of a further pass run over tables: on a GPU, where padding costs less than many small sums."""
    if not isinstance(reduce, SoftmaxSum) or way.get() == "edges":
        return False
    return way.get() == "dense" or (layout.place.is_cuda and layout.fill >= _LEAST_FILL)


def _is_sum_of_senders(message: MessageFunction, reduce: ReduceFunction) -> bool:
    return is_builtin(message) and message.name == "copy_u" and is_builtin(reduce) and reduce.name == "sum"


def dense_round(nodes: Fields, relation: Between, message: MessageFunction, reduce: Any) -> Outputs:
    """A sum, or a softmax-weighted sum, over all senders of each node: [N, d].

    The message function sees receivers [S, m, 1, ...] and senders [S, 1, m, ...].
    """
    layout = relation.layout
    if is_builtin(reduce):
        # All nodes of a sentence hear the same.
        sums = segment_sum(read(nodes, message.in_field, "node"), layout.sentences)
        return {reduce.out_field: sums.index_select(0, layout.heard).index_select(0, layout.sentences.row)}
    cells = len(layout.node)
    # As they are now: the backward pass may compute scores again when the batch has other fields of the same name.
    nodes, between_nodes = nodes.copy(), relation.edges.copy()

    def senders(name: str) -> Tensor:
        return layout.senders(read(nodes, name, "node")).unsqueeze(1)

    def receivers(name: str) -> Tensor:
        return layout.table(read(nodes, name, "node")).unsqueeze(2)

    made: dict[str, Tensor] = {}  # of ids, for all chunks; what needs a gradient each chunk makes for itself

    def between(name: str) -> Tensor:
        field = read(between_nodes, name, "edge")
        if name not in made:
            table = tabled(field, layout.place, cells, relation).unflatten(0, (-1, layout.width))
            if field.requires_grad:
                return table
            made[name] = table
        return made[name]

    compute = message_function(message)

    def scores(first: int, count: int) -> Tensor:
        edges = Edges(
            relation.size,
            senders,
            lambda name: receivers(name).narrow(1, first, count),
            lambda name: between(name).narrow(1, first, count),
        )
        score = compute(edges)[reduce.score]
        # It may depend on the senders alone.
        return score.expand(-1, count, *score.shape[2:])

    weight = _in_chunks(scores, layout)
    audible = layout.audible.unsqueeze(1)
    weight = weight.masked_fill(~(audible if weight.dim() == 3 else audible.unsqueeze(-1)), -torch.inf).softmax(2)
    relation.edges.set_lazy(reduce.weight, partial(listed, weight.flatten(0, 1), layout.place, relation))
    heard = senders(reduce.value).squeeze(1)
    out = weight @ heard if weight.dim() == 3 else torch.einsum("snmh,smhd->snhd", weight, heard)
    return {reduce.out: layout.rows(out)}


def _in_chunks(scores: Callable[[int, int], Tensor], layout: Layout) -> Tensor:
    """Scores [S, m, m, ...] of all pairs; of long sentences some receivers at a time, and again in the backward pass.

    A score may come of a vector for each pair: of 16 sentences of 400 words that is a gigabyte for 100 dimensions.
    """
    width = layout.width
    count = max(1, min(width, _PAIRS // (len(layout.heard) * width)))
    if count == width:
        return scores(0, width)
    parts = []
    for first in range(0, width, count):
        here = min(count, width - first)
        if torch.is_grad_enabled():
            parts.append(checkpoint(scores, first, here, use_reentrant=False))
        else:
            parts.append(scores(first, here))
    return torch.cat(parts, 1)


def dense_step(edges: Edges, score: Tensor, audible: Tensor, value: str) -> tuple[Tensor, Tensor]:
    """A softmax-weighted sum at the r nodes of a step.

    Args:
        edges: receivers [r, 1, ...] and senders [r, m, ...].
        score: [r, m], or [r, m, heads].
        audible: [r, m] whether there is a sender.
        value: field of the senders, [r, m, d], or [r, m, heads, d].

    Returns:
        The sums [r, ...] and the weights, shaped as the scores.
    """
    if score.dim() == 3:
        weight = score.masked_fill(~audible.unsqueeze(-1), -torch.inf).softmax(1)
        return torch.einsum("rmh,rmhd->rhd", weight, edges.src[value]), weight
    weight = score.masked_fill(~audible, -torch.inf).softmax(1)
    return (weight.unsqueeze(1) @ edges.src[value]).squeeze(1), weight


def listed(weight: Tensor, row: Tensor, relation: Between) -> Tensor:
    """Weights in a table [rows, m, ...], of which row[n] is that of node n, as those of the E edges."""
    return weight.flatten(0, 1).index_select(0, _cells(row, relation))


def tabled(x: Tensor, row: Tensor, rows: int, relation: Between) -> Tensor:
    """The inverse: a field x [E, ...] of the edges as a table [rows, m, ...]; places without an edge hold another's."""
    cell, width = _cells(row, relation), relation.layout.width
    edge = torch.arange(len(cell), device=cell.device)
    source = cell.new_zeros(rows * width).index_copy_(0, cell, edge)
    return spread(x, source, cell).view(rows, width, *x.shape[1:])


def _cells(row: Tensor, relation: Between) -> Tensor:
    """[E] place of each edge in a table of m columns, of which row[n] is that of receiver n."""
    width, place = relation.layout.width, relation.layout.place
    src, dst = relation.nodes("src"), relation.nodes("dst")
    return row[dst] * width + place[src] % width
