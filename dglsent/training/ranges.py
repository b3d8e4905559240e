"""The numbers that options may be, by their names, wherever in a recipe they stand."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from jsonargparse import Namespace

from graphs.errors import InputError


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FROM_ONE = _names(
    "epochs batch_size patience dim hidden units meta z maps heads inner rank functions hyper fusion_size own edge_dim "
    "classes character_size positions train dev test"
)
_FROM_ZERO = _names(
    "seed workers bucket min_count half_width lr embedding_lr_scale weight_decay initial_accumulator choose fold "
    "lexical layers tag_dim cap_dim character_dim spelling_dim position_dim"
)
_SHARES = {"dropout", "recurrent_dropout", "gate_dropout", "between_layers", "momentum"}
_MOST = {"seed": 2**32 - 1}  # NumPy takes no larger one
_LARGEST = 10**9  # sizes are multiplied, and torch counts in 64 bits


def in_range(config: Namespace) -> None:
    """Looks at every number of a resolved recipe.

    Raises:
        InputError: one is out of its range; the key is named.
    """
    for key, value in _numbers(config.as_dict(), ""):
        name = key.rpartition(".")[2]
        if not math.isfinite(value):
            raise InputError(f"{key}: {value} is not a finite number")
        low = 1 if name in _FROM_ONE else 0
        high = _MOST.get(name, _LARGEST)
        if name in _SHARES and not 0 <= value < 1:
            raise InputError(f"{key}: {value} is not from 0 to below 1")
        if name in _FROM_ONE | _FROM_ZERO and not low <= value <= high:
            end = "" if high == _LARGEST and value < low else f" to {high}"
            raise InputError(f"{key}: {value} is not from {low}{end}")


def _numbers(value: Any, key: str) -> Iterator[tuple[str, float]]:
    """The numbers of a recipe with their keys."""
    if isinstance(value, Mapping):
        for name, each in value.items():
            yield from _numbers(each, key if name == "init_args" else f"{key}.{name}".lstrip("."))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value
