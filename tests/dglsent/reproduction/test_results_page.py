"""The page of results says what the ledger says, and leaves out nothing that the ledger has."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[3] / "docs"
ROW = re.compile(r"^\| ([^|]+) \| `([^|]+)` \| ([^|]+) \| ([^|]+) \| [^|]+ \| ([\d, ]+) \|$", re.MULTILINE)


def ledger() -> Iterator[tuple[str, ...]]:
    """Name, recipe, published, test and seeds of each measured row, as the page writes them."""
    for file in sorted((DOCS / "results").glob("*.json")):
        table = json.loads(file.read_text(encoding="utf-8"))
        key = next((key for key, score in table["scores"].items() if score["split"] == "test"), None)
        digits = 1 if table["percent"] else 4
        for row in (row for row in table["rows"] if row["ours"] and key):
            assert not row["stale"], f"{file.name}: {row['recipe']} is stale"
            published, ours = (written(found.get(key), digits) for found in (row["published"], row["ours"]))
            published = published.partition(" (")[0]
            yield row["name"], row["recipe"], published, ours, ", ".join(map(str, row["seeds"]))


def written(spread: dict[str, Any] | None, digits: int) -> str:
    if spread is None:
        return "–"
    sd = "" if spread["sd"] is None else f" ({spread['sd']:.{digits}f})"
    return f"{spread['mean']:.{digits}f}{sd}"


def test_commands_of_the_ledger_name_no_folder_of_one_machine():
    for file in (DOCS / "results").glob("*.json"):
        assert " /" not in json.loads(file.read_text(encoding="utf-8"))["command"], file.name


def test_page_and_ledger_have_the_same_rows():
    page = (DOCS / "results.md").read_text(encoding="utf-8")
    assert sorted(ROW.findall(page)) == sorted(ledger())
