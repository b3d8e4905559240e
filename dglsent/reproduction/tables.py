"""Published tables: which recipe is which row, and what the paper says of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from dglsent.near import near
from graphs.errors import InputError, one_line

SPLITS = ("dev", "test")


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """A row of a table.

    Attributes:
        name: as the paper prints it.
        paper: which paper, and which table of it.
        recipe: what makes its number here; None for a row that is only quoted.
        published: the paper's numbers, one for each score of the table, None where it has none.
        sd: their standard deviations, where the paper has them.
        note: what a reader of the row should know.
    """

    name: str
    paper: str
    recipe: str | None = None
    published: Sequence[float | None] = ()
    sd: Sequence[float | None] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """A score that a table shows.

    Attributes:
        key: what the table calls it: its name, or such as `dev.accuracy` where that is not of the table's split.
        split: the split on which it is measured.
        name: what `metrics.json` calls it.
        label: what readers call it.
        factor: by what ours is multiplied to be on the scale of the published numbers, such as 100 for percentages.
    """

    key: str
    split: str
    name: str
    label: str
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Table:
    """A table, made of the rows of one or more papers.

    Attributes:
        name: what the command calls it.
        title: what it measures.
        corpus: on what.
        scores: its columns.
        rows: its rows, paper after paper.
        percent: whether its numbers are percentages.
        folds: how many folds make one seed's number; None where the corpus has a test split of its own.
        note: what a reader of the table should know.
    """

    name: str
    title: str
    corpus: str
    scores: Sequence[Score]
    rows: Sequence[Row]
    percent: bool = False
    folds: int | None = None
    note: str = ""

    def select(self, chosen: Sequence[str]) -> list[Row]:
        """The rows with one of these names or recipes; all where none is chosen.

        Raises:
            InputError: there is no such row.
        """
        for name in chosen:
            if not any(name in (row.name, row.recipe) for row in self.rows):
                known = [each for row in self.rows if row.recipe for each in (row.name, row.recipe)]
                hint = near(name, known, f"there are {', '.join(known[1::2])}")
                raise InputError(f"--rows: table {self.name} has no row {name!r}; {hint}")
        return [row for row in self.rows if not chosen or row.name in chosen or row.recipe in chosen]


def names() -> list[str]:
    """The tables that come with the package."""
    return sorted(path.stem for path in _folder().glob("*.yaml"))


def load(table: str) -> Table:
    """A table.

    Args:
        table: its name, or the path of a YAML file.

    Raises:
        InputError: there is no such table, or its file is broken.
    """
    file = _folder() / f"{table}.yaml" if table in names() else Path(table)
    if not file.is_file():
        hint = near(table, names(), "`dglsent reproduce --list` lists them")
        raise InputError(f"no table {table!r}; {hint}")
    try:
        return _table(file, yaml.safe_load(file.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{file}: not a table ({one_line(error)})") from None


_KINDS = {
    str: "a text",
    dict: "a mapping",
    list: "a list",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
}
# What the keys of a table, of a paper and of a row hold: those that are needed, and others.
_TABLE = {"title": str, "corpus": str, "split": str, "scores": dict, "papers": list}
_TABLE_TOO = {"percent": bool, "folds": int, "note": str}
_SCORE = {"label": str, "times": float}
_PAPER = {"paper": str, "rows": list}
_ROW = {"name": str}
_ROW_TOO = {"recipe": str, "published": list, "sd": list, "note": str}


def _table(file: Path, read: Any) -> Table:
    keys = _checked("the file", read, _TABLE, _TABLE_TOO)
    if keys["split"] not in SPLITS:
        raise ValueError(f"split is {keys['split']!r}, expected {' or '.join(SPLITS)}")
    if not keys["scores"]:
        raise ValueError("scores is empty, expected a score at least")
    if keys.get("folds", 1) < 1:
        raise ValueError(f"folds is {keys['folds']}, expected a number from 1")
    split = keys.pop("split")
    percent = 100.0 if keys.get("percent") else 1.0
    scores = [_score(str(key), said, split, percent) for key, said in keys.pop("scores").items()]
    papers = [_checked("a paper", part, _PAPER, {}) for part in keys.pop("papers")]
    rows = [_row(entry, part["paper"], len(scores), file.parent) for part in papers for entry in part["rows"]]
    return Table(file.stem, scores=scores, rows=rows, **keys)


def _checked(what: str, read: Any, needed: Mapping[str, type], other: Mapping[str, type]) -> dict[str, Any]:
    """A mapping whose keys are known and hold what they are to hold; keys without a value are left out."""
    if not isinstance(read, dict):
        raise ValueError(f"{what} has no keys; expected {', '.join(needed)}")
    kinds, given = {**needed, **other}, {key: value for key, value in read.items() if value is not None}
    unknown, missing = [key for key in read if key not in kinds], [key for key in needed if key not in given]
    if unknown:
        raise ValueError(f"{what} has a key {unknown[0]!r}; there are {', '.join(kinds)}")
    if missing:
        raise ValueError(f"{what} has no key {missing[0]!r}")
    for key, value in given.items():
        wanted = (int, float) if kinds[key] is float else kinds[key]
        if not isinstance(value, wanted) or (kinds[key] in (int, float) and isinstance(value, bool)):
            raise ValueError(f"{key} of {what} is {value!r}, expected {_KINDS[kinds[key]]}")
    return given


def _score(key: str, said: Any, split: str, factor: float) -> Score:
    """A score by its label, or by a mapping with `times` too where it is published on another scale than ours."""
    label = str(said)
    if isinstance(said, dict):
        keys = _checked(f"the score {key}", said, _SCORE, {})
        label, factor = keys["label"], factor * keys["times"]
    first, _, rest = key.partition(".")
    split, name = (first, rest) if first in SPLITS else (split, key)
    return Score(key, split, name, label, factor)


def _row(entry: Any, paper: str, scores: int, folder: Path) -> Row:
    keys = _checked("a row", entry, _ROW, _ROW_TOO)
    row = Row(paper=paper, **keys)
    for field, numbers in (("published", row.published), ("sd", row.sd)):
        if len(numbers) not in (0, scores):
            raise ValueError(f"row {row.name!r}: {field} has {len(numbers)} numbers for {scores} scores")
        if not all(number is None or type(number) in (int, float) for number in numbers):
            raise ValueError(f"row {row.name!r}: {field} is {list(numbers)}, expected numbers")
    # A recipe of one's own may lie beside the table.
    if row.recipe and (folder / row.recipe).is_file() and not Path(row.recipe).is_file():
        return replace(row, recipe=str(folder / row.recipe))
    return row


def cited(paper: str) -> str:
    """Authors and year, such as Shen et al. 2018; the whole of what names no authors."""
    found = re.match(r"([A-Z]\w+(?:, [A-Z]\w+)*(?= \d{4}|, A ))(?: (\d{4}))?", paper)
    if not found:
        return paper
    authors, year = found.groups()
    first, *others = authors.split(", ")
    name = f"{first} et al." if others[1:] else " and ".join([first, *others])
    return f"{name} {year}" if year else name


def _folder() -> Path:
    return Path(str(resources.files("dglsent"))) / "tables"
