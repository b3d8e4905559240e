"""A process with little memory."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does")


@contextmanager
def little_memory(more: int) -> Iterator[None]:
    """This process may take as many bytes more as are given."""
    limits = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limits)
