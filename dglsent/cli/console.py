"""What commands say while they work."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    """A line about the work, apart from its results."""
    print(line, file=sys.stderr, flush=True)
