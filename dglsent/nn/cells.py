"""The LSTM's memory cell, with its gradient written out: one autograd node where plain torch makes twenty."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable


def lstm_cell(
    pre: Tensor, memories: Tensor | None = None, kept: Tensor | None = None, *, output_gate: bool = True
) -> tuple[Tensor, Tensor]:
    """c = sigmoid(i) * tanh(g) + sum_k sigmoid(f_k) * c_k + kept;  h = sigmoid(o) * tanh(c).

    Args:
        pre: [n, (2 + K + 1) d] sums before the nonlinearities, in the order g, i, f_1 .. f_K, o; without output
            gate [n, (2 + K) d].
        memories: [n, K, d] memories c_k behind a forget gate; None for K = 0.
        kept: [n, d] memory that has passed its forget gates already.
        output_gate: False gives h = tanh(c).

    Returns:
        h and c, both [n, d].
    """
    return _LSTMCell.apply(pre, memories, kept, output_gate)


def _tanh_(x: Tensor) -> Tensor:
    """tanh in place, as 2 sigmoid(2 x) - 1: on the CPU torch's sigmoid is vectorised and its tanh is not."""
    return x.mul_(2).sigmoid_().mul_(2).sub_(1) if x.device.type == "cpu" else x.tanh_()


class _LSTMCell(Function):
    @staticmethod
    def forward(
        ctx: Any, pre: Tensor, memories: Tensor | None, kept: Tensor | None, output_gate: bool
    ) -> tuple[Tensor, Tensor]:
        count = 0 if memories is None else memories.shape[1]
        size = pre.shape[-1] // (2 + count + output_gate)
        gates = torch.empty_like(pre)
        torch.sigmoid(pre[:, size:], out=gates[:, size:])
        _tanh_(gates[:, :size].copy_(pre[:, :size]))
        g, i, *f = gates.split(size, -1)
        c = g * i if kept is None else torch.addcmul(kept, g, i)
        for k in range(count):
            c.addcmul_(f[k], memories[:, k])  # type: ignore[index]
        squashed = _tanh_(c.clone())
        h = f[-1] * squashed if output_gate else squashed.clone()
        ctx.save_for_backward(gates, memories, squashed)
        ctx.output_gate = output_gate
        ctx.set_materialize_grads(False)
        return h, c

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        gates, memories, squashed = ctx.saved_tensors
        grad_h, grad_c = grads
        size = squashed.shape[-1]
        g, i, *f = gates.split(size, -1)
        grad = torch.empty_like(gates)
        grad_g, grad_i, *grad_f = grad.split(size, -1)
        if grad_h is None:
            if grad_c is None:
                return None, None, None, None
            total = grad_c
            if ctx.output_gate:
                grad_f[-1].zero_()
        else:
            through = grad_h * f[-1] if ctx.output_gate else grad_h
            total = torch.ops.aten.tanh_backward(through, squashed)
            if grad_c is not None:
                total.add_(grad_c)
            if ctx.output_gate:
                torch.mul(grad_h, squashed, out=grad_f[-1])
        torch.mul(total, i, out=grad_g)
        torch.mul(total, g, out=grad_i)
        grad_memories = None
        if memories is not None:
            grad_memories = torch.empty_like(memories)
            for k in range(memories.shape[1]):
                torch.mul(total, memories[:, k], out=grad_f[k])
                torch.mul(total, f[k], out=grad_memories[:, k])
        torch.ops.aten.tanh_backward.grad_input(grad_g, g, grad_input=grad_g)
        sigmoids = grad[:, size:]
        torch.ops.aten.sigmoid_backward.grad_input(sigmoids, gates[:, size:], grad_input=sigmoids)
        return grad, grad_memories, total if ctx.needs_input_grad[2] else None, None
