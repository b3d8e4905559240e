"""Autograd functions that are called at every step."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch


class Function(torch.autograd.Function):
    """torch.autograd.Function without the look at functorch's transforms, which costs more than a small step."""

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run forward and record backward."""
        return super(torch.autograd.Function, cls).apply(*args)  # type: ignore[misc]


def first_derivative(backward: Callable[..., Any]) -> Callable[..., Any]:
    """A backward function of first derivatives alone, which refuses to be differentiated in its turn.

    Not torch's `once_differentiable`: that refuses where the second derivative is computed, and `autograd.grad` goes
    around that place and gives a wrong one.
    """

    @wraps(backward)
    def run(ctx: Any, *grads: Any) -> Any:
        if torch.is_grad_enabled():  # as it is with create_graph=True alone
            raise RuntimeError(
                "second derivatives (create_graph=True) pass neither through the torch engine nor through gradients "
                "that are written out; a cell of torch.nn.Linear and plain operations has them on engine 'dgl'"
            )
        return backward(ctx, *grads)

    return run
