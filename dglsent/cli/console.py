"""What commands say while they work."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dglsent.training.run import Run


def say(line: str) -> None:
    """A line about the work, apart from its results."""
    print(line, file=sys.stderr, flush=True)


def complain(error: object) -> None:
    """What is wrong with one of several inputs, where the others go on."""
    say(f"dglsent: {error}")


def tell_unfinished(run: Run) -> None:
    """Says that a run whose weights are used is still to be trained, where it is."""
    if run.checkpoint.is_file() and not run.metrics_file.is_file():
        say(f"{run.path}: not finished; these are the weights of its best epoch so far")
