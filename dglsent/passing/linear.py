"""Linear maps used at every step of a propagation, whose weight gradients are gathered into few large products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.passing.autograd import Function, first_derivative
from dglsent.passing.precision import product_type

_BLOCK = 128  # rows gathered before a product: enough for a fast product, few enough not to copy much


class StepLinear(nn.Linear):
    """The map x W^T + b for functions that run once a step: `torch.nn.Linear` in values and gradients.

    Two things set it apart. Within a propagation the gradient of W is a product for every 128 rows or more, where torch
    makes a small one, and adds it to all of W, at each step: over 25 sentences the binary Tree-LSTM takes a tenth less
    time, cells over shallow trees no less. And with mixed precision its products alone are of fewer bits: inputs, sums,
    results and the gradient of W are float32.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the map to the last dimension: [..., in] -> [..., out]."""
        if torch.compiler.is_compiling():
            return F.linear(input, self.weight, self.bias)
        shared = _shared_weights.get()
        if shared is not None and torch.is_grad_enabled() and self.weight.requires_grad:
            return shared.linear(self, input)
        fewer = product_type()
        if fewer is None:
            return F.linear(input, self.weight, self.bias)
        product = F.linear(input.to(fewer), self.weight.to(fewer)).float()
        return product if self.bias is None else product + self.bias


_shared_weights: ContextVar[_SharedWeights | None] = ContextVar("shared_weights", default=None)


@contextmanager
def shared_weights() -> Iterator[None]:
    """Within it, every StepLinear gathers its weight gradient over all its uses."""
    token = _shared_weights.set(_SharedWeights())
    try:
        yield
    finally:
        _shared_weights.reset(token)


class _SharedWeights:
    def __init__(self) -> None:
        self.taps: dict[StepLinear, tuple[_Gathered, Tensor, Tensor | None]] = {}

    def linear(self, module: StepLinear, x: Tensor) -> Tensor:
        if module not in self.taps:
            gathered = _Gathered(module.bias is not None, module.weight.dtype)
            self.taps[module] = (gathered, *_Tap.apply(gathered, module.weight, module.bias, product_type()))
        gathered, weight, bias = self.taps[module]
        linear = _Linear if weight.dtype is gathered.dtype else _MixedLinear
        return linear.apply(x, weight, bias, gathered)


class _Gathered:
    """The weight gradient of one map in one propagation, while a backward pass runs."""

    def __init__(self, has_bias: bool, dtype: torch.dtype) -> None:
        self.has_bias, self.dtype = has_bias, dtype
        # Saved beside what a plain product saves, so that checkpoint, which makes such in the backward pass, where no
        # propagation is, tells them apart.
        self.mark = torch.empty(0)
        self.reset()

    def reset(self) -> None:
        self.weight_grad: Tensor | None = None
        self.bias_grad: Tensor | None = None
        self.pending: list[tuple[Tensor, Tensor]] = []
        self.rows = 0
        self.backward_pass: int | None = None

    def add(self, x: Tensor, grad: Tensor) -> None:
        # A pass that wants the gradient of inputs alone never comes to the tap: what it left is not of this one.
        current = torch._C._current_graph_task_id()
        if current != self.backward_pass:
            self.reset()
            self.backward_pass = current
        self.pending.append((x, grad))
        self.rows += len(x)
        if self.rows >= _BLOCK:
            self.flush()

    def flush(self) -> None:
        if not self.pending:
            return
        single = len(self.pending) == 1
        x = self.pending[0][0] if single else torch.cat([x for x, _ in self.pending])
        grad = self.pending[0][1] if single else torch.cat([grad for _, grad in self.pending])
        if self.weight_grad is None:
            self.weight_grad = (grad.t() @ x).to(self.dtype)
        elif x.dtype is self.dtype:
            self.weight_grad.addmm_(grad.t(), x)
        else:
            self.weight_grad.add_(grad.t() @ x)
        if self.has_bias:
            summed = grad.sum(0, dtype=self.dtype)
            self.bias_grad = summed if self.bias_grad is None else self.bias_grad.add_(summed)
        self.pending, self.rows = [], 0


class _Tap(Function):
    """Hands out a weight once; its backward runs after that of every use and returns what they gathered."""

    @staticmethod
    def forward(
        ctx: Any, gathered: _Gathered, weight: Tensor, bias: Tensor | None, fewer: torch.dtype | None
    ) -> tuple[Tensor, Tensor | None]:
        ctx.gathered = gathered
        ctx.set_materialize_grads(False)
        out = weight.view_as(weight) if fewer is None else weight.to(fewer)
        return out, None if bias is None else bias.view_as(bias)

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[None, Tensor | None, Tensor | None, None]:
        gathered: _Gathered = ctx.gathered
        gathered.flush()
        result = (None, gathered.weight_grad, gathered.bias_grad, None)
        gathered.reset()
        return result


class _Linear(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, gathered: _Gathered) -> Tensor:
        flat = x if x.dim() == 2 else x.reshape(-1, x.shape[-1])
        ctx.save_for_backward(flat, weight, gathered.mark)
        ctx.gathered, ctx.shape = gathered, x.shape
        y = torch.mm(flat, weight.t()) if bias is None else torch.addmm(bias, flat, weight.t())
        return y if x.dim() == 2 else y.view(*x.shape[:-1], len(weight))

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None, None, None]:
        flat, weight, _ = ctx.saved_tensors
        grad = grads[0] if grads[0].dim() == 2 else grads[0].reshape(-1, len(weight))
        ctx.gathered.add(flat, grad)
        grad_x = (grad @ weight).view(ctx.shape) if ctx.needs_input_grad[0] else None
        return grad_x, None, None, None


class _MixedLinear(Function):
    """`_Linear` whose products are of the weight's type, between inputs and sums of float32."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None, gathered: _Gathered) -> Tensor:
        flat = x.reshape(-1, x.shape[-1]).to(weight.dtype)
        ctx.save_for_backward(flat, weight, gathered.mark)
        ctx.gathered, ctx.shape = gathered, x.shape
        y = torch.mm(flat, weight.t()).view(*x.shape[:-1], len(weight))
        return y.float() if bias is None else y + bias

    @staticmethod
    @first_derivative
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, None, None, None]:
        flat, weight, _ = ctx.saved_tensors
        grad = grads[0].reshape(-1, len(weight)).to(weight.dtype)
        ctx.gathered.add(flat, grad)
        grad_x = (grad @ weight).view(ctx.shape).float() if ctx.needs_input_grad[0] else None
        return grad_x, None, None, None
