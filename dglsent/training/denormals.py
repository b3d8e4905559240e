"""Numbers too small to matter, which a CPU is slow with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


def flushed() -> bool:
    """Whether the CPU takes them for zero in this thread."""
    return bool(torch.tensor(1e-30) * 1e-9 == 0)


@contextmanager
def denormals_flushed() -> Iterator[None]:
    """The CPU takes numbers below 1e-38 for zero here.

    A weight that no gradient reaches shrinks under an L2 penalty until it is one, and every product with it then takes
    a hundred times as long. Threads that torch starts here compute as the one that starts them.
    """
    already = flushed()
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(already)
