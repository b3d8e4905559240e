"""What the documentation publishes is of the recipes and of the code as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from dglsent.reproduction import tables
from dglsent.reproduction.ledger import Ledger
from dglsent.reproduction.reproduction import Reproduction

LEDGER = Path(__file__).parents[3] / "docs" / "results"


@pytest.mark.parametrize("name", sorted(file.stem for file in LEDGER.glob("*.json")))
def test_no_row_is_stale(name: str, tmp_path: Path) -> None:
    table = tables.load(name)
    ledger = Ledger(LEDGER, table)
    command = f"dglsent reproduce {name} --ledger docs/results"
    assert ledger.put_back(tmp_path) == [], f"`{command} --rows ...` trains anew"
    told: list[str] = []
    results = Reproduction(table, (), sorted(ledger.seeds()), tmp_path, told.append).results()
    assert {result.row.name for result in results if result.runs}
    stale = {result.row.name: result.stale for result in results if result.stale}
    assert (stale, told) == ({}, []), f"`{command} --verify` or --refresh, then `make results`"
