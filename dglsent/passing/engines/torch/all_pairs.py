"""Rounds in which every node hears every node of a sentence: products of padded tensors [S, m, ...] without edges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from functools import cache, partial
from math import prod
from typing import Any, Literal, TypeAlias

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.checkpoint import checkpoint

from dglsent.passing.calls import call
from dglsent.passing.engines.torch.padding import join_blocks, of_cells, of_edges, pad, pad_senders, split_blocks, unpad
from dglsent.passing.engines.torch.preset import read
from dglsent.passing.functions import (
    AtOnce,
    MessageFunction,
    Outputs,
    ReduceFunction,
    SoftmaxSum,
    is_builtin,
    message_function,
)
from dglsent.passing.missing import MESSAGE, there
from dglsent.passing.plans.all_pairs import Padding
from dglsent.passing.precision import of_one_type
from dglsent.passing.relation import AllPairs
from dglsent.passing.seen import EdgesSeen
from dglsent.passing.segments import segment_sum
from dglsent.passing.views import Edges, Fields, View

Layout: TypeAlias = Literal["auto", "dense", "edges"]
ByBlock: TypeAlias = Callable[[str], Sequence[Tensor]]

_LEAST_FILL = 0.25  # of the padded cells; below, listing the edges is less work than the padding
_PAIRS = 2**16  # of nodes whose scores are computed at once: of 100 dimensions, what malloc still keeps for reuse

layout: ContextVar[Layout] = ContextVar("layout", default="auto")


def runs_dense(relation: AllPairs, message: MessageFunction, reduce: ReduceFunction) -> bool:
    """Whether a round runs over padded tensors."""
    if layout.get() == "edges":
        return False
    if _is_sum_of_senders(message, reduce):
        return True
    return isinstance(reduce, SoftmaxSum) and (layout.get() == "dense" or relation.blocks.fill >= _LEAST_FILL)


def frontiers_run_dense(padding: Padding, reduce: ReduceFunction) -> bool:
    """Whether frontier passes run over padded tensors: on a GPU, where padding costs less than many small sums."""
    if not isinstance(reduce, SoftmaxSum) or layout.get() == "edges":
        return False
    return layout.get() == "dense" or (padding.place.is_cuda and padding.fill >= _LEAST_FILL)


def _is_sum_of_senders(message: MessageFunction, reduce: ReduceFunction) -> bool:
    if not (is_builtin(message) and message.name == "copy_u" and is_builtin(reduce) and reduce.name == "sum"):
        return False
    return bool(message.out_field == reduce.msg_field)  # else there is no such message, which the other way says


def dense_round(nodes: Fields, relation: AllPairs, message: MessageFunction, reduce: Any) -> Outputs:
    """A sum, or a softmax-weighted sum, over all senders of each node: [N, d].

    The message function sees receivers [S, m, 1, ...] and senders [S, 1, m, ...] of each block.
    """
    if is_builtin(reduce):
        # All nodes of a sentence hear the same.
        padding = relation.padding
        sums = segment_sum(read(nodes, message.in_field), padding.sentences)
        return {reduce.out_field: sums.index_select(0, padding.sources).index_select(0, padding.sentences.row)}
    blocks, compute = relation.blocks, message_function(message)
    # As they are now: the backward pass may compute scores again when the batch has other fields of the same name.
    nodes, edges = nodes.copy(), relation.edges.copy()

    @_made_once
    def rows(name: str) -> Sequence[Tensor]:
        return split_blocks(read(nodes, name), blocks)

    @_made_once
    def cells(name: str) -> Sequence[Tensor]:
        return of_cells(read(edges, name), *relation.cells).split(blocks.cells)

    weights, means = [], []
    for number, padding in enumerate(blocks.paddings):
        padded = _Block(padding, number, rows, cells)
        values = reduce.read(padded.senders)
        count = padding.width if isinstance(message, AtOnce) else _receivers(padding)
        scores = partial(_scores, padded, compute, reduce.score)
        weight = scores(0, count) if count == padding.width else _in_chunks(scores, padding.width, count)
        reduce.check(weight.shape[3:], values.shape[2:])
        mask = padding.mask.unsqueeze(1)
        weight = weight.masked_fill(~(mask if weight.dim() == 3 else mask.unsqueeze(-1)), -torch.inf).softmax(2)
        factor, values = of_one_type(weight, values)
        mean = factor @ values if weight.dim() == 3 else torch.einsum("snmh,smhd->snhd", factor, values)
        weights.append(weight.flatten(0, 2))
        means.append(unpad(mean, padding))
    relation.edges.set_lazy(reduce.weight, partial(_weights, weights, relation))
    return {reduce.out: join_blocks(means, blocks)}


def _weights(parts: list[Tensor], relation: AllPairs) -> Tensor:
    return of_edges(torch.cat(parts), relation.cells[0])


def joined(compute: Callable[[EdgesSeen], Outputs], edges: Edges, shape: Sequence[int]) -> Outputs:
    """What a message function makes of padded edges, of whose ends each has a dimension of length 1.

    Operations that broadcast take those as they are, and project each end once; for others, such as `torch.cat`, both
    ends are spread over all pairs, as they are over listed edges.

    Args:
        compute: the function.
        edges: what it sees.
        shape: the leading dimensions of pairs.
    """
    try:
        return call(compute, edges)
    except (RuntimeError, IndexError) as error:

        def spread(end: View, name: str) -> Tensor:
            return end[name].expand(*shape, *end[name].shape[len(shape) :])

        ends = partial(spread, edges.src), partial(spread, edges.dst)
        try:
            return call(compute, Edges(edges.batch_size(), *ends, edges.data.__getitem__, len(shape)))
        except (RuntimeError, IndexError):
            raise error from None  # it is no matter of their shapes


def _receivers(padding: Padding) -> int:
    """For how many receivers of each sentence scores are computed at once."""
    return max(1, min(padding.width, _PAIRS // (len(padding.sources) * padding.width)))


def _made_once(make: Callable[[str], Any]) -> Callable[[str], Any]:
    """A function that keeps what it makes, for all chunks of scores.

    A chunk keeps nothing of what it computes and computes it again for the backward pass. What is made here is no part
    of the chunk that asked first: the hooks by which the chunk would forget it do not see it.
    """

    @cache
    def made(name: str) -> Any:
        with saved_tensors_hooks(_itself, _itself):
            return make(name)

    return made


def _itself(x: Tensor) -> Tensor:
    return x


class _Block:
    """The fields of the sentences of a block, each padded once.

    Args:
        padding: of the block.
        number: of the block.
        rows: a node field, block by block.
        cells: an edge field [C, ...], block by block.
    """

    def __init__(self, padding: Padding, number: int, rows: ByBlock, cells: ByBlock) -> None:
        self.padding = padding
        self.senders = _made_once(lambda name: pad_senders(rows(name)[number], padding))
        self.receivers = _made_once(lambda name: pad(rows(name)[number], padding))
        self.cells = lambda name: cells(name)[number]


def _scores(block: _Block, compute: Callable[[EdgesSeen], Outputs], score: str, first: int, count: int) -> Tensor:
    """Scores [S, count, m, ...] of all senders for `count` receivers of each sentence of a block."""
    padding = block.padding
    shape = len(padding.sources), count, padding.width

    def between(name: str) -> Tensor:
        padded = block.cells(name)
        return padded.view(-1, padding.width, padding.width, *padded.shape[1:]).narrow(1, first, count)

    edges = Edges(
        prod(shape),
        lambda name: block.senders(name).unsqueeze(1),
        lambda name: block.receivers(name).unsqueeze(2).narrow(1, first, count),
        between,
        leading=3,
    )
    made = there(joined(compute, edges, shape), score, MESSAGE, by="softmax_sum")
    if (
        made.dim() < 3
        or made.shape[0] != shape[0]
        or made.shape[1] not in (1, count)
        or made.shape[2] not in (1, padding.width)
    ):
        raise ValueError(
            f"the score {score!r} has the shape {tuple(made.shape)}, and its first dimensions should be those of "
            f"padded edges, {shape}: make it of the fields of edges"
        )
    # It may depend on the senders alone.
    return made.expand(-1, count, *made.shape[2:])


def _in_chunks(scores: Callable[[int, int], Tensor], width: int, count: int) -> Tensor:
    """Scores [S, m, m, ...] of long sentences of `width` m, some receivers at a time, and again in the backward pass.

    A score may come of a vector for each pair: of 16 sentences of 400 words that is a gigabyte for 100 dimensions.
    """
    parts = []
    now = copy_context()

    def again(first: int, count: int) -> Tensor:
        # The backward pass computes them in the precision of now.
        return now.run(scores, first, count)

    for first in range(0, width, count):
        here = min(count, width - first)
        if torch.is_grad_enabled():
            parts.append(checkpoint(again, first, here, use_reentrant=False))
        else:
            parts.append(scores(first, here))
    return torch.cat(parts, 1)


def dense_frontier(edges: Edges, score: Tensor, mask: Tensor, reduce: SoftmaxSum) -> tuple[Tensor, Tensor]:
    """A softmax-weighted sum at the r nodes of a frontier.

    Args:
        edges: receivers [r, 1, ...] and senders [r, m, ...].
        score: [r, m], or [r, m, heads].
        mask: [r, m] whether there is a sender.
        reduce: whose values of the senders are [r, m, d], or [r, m, heads, d].

    Returns:
        The sums [r, ...] and the weights, shaped as the scores.
    """
    heads = score.dim() == 3
    weight = score.masked_fill(~(mask.unsqueeze(-1) if heads else mask), -torch.inf).softmax(1)
    values = reduce.read(edges.src.__getitem__)
    reduce.check(score.shape[2:], values.shape[2:])
    factor, values = of_one_type(weight, values)
    if heads:
        return torch.einsum("rmh,rmhd->rhd", factor, values), weight
    return (factor.unsqueeze(1) @ values).squeeze(1), weight
