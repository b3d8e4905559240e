"""Python's garbage collector, put off while a corpus becomes graphs, and kept from these while a model is trained.

Millions of objects are made then, none of which refer to each other in a circle; the collector would walk over all of
them again and again, which takes as long as all else.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_off() -> Iterator[None]:
    """Within it, or within a function that it decorates, nothing is collected; afterwards it is as it was."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def frozen() -> Iterator[None]:
    """Within it the collector looks through nothing that was there before."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()  # or what refers to itself, as a model does, would stay for as long as the process
