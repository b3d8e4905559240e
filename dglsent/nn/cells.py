"""The LSTM's memory cell and its parts, with gradients written out: one autograd node where torch makes many."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from dglsent.nn.tanh import fast_tanh
from dglsent.passing.autograd import Function, first_derivative


def lstm_cell(
    pre: Tensor,
    memories: Tensor | None = None,
    kept: Tensor | None = None,
    *,
    mask: Tensor | None = None,
    output_gate: bool = True,
) -> tuple[Tensor, Tensor]:
    """One step of an LSTM: the memory c and the state h of n nodes, from the sums of their candidates and gates.

        c = sigmoid(i) * mask * tanh(g) + sum_k sigmoid(f_k) * c_k + kept
        h = sigmoid(o) * tanh(c)

    Args:
        pre: [n, (2 + K + 1) d] sums before the nonlinearities, in the order g, i, f_1 .. f_K, o; without output
            gate [n, (2 + K) d].
        memories: [n, K, d] memories c_k behind a forget gate; None for K = 0.
        kept: [n, d] memory that has passed its forget gates already.
        mask: [n, d] of recurrent dropout (Semeniuta, Severyn, Barth 2016), which drops candidates and never
            memories; gets no gradient.
        output_gate: False gives h = tanh(c).

    Returns:
        h and c, both [n, d].
    """
    if torch.compiler.is_compiling():
        return _plain_cell(pre, memories, kept, mask, output_gate)
    return _LSTMCell.apply(pre, memories, kept, mask, output_gate)


def without_forget_gates(pre: Tensor) -> Tensor:
    """The sums g, i, o of a leaf, [n, 3 d], of the sums g, i, f_l, f_r, o [n, 5 d]."""
    g, i, _, _, o = pre.chunk(5, -1)
    return torch.cat([g, i, o], -1)


def child_message(h: Tensor, c: Tensor, pre: Tensor) -> Tensor:
    """What a child sends to a child-sum cell: [h; sigmoid(pre) * c], its state and what its forget gate lets through.

    Args:
        h: [m, d] states.
        c: [m, d] memories.
        pre: [m, d] sums of the forget gates before the sigmoid.

    Returns:
        [m, 2 d].
    """
    if torch.compiler.is_compiling():
        return torch.cat([h, torch.sigmoid(pre) * c], 1)
    return _ChildMessage.apply(h, c, pre)


def _plain_cell(
    pre: Tensor, memories: Tensor | None, kept: Tensor | None, mask: Tensor | None, output_gate: bool
) -> tuple[Tensor, Tensor]:
    """The cell in the operations of its equations, from which a compiler makes one kernel and its gradient."""
    count = 0 if memories is None else memories.shape[1]
    g, *gates = pre.chunk(2 + count + int(output_gate), -1)
    i, *f = [torch.sigmoid(gate) for gate in gates]
    c = torch.tanh(g) * (i if mask is None else i * mask)
    if kept is not None:
        c = c + kept
    if memories is not None:
        for k in range(count):
            c = c + f[k] * memories[:, k]
    h = f[-1] * torch.tanh(c) if output_gate else torch.tanh(c)
    return h, c


class _ChildMessage(Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, c: Tensor, pre: Tensor) -> Tensor:
        forget = torch.sigmoid(pre)
        ctx.save_for_backward(c, forget)
        return torch.cat([h, forget * c], 1)

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        c, forget = ctx.saved_tensors
        grad_h, grad_kept = grads[0].chunk(2, 1)
        return grad_h, grad_kept * forget, torch.ops.aten.sigmoid_backward(grad_kept * c, forget)


class _LSTMCell(Function):
    @staticmethod
    def forward(
        ctx: Any, pre: Tensor, memories: Tensor | None, kept: Tensor | None, mask: Tensor | None, output_gate: bool
    ) -> tuple[Tensor, Tensor]:
        count = 0 if memories is None else memories.shape[1]
        size = pre.shape[-1] // (2 + count + output_gate)
        gates = torch.sigmoid(pre)
        fast_tanh(pre.narrow(1, 0, size), out=gates.narrow(1, 0, size))
        g, i, *f = gates.unsafe_split(size, -1)
        entering = i if mask is None else i * mask
        c = g * entering if kept is None else torch.addcmul(kept, g, entering)
        for k in range(count):
            c.addcmul_(f[k], memories.select(1, k))  # type: ignore[union-attr]
        squashed = fast_tanh(c)
        h = f[-1] * squashed if output_gate else squashed.clone()
        ctx.save_for_backward(gates, memories, squashed, mask)
        ctx.output_gate = output_gate
        ctx.set_materialize_grads(False)
        return h, c

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        gates, memories, squashed, mask = ctx.saved_tensors
        grad_h, grad_c = grads
        size = squashed.shape[-1]
        g, i, *f = gates.unsafe_split(size, -1)
        grad = torch.empty_like(gates)
        grad_g, grad_i, *grad_f = grad.unsafe_split(size, -1)
        if grad_h is None:
            if grad_c is None:
                return None, None, None, None, None
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
        entering = total if mask is None else total * mask
        torch.mul(entering, g, out=grad_i)
        grad_memories = None
        if memories is not None:
            count = memories.shape[1]
            shape = (len(memories), count, size)
            through, forget = (x.narrow(1, 2 * size, count * size).view(shape) for x in (grad, gates))
            torch.mul(total.unsqueeze(1), memories, out=through)
            grad_memories = total.unsqueeze(1) * forget
        torch.ops.aten.sigmoid_backward.grad_input(grad, gates, grad_input=grad)
        torch.ops.aten.tanh_backward.grad_input(entering * i, g, grad_input=grad_g)
        return grad, grad_memories, total if ctx.needs_input_grad[2] else None, None, None
