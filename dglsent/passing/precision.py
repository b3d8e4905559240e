"""Mixed precision: under autocast linear maps multiply in fewer bits, and all that passes between nodes is float32."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import torch
from torch import Tensor

_products: ContextVar[torch.dtype | None] = ContextVar("products", default=None)


def is_mixed(device: torch.device) -> bool:
    """Whether autocast is on."""
    return torch.amp.is_autocast_available(device.type) and torch.is_autocast_enabled(device.type)


@contextmanager
def products_alone(device: torch.device) -> Iterator[None]:
    """Within it, autocast is off, but for the products of `StepLinear`.

    States, memories and gates then are of one type, whatever a model's functions do with them.
    """
    if not is_mixed(device):
        yield
        return
    token = _products.set(torch.get_autocast_dtype(device.type))
    try:
        with torch.autocast(device.type, enabled=False):
            yield
    finally:
        _products.reset(token)


def product_type() -> torch.dtype | None:
    """The type in which products are computed; None where it is that of their factors."""
    return _products.get()


def full(x: Tensor) -> Tensor:
    """A tensor in float32, where autocast made it of fewer bits before it came to be passed between nodes."""
    return x if _products.get() is None else at_least_single(x)


def at_least_single(x: Tensor) -> Tensor:
    """A tensor of fewer bits in float32, of which sums and softmaxes are taken; any other as it is."""
    return x.float() if x.dtype in (torch.bfloat16, torch.float16) else x


def of_one_type(weight: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Weights and what they multiply, in the type that both have in common: of whole numbers that of the weights."""
    common = torch.promote_types(weight.dtype, x.dtype)
    return weight.to(common), x.to(common)
