"""What a benchmark measures, beside the table that shows it."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def measured_rows(monkeypatch: pytest.MonkeyPatch, benchmark: ModuleType) -> list[Any]:
    """The rows that `measure` of a benchmark gives from now on."""
    measure, rows = benchmark.measure, []

    def kept(*given, **options):
        for row in measure(*given, **options):
            rows.append(row)
            yield row

    monkeypatch.setattr(benchmark, "measure", kept)
    return rows
