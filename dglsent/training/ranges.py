"""The numbers that options may be, by their names, wherever dglsent's own keys stand in a recipe."""

from __future__ import annotations

import importlib
import inspect
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dglsent.training.parser_errors import TYPES
from graphs.errors import InputError

if TYPE_CHECKING:
    from jsonargparse import Namespace


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FROM_ONE = _names(
    "epochs batch_size patience dim hidden units meta z maps heads inner rank functions hyper fusion_size own edge_dim "
    "classes character_size positions max_length train dev test"
)
_FROM_ZERO = _names(
    "seed workers bucket min_count half_width lr embedding_lr_scale weight_decay initial_accumulator choose fold "
    "lexical layers tag_dim cap_dim character_dim spelling_dim position_dim"
)
_SHARES = {"dropout", "recurrent_dropout", "gate_dropout", "between_layers", "momentum"}
MOST_SEED = 2**32 - 1  # NumPy takes no larger one
_MOST = {"seed": MOST_SEED}
_LARGEST = 10**9  # sizes are multiplied, and torch counts in 64 bits


def in_range(config: Namespace) -> None:
    """Looks at every number of a resolved recipe; of others' classes it knows only that numbers are finite.

    Raises:
        InputError: one is out of its range, or nothing where something is wanted; the key is named.
    """
    for key, wanted in _lacking(config.as_dict(), ""):
        raise InputError(f"{key}: expected {TYPES.get(wanted, wanted)}, not null")
    numbers = list(_numbers(config.as_dict(), "", True))
    highest = {key: value for key, value, ours in numbers if ours and key.endswith(".high")}
    for key, value, ours in numbers:
        name = key.rpartition(".")[2]
        if not math.isfinite(value):
            raise InputError(f"{key}: {value} is not a finite number")
        if not ours:
            continue
        low = 1 if name in _FROM_ONE else 0
        high = _MOST.get(name, _LARGEST)
        if name in _SHARES and not 0 <= value < 1:
            raise InputError(f"{key}: {value} is not from 0 to below 1")
        if name in _FROM_ONE | _FROM_ZERO and not low <= value <= high:
            range_ = f"below {low}" if high == _LARGEST and value < low else f"not from {low} to {high}"
            raise InputError(f"{key}: {value} is {range_}")
        above = f"{key.removesuffix('low')}high"
        if name == "low" and value >= highest.get(above, math.inf):
            raise InputError(f"{key}: {value} is not below {above}")


def _numbers(value: Any, key: str, ours: bool) -> Iterator[tuple[str, float, bool]]:
    """The numbers of a recipe with their keys, and whether dglsent has named them."""
    if isinstance(value, Mapping):
        ours = str(value["class_path"]).startswith("dglsent.") if "class_path" in value else ours
        for name, each in value.items():
            yield from _numbers(each, key if name == "init_args" else f"{key}.{name}".lstrip("."), ours)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield key, value, ours


def _lacking(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """The arguments of classes of dglsent that are None and may not be, with their types."""
    if isinstance(value, Mapping):
        module, _, name = str(value.get("class_path", "")).rpartition(".")
        nothing = [each for each, given in (value.get("init_args") or {}).items() if given is None]
        if nothing and module.startswith("dglsent."):
            wanted = inspect.signature(getattr(importlib.import_module(module), name)).parameters
            types = {each: str(wanted[each].annotation) for each in nothing if each in wanted}
            yield from ((f"{key}.{each}", type_) for each, type_ in types.items() if "None" not in type_)
        for name, each in value.items():
            yield from _lacking(each, key if name == "init_args" else f"{key}.{name}".lstrip("."))
