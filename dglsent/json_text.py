"""JSON as everything of dglsent writes it."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Plain values as JSON that every reader takes: what is not a finite number becomes null."""
    write = partial(json.dumps, indent=indent, ensure_ascii=False, allow_nan=False)
    try:
        return write(value)
    except ValueError:  # as rare as nan, for which alone the value is copied
        return write(plain(value))


def plain(value: Any) -> Any:
    """The value with None for every number that JSON does not have."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
