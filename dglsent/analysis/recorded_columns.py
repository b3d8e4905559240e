"""The columns that every table of a recording has, which somebody else may have written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_NUMBERS: Mapping[str, Sequence[str]] = {
    "examples": ("example",),
    "nodes": ("example", "sentence", "node", "parent", "start", "end", "head", "gold", "predicted"),
    "edges": ("example", "sentence", "sender", "receiver", "slot"),
}
_TEXTS: Mapping[str, Sequence[str]] = {
    "examples": ("id", "text"),
    "nodes": ("text", "tag", "dependency"),
    "edges": ("relation",),
}


def read_table(name: str, file: Path, columns: Sequence[str] | None) -> pa.Table:
    """A file of a table, some columns of it or all.

    Raises:
        ValueError: it is of another table, or of no recording.
    """
    table = pq.read_table(file, columns=columns)
    for column in () if columns else (*_NUMBERS[name], *_TEXTS[name]):
        kind = table.schema.field(column).type if column in table.schema.names else None
        is_right = pa.types.is_integer if column in _NUMBERS[name] else _is_text
        if kind is None or not (is_right(kind) or pa.types.is_null(kind)):
            raise ValueError(f"its column {column!r} is {'missing' if kind is None else f'of type {kind}'}")
    return table


def _is_text(kind: pa.DataType) -> bool:
    """Whether a column has text; pandas writes large strings where it has read plain ones."""
    one = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.types.is_string(one) or pa.types.is_large_string(one)
