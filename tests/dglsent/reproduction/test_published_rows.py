"""What the documentation publishes is of the recipes and of the code as they are."""

from __future__ import annotations

import json
from itertools import permutations
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


@pytest.mark.parametrize("name", tables.names())
def test_headings_say_which_table_of_a_paper_they_are(name: str) -> None:
    """Where a paper has several in one of ours; the ledger says the same of each row."""
    rows = tables.load(name).rows
    assert [one for one, other in permutations({row.paper for row in rows}, 2) if other.startswith(one)] == []
    file = LEDGER / f"{name}.json"
    measured = json.loads(file.read_text(encoding="utf-8"))["rows"] if file.exists() else []
    known = {(row.recipe, row.paper) for row in rows}
    assert [row["name"] for row in measured if (row["recipe"], row["paper"]) not in known] == []
