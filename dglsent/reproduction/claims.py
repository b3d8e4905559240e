"""What rows of the tables gain over other rows: the orderings that papers claim, as a ledger has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from pathlib import Path
from typing import Any

import yaml

from dglsent.reproduction import tables
from dglsent.reproduction.recorded import by_run, main_score, measured
from dglsent.reproduction.table_text import NONE, of_folds, spread
from dglsent.reproduction.tables import Table
from dglsent.training.means import mean_and_sd
from graphs.errors import InputError, one_line

_HEADER = "| row | over | table | test | dev | published | seeds |\n|---|---|---|---|---|---|---|"


def gains(file: Path, ledger: Path) -> dict[str, str]:
    """For each claim a table in Markdown: what one row gains over another, on every corpus that has both.

    Gains are of runs of the same seed and the same fold, and deviations are over these.

    Args:
        file: YAML of the claims by their names: `tables`, and `gains`, pairs of names of rows.
        ledger: folder of TABLE.json.

    Raises:
        InputError: the file is not of that form, a table of it is not known, or no table has a pair of rows.
    """
    try:
        claims = yaml.safe_load(file.read_text(encoding="utf-8"))
        asked = {
            claim: [(str(row), str(other), str(name)) for (row, other), name in product(said["gains"], said["tables"])]
            for claim, said in claims.items()
        }
    except (OSError, yaml.YAMLError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"{file}: not a file of claims ({one_line(error)})") from None
    known = {name: tables.load(name) for pairs in asked.values() for _, _, name in pairs}
    rows = {name: {row["name"]: row for row in measured(ledger, name)} for name in known}
    return {claim: _text(file, pairs, known, rows) for claim, pairs in asked.items()}


def _text(
    file: Path,
    pairs: Sequence[tuple[str, str, str]],
    known: Mapping[str, Table],
    rows: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> str:
    lines = [_HEADER]
    for (row, over), group in groupby(pairs, key=lambda pair: pair[:2]):
        both = [name for _, _, name in group if {row, over} <= rows[name].keys()]
        if not both:
            raise InputError(f"{file}: no table has measured both {row!r} and {over!r}")
        for name in both:
            cells = _cells(known[name], rows[name][row], rows[name][over])
            lines.append(f"| {' | '.join([row, over, f'`{name}`', *cells])} |")
    return "\n".join(lines)


def _cells(table: Table, row: Mapping[str, Any], over: Mapping[str, Any]) -> Iterator[str]:
    """Gains on test, on dev and of the published numbers, and the seeds that both rows have."""
    score = main_score(table)
    if score is None:
        raise InputError(f"table {table.name} has no score of the test part, on which rows are compared")
    if table.folds:
        folds = min(row["folds"], over["folds"])
        row, over = {**row, "folds": folds}, {**over, "folds": folds}
    digits = 1 if table.percent else 4
    shared = [seed for seed in row["seeds"] if seed in over["seeds"]]
    for split in ("test", "dev"):
        here, there = by_run(table, row, score, split), by_run(table, over, score, split)
        gained = [_gain(here[run], there[run]) for run in here if run[0] in shared]
        yield spread(mean_and_sd(gained), digits, "+") if gained else NONE
    published = [each["published"].get(score.key, {"mean": None})["mean"] for each in (row, over)]
    yield NONE if None in published else spread(mean_and_sd([_gain(*published)]), digits, "+")
    yield f"{len(shared)}{of_folds(table, row)}"


def _gain(here: float | None, there: float | None) -> float | None:
    """A difference as readers make it: of 93.81 over 94.46 -0.65, where floats say -0.6499999999999915."""
    return None if here is None or there is None else round(here - there, 9)
