"""Rounds in which every node hears every node of a sentence, as products of tables [S, m, ...] without edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import cache, partial
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
ByBlock: TypeAlias = Callable[[str], Sequence[Tensor]]

_LEAST_FILL = 0.25  # of the tables; below, listing the edges is less work than the padding
_PAIRS = 2**16  # of nodes whose scores are computed at once: of 100 dimensions, what malloc still keeps for reuse

way: ContextVar[Way] = ContextVar("way", default="auto")


def runs_dense(relation: Between, message: MessageFunction, reduce: ReduceFunction) -> bool:
    """Whether a round runs over tables."""
    if way.get() == "edges":
        return False
    if _is_sum_of_senders(message, reduce):
        return True
    return isinstance(reduce, SoftmaxSum) and (way.get() == "dense" or relation.blocks.fill >= _LEAST_FILL)


def steps_run_dense(layout: Layout, reduce: ReduceFunction) -> bool:
    """Whether the steps of a further pass run over tables: on a GPU, where padding costs less than many small sums."""
    if not isinstance(reduce, SoftmaxSum) or way.get() == "edges":
        return False
    return way.get() == "dense" or (layout.place.is_cuda and layout.fill >= _LEAST_FILL)


def _is_sum_of_senders(message: MessageFunction, reduce: ReduceFunction) -> bool:
    return is_builtin(message) and message.name == "copy_u" and is_builtin(reduce) and reduce.name == "sum"


def dense_round(nodes: Fields, relation: Between, message: MessageFunction, reduce: Any) -> Outputs:
    """A sum, or a softmax-weighted sum, over all senders of each node: [N, d].

    The message function sees receivers [S, m, 1, ...] and senders [S, 1, m, ...] of each block.
    """
    if is_builtin(reduce):
        # All nodes of a sentence hear the same.
        layout = relation.layout
        sums = segment_sum(read(nodes, message.in_field, "node"), layout.sentences)
        return {reduce.out_field: sums.index_select(0, layout.heard).index_select(0, layout.sentences.row)}
    blocks, compute = relation.blocks, message_function(message)
    # As they are now: the backward pass may compute scores again when the batch has other fields of the same name.
    nodes, between = nodes.copy(), relation.edges.copy()
    ids: dict[str, Sequence[Tensor]] = {}  # tables of edge fields, made once; those with a gradient are made anew

    def rows(name: str) -> Sequence[Tensor]:
        return blocks.split(read(nodes, name, "node"))

    def cells(name: str) -> Sequence[Tensor]:
        if name in ids:
            return ids[name]
        field = read(between, name, "edge")
        tables = tabled(field, relation.cell(blocks.start), sum(blocks.cells)).split(blocks.cells)
        if not field.requires_grad:
            ids[name] = tables
        return tables

    kept_rows, kept_cells = cache(rows), cache(cells)
    weights, means = [], []
    for number, layout in enumerate(blocks.layouts):
        heard = layout.senders(kept_rows(reduce.value)[number])
        count = max(1, min(layout.width, _PAIRS // (len(layout.heard) * layout.width)))
        if count == layout.width:
            weight = _scores(layout, number, compute, reduce.score, kept_rows, kept_cells, 0, count)
        else:
            # A chunk that is computed again may not find kept what it made itself.
            weight = _in_chunks(partial(_scores, layout, number, compute, reduce.score, rows, cells), layout, count)
        audible = layout.audible.unsqueeze(1)
        weight = weight.masked_fill(~(audible if weight.dim() == 3 else audible.unsqueeze(-1)), -torch.inf).softmax(2)
        mean = weight @ heard if weight.dim() == 3 else torch.einsum("snmh,smhd->snhd", weight, heard)
        weights.append(weight.flatten(0, 2))
        means.append(layout.rows(mean))
    relation.edges.set_lazy(reduce.weight, lambda: listed(torch.cat(weights), relation.cell(blocks.start)))
    return {reduce.out: blocks.join(means)}


def _scores(
    layout: Layout,
    block: int,
    compute: Callable[[Any], Outputs],
    score: str,
    rows: ByBlock,
    cells: ByBlock,
    first: int,
    count: int,
) -> Tensor:
    """Scores [S, count, m, ...] of all senders for `count` receivers of each sentence of a block."""

    def between(name: str) -> Tensor:
        table = cells(name)[block]
        return table.view(-1, layout.width, layout.width, *table.shape[1:]).narrow(1, first, count)

    edges = Edges(
        len(layout.heard) * count * layout.width,
        lambda name: layout.senders(rows(name)[block]).unsqueeze(1),
        lambda name: layout.table(rows(name)[block]).unsqueeze(2).narrow(1, first, count),
        between,
    )
    made = compute(edges)[score]
    # It may depend on the senders alone.
    return made.expand(-1, count, *made.shape[2:])


def _in_chunks(scores: Callable[[int, int], Tensor], layout: Layout, count: int) -> Tensor:
    """Scores [S, m, m, ...] of long sentences, some receivers at a time, and again in the backward pass.

    A score may come of a vector for each pair: of 16 sentences of 400 words that is a gigabyte for 100 dimensions.
    """
    parts = []
    for first in range(0, layout.width, count):
        here = min(count, layout.width - first)
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


def listed(cells: Tensor, cell: Tensor) -> Tensor:
    """Values of the cells of tables, [C, ...], as those of the E edges, of which each stands at cell[e]."""
    return cells.index_select(0, cell)


def tabled(x: Tensor, cell: Tensor, cells: int) -> Tensor:
    """The inverse: a field x [E, ...] of the edges as cells [C, ...]; those without an edge hold another's."""
    edge = torch.arange(len(cell), device=cell.device)
    return spread(x, cell.new_zeros(cells).index_copy_(0, cell, edge), cell)
