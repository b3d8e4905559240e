"""JSON as everything of dglsent writes it."""

from __future__ import annotations

import json
import math
from typing import Any


def dumps(value: Any, *, indent: int | None = None) -> str:
    """Plain values as JSON that every reader takes: what is not a finite number becomes null."""
    return json.dumps(plain(value), indent=indent, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """The value with None for every number that JSON does not have."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
