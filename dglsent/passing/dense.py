"""Rounds in which every node hears every node of a sentence, as products of tables [S, m, ...] without edges."""

from __future__ import annotations

from functools import partial
from typing import Any

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

_LEAST_FILL = 0.25  # of the tables; below, listing the edges is less work than the padding


def runs_dense(layout: Layout, message: MessageFunction, reduce: ReduceFunction) -> bool:
    """Whether a round runs over tables."""
    return _is_sum_of_senders(message, reduce) or (isinstance(reduce, SoftmaxSum) and layout.fill >= _LEAST_FILL)


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
    relation.edges.set_lazy(reduce.weight, partial(_listed, weight, relation))
    out = layout.rows(weight @ edges.src[reduce.value].squeeze(1))
    return {reduce.out: out}


def _listed(weight: Tensor, relation: Between) -> Tensor:
    """[S, m, m] -> [E], receiver by receiver."""
    width = relation.layout.width
    src, dst = relation.incidence("src").row, relation.incidence("dst").row
    place = relation.layout.place
    return weight.reshape(-1).index_select(0, place[dst] * width + place[src] % width)
