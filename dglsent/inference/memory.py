"""Batches that do not fit into memory: their examples are read one by one, and one too long for it is an error."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

import torch

from dglsent.inference.given import Readable
from graphs.errors import SentenceError

_Made = TypeVar("_Made")
_Example: TypeAlias = tuple[Readable, ...]


def as_memory_allows(
    examples: Sequence[_Example], read: Callable[[Sequence[_Example]], list[_Made | SentenceError]]
) -> list[_Made | SentenceError]:
    """What is made of the examples of a batch, or of each alone where they do not fit into memory together.

    Args:
        examples: those of the batch.
        read: makes something of each of some examples.
    """
    try:
        return read(examples)
    except (MemoryError, RuntimeError) as error:
        if not _is_of_memory(error):
            raise
    # Not within `except`: the error there still holds what was made of the batch, which may be all the memory.
    if len(examples) == 1:
        reason = "too long for the memory that is free; cut it into shorter texts"
        return [SentenceError(reason, examples[0][0].origin)]
    made = []
    for alone in examples:
        gc.collect()  # what was read before: a batch refers to itself in a circle
        made += as_memory_allows([alone], read)
    return made


def _is_of_memory(error: Exception) -> bool:
    """Whether memory ran out: of numpy, of a GPU, or of torch on a CPU, which has no class for it."""
    # The class of a GPU's has this name in all of torch, and a shorter one since 2.5.
    return isinstance(error, MemoryError | torch.cuda.OutOfMemoryError) or "can't allocate memory" in str(error)
