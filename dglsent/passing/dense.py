"""Rounds in which every node hears every node of a sentence, as products of tables [S, m, ...] without edges."""

from __future__ import annotations

from contextvars import ContextVar
from functools import partial
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor

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
from dglsent.passing.segments import segment_sum
from dglsent.passing.views import Edges, Fields

Way: TypeAlias = Literal["auto", "dense", "edges"]

_LEAST_FILL = 0.25  # of the tables; below, listing the edges is less work than the padding

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
    edges = Edges(
        relation.size,
        lambda name: layout.senders(read(nodes, name, "node")).unsqueeze(1),
        lambda name: layout.table(read(nodes, name, "node")).unsqueeze(2),
        partial(read, relation.edges, kind="edge"),
    )
    score = message_function(message)(edges)[reduce.score]
    weight = score.masked_fill(~layout.audible.unsqueeze(1), -torch.inf).softmax(-1)
    relation.edges.set_lazy(reduce.weight, partial(listed, weight, layout.place, relation))
    return {reduce.out: layout.rows(weight @ edges.src[reduce.value].squeeze(1))}


def dense_step(edges: Edges, score: Tensor, audible: Tensor, value: str) -> tuple[Tensor, Tensor]:
    """A softmax-weighted sum at the r nodes of a step.

    Args:
        edges: receivers [r, 1, ...] and senders [r, m, ...].
        score: [r, m].
        audible: [r, m] whether there is a sender.
        value: field of the senders, [r, m, d].

    Returns:
        The sums [r, d] and the weights [r, m].
    """
    weight = score.masked_fill(~audible, -torch.inf).softmax(-1)
    return (weight.unsqueeze(1) @ edges.src[value]).squeeze(1), weight


def listed(weight: Tensor, row: Tensor, relation: Between) -> Tensor:
    """Weights in a table, of which row[n] is that of node n and has m places, as those of the E edges."""
    width, place = relation.layout.width, relation.layout.place
    src, dst = relation.incidence("src").row, relation.incidence("dst").row
    return weight.reshape(-1).index_select(0, row[dst] * width + place[src] % width)
