"""Additive attention scores, with the gradient written out: one autograd node where torch makes four.

Bahdanau, Cho, Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and Translate", appendix A.1.2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import torch
from torch import Tensor, nn

from dglsent.nn.tanh import fast_tanh
from dglsent.passing.autograd import Function, first_derivative

Tile: TypeAlias = tuple[Any, ...]  # as an index

_TILE = 2**17  # numbers; with its temporaries a tile stays in a core's own cache


def additive_score(own: Tensor, other: Tensor, w: Tensor) -> Tensor:
    """The scores w . tanh(own + other).

    Args:
        own: [..., d] projections of those who attend.
        other: [..., d] projections of those to whom they attend; of as many dimensions; both broadcast.
        w: [d].

    Returns:
        [...].
    """
    return _AdditiveScore.apply(own, other, w)


def scoring_vector(size: int) -> nn.Parameter:
    """A new vector w [size], from U(-size^-0.5, size^-0.5), as torch starts a linear map of so many inputs."""
    return nn.Parameter(torch.empty(size).uniform_(-(size**-0.5), size**-0.5))


class _AdditiveScore(Function):
    @staticmethod
    def forward(ctx: Any, own: Tensor, other: Tensor, w: Tensor) -> Tensor:
        # torch.broadcast_shapes would import sympy, which takes a second of a first prediction.
        shape = torch.broadcast_tensors(own, other)[0].shape
        squashed, score = own.new_empty(shape), own.new_empty(shape[:-1])
        for tile in _tiles(squashed):
            part = torch.add(_part(own, tile), _part(other, tile), out=squashed[tile])
            score[tile] = fast_tanh(part, out=part) @ w
        ctx.save_for_backward(squashed, w)
        ctx.shapes = own.shape, other.shape
        return score

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        squashed, w = ctx.saved_tensors
        grad = grads[0]
        sums = [squashed.new_zeros(shape) for shape in ctx.shapes]
        for tile in _tiles(squashed):
            through = torch.ops.aten.tanh_backward(grad[tile].unsqueeze(-1), squashed[tile])
            for whole in sums:
                part = _part(whole, tile)
                if whole.shape == squashed.shape:
                    torch.mul(through, w, out=part)
                else:
                    part += through.sum_to_size(part.shape) * w
        grad_w = grad.reshape(-1) @ squashed.reshape(-1, len(w))
        return sums[0], sums[1], grad_w


def _tiles(x: Tensor) -> Iterator[Tile]:
    """Parts of x: some of its first two dimensions, and the others whole; on a GPU, and of rows, all of it."""
    if x.dim() < 3 or x.device.type != "cpu" or x.numel() <= _TILE:
        yield (...,)
        return
    rows, columns = x.shape[:2]
    height, width = max(1, _TILE // x[0].numel()), max(1, _TILE // x[0, 0].numel())
    for top in range(0, rows, height):
        for left in range(0, columns, width):
            yield slice(top, top + height), slice(left, left + width)


def _part(x: Tensor, tile: Tile) -> Tensor:
    """Of what x broadcasts to, a tile, as far as it lies in x."""
    if tile == (...,):
        return x
    return x[tuple(slice(None) if size == 1 else here for here, size in zip(tile, x.shape, strict=False))]
