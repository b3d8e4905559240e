"""Autograd functions that are called at every step."""

from __future__ import annotations

from typing import Any

import torch


class Function(torch.autograd.Function):
    """torch.autograd.Function without the look at functorch's transforms, which costs more than a small step."""

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Run forward and record backward."""
        return super(torch.autograd.Function, cls).apply(*args)  # type: ignore[misc]
