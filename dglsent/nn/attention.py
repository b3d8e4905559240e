"""Additive attention scores, with the gradient written out: one autograd node where torch makes four.

Bahdanau, Cho, Bengio 2015, "Neural Machine Translation by Jointly Learning to Align and Translate".
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from dglsent.nn.tanh import fast_tanh
from dglsent.passing.autograd import Function


def additive_score(own: Tensor, other: Tensor, w: Tensor) -> Tensor:
    """The scores w . tanh(own + other).

    Args:
        own: [..., d] projections of those who attend.
        other: [..., d] projections of those to whom they attend; both broadcast.
        w: [d].

    Returns:
        [...].
    """
    return _AdditiveScore.apply(own, other, w)


class _AdditiveScore(Function):
    @staticmethod
    def forward(ctx: Any, own: Tensor, other: Tensor, w: Tensor) -> Tensor:
        squashed = fast_tanh(own + other)
        ctx.save_for_backward(squashed, w)
        ctx.shapes = own.shape, other.shape
        return squashed @ w

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        squashed, w = ctx.saved_tensors
        grad = grads[0]
        grad_w = grad.reshape(-1) @ squashed.reshape(-1, len(w))
        through = torch.ops.aten.tanh_backward(grad.unsqueeze(-1) * w, squashed)
        own, other = (through if through.shape == shape else through.sum_to_size(shape) for shape in ctx.shapes)
        return own, other, grad_w
