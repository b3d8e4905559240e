"""Rows of a table as a ledger has them, and their scores seed by seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dglsent.reproduction.tables import Score, Table
from dglsent.training.means import known_mean
from graphs.errors import InputError

LEDGER = Path("docs/results")


def rows_of(file: Path) -> list[dict[str, Any]]:
    """The rows of a table of the ledger that have a number.

    Raises:
        InputError: the file is not a table.
    """
    try:
        return [row for row in json.loads(file.read_text(encoding="utf-8"))["rows"] if row["ours"] and row["recipe"]]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError(f"{file}: not a table of `dglsent reproduce` ({error})") from None


def measured(ledger: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table that have a number; none where the ledger lacks the table.

    Args:
        ledger: folder of TABLE.json.
        name: the table.

    Raises:
        InputError: its file is not a table of a ledger, or a row is stale.
    """
    file = ledger / f"{name}.json"
    if not file.exists():
        return []
    rows = rows_of(file)
    stale = [row["recipe"] for row in rows if row.get("stale")]
    bare = [row["recipe"] for row in rows if not row.get("records")]
    if stale:
        raise InputError(f"{file}: {stale[0]} is stale; `dglsent reproduce {name} --verify` or --refresh mends that")
    if bare:
        raise InputError(f"{file}: has no runs of {bare[0]}; name the folder in which `--ledger` keeps them")
    return rows


def main_score(table: Table) -> Score | None:
    """The first score of the test split; None where the table shows none."""
    return next((score for score in table.scores if score.split == "test"), None)


def by_run(
    table: Table, row: Mapping[str, Any], score: Score, split: str
) -> dict[tuple[int, int | None], float | None]:
    """A score of the best dev epoch of each run of a row that counts, by its seed and fold; None where undefined."""
    found = {}
    for record in row["records"]:
        if record["seed"] in row["seeds"] and (record["fold"] or 0) < row.get("folds", 1):
            value = record["metrics"][split][score.name]
            found[record["seed"], record["fold"]] = None if value is None else value * score.factor
    return found


def by_seed(table: Table, row: Mapping[str, Any], score: Score, split: str) -> dict[int, float | None]:
    """The same for each seed, of folds their mean."""
    folds: dict[int, list[float | None]] = {}
    for (seed, _), value in by_run(table, row, score, split).items():
        folds.setdefault(seed, []).append(value)
    return {seed: known_mean(of) for seed, of in folds.items()}
