"""A table of published and measured numbers as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from typing import Any

from dglsent.reproduction.results import Result, as_json
from dglsent.reproduction.tables import Score, Table

NONE = "–"


def as_text(table: Table, results: Sequence[Result], command: str) -> str:
    """The table as Markdown whose columns stand in line."""
    said = as_json(table, results, command)
    published = any(row["published"] for row in said["rows"])
    parts = [f"# {table.title}", f"{table.corpus}. {_reading(table, published)}"]
    for paper, rows in groupby(said["rows"], key=lambda row: row["paper"]):
        listed = list(rows)
        notes = [f"- {row['name']}: {row['note']}" for row in listed if "note" in row]
        notes += [f"- {row['name']} is stale: {reason}" for row in listed for reason in row.get("stale", ())]
        parts += [f"## {paper}", aligned(_cells(table, listed, published)), *(["\n".join(notes)] if notes else [])]
    parts += [table.note] if table.note else []
    parts += sorted({_circumstances(row) for row in said["rows"] if row["ours"]})
    return "\n\n".join([*parts, f"```sh\n{command}\n```"]) + "\n"


def _reading(table: Table, published: bool) -> str:
    seed = f"a seed's number is the mean of {table.folds} folds, or of as many as it says, " if table.folds else ""
    unit = " in percent" if table.percent else ""
    splits = dict.fromkeys(score.split for score in table.scores)
    return (
        f"Scores on {' and '.join(splits)}{unit}: ours is the mean (standard deviation, n - 1) over seeds, {seed}each "
        f"at its best dev epoch{'; the difference is ours minus published' if published else ''}."
    )


def _circumstances(row: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in row["versions"].items())
    return f"Measured on {row['device']}, CPU threads: {row['threads']}; {versions}."


def _cells(table: Table, rows: Sequence[Mapping[str, Any]], published: bool) -> list[list[str]]:
    """A header and one line for each row and score; nothing of what is published where the table has none."""
    several = len(table.scores) > 1
    score_column = ["score"] if several else []
    runs = ["seeds", "parameters", "seconds a run"]
    measured = ["published", "ours", "difference"] if published else ["ours"]
    lines = [["row", "recipe", *score_column, *measured, *runs]]
    for row in rows:
        recipe = f"`{row['recipe']}`" if row["recipe"] else "quoted"
        tail = [NONE] * len(runs)
        if row["ours"]:
            seeds = f"{len(row['seeds'])}{of_folds(table, row)}"
            tail = [seeds, f"{row['parameters']:,}", f"{row['seconds']:.0f}"]
        for number, score in enumerate(table.scores):
            label = [score.label] if several else []
            numbers = _numbers(table, row, score) if published else [_ours(table, row, score)]
            name = f"{row['name']} (stale)" if row.get("stale") else row["name"]
            shown = [name, recipe, *label, *numbers, *tail]
            lines.append(shown if number == 0 else ["", "", *label, *numbers, "", "", ""])
    return lines


def _numbers(table: Table, row: Mapping[str, Any], score: Score) -> list[str]:
    """Published, ours and their difference."""
    difference = row["difference"].get(score.key) if row["ours"] else None
    return [
        spread(row["published"].get(score.key), 1 if table.percent else 4),
        _ours(table, row, score),
        NONE if difference is None else spread({"mean": difference, "sd": None}, _digits(table), "+"),
    ]


def _ours(table: Table, row: Mapping[str, Any], score: Score) -> str:
    return spread(row["ours"][score.key] if row["ours"] else None, _digits(table))


def _digits(table: Table) -> int:
    return 2 if table.percent else 4


def of_folds(table: Table, row: Mapping[str, Any]) -> str:
    """Of how many folds a row's numbers are, where the table has folds; starts with a space."""
    counted = row.get("folds", table.folds)
    part = "" if counted == table.folds else f"{counted} of "
    return f" ({part}{table.folds} folds)" if table.folds else ""


def spread(found: Mapping[str, Any] | None, digits: int, sign: str = "") -> str:
    """A mean, and in brackets its standard deviation where there is one; `sign` is + for gains."""
    if found is None:
        return NONE
    if found["mean"] is None:
        return "undefined"
    sd = "" if found["sd"] is None else f" ({_rounded(found['sd'], digits):.{digits}f})"
    return f"{_rounded(found['mean'], digits):{sign}.{digits}f}{sd}"


def _rounded(value: float, digits: int) -> float:
    """A number of so many digits; a published 97.55 becomes 97.6, which as a float is a little less than that."""
    return float(Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)) + 0.0  # not -0.0


def aligned(lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown of its header and its other lines."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    header, *rows = (f"| {' | '.join(map(str.ljust, line, widths))} |" for line in lines)
    return "\n".join([header, f"|{'|'.join('-' * (width + 2) for width in widths)}|", *rows])
