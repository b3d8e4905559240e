"""Which run something is of: its system, its seed and, where a corpus is scored by cross-validation, its fold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pandas import DataFrame, concat

Source = TypeVar("Source")


def system(path: Path) -> str:
    """What a run is one of: "sst/tree-lstm" of .../sst/tree-lstm/seed-1 and of its folds, else its folder's name."""
    path = path.resolve()
    if fold_of(path) is not None:
        path = path.parent
    if re.fullmatch(r"seed-\d+", path.name):
        return f"{path.parent.parent.name}/{path.parent.name}"
    return path.name


def fold_of(path: Path) -> int | None:
    """On which part of its corpus a run is tested: 3 of .../seed-1/fold-3; None of one that has no folds."""
    found = re.fullmatch(r"fold-(\d+)", path.resolve().name)
    return int(found[1]) if found else None


def name_of(path: Path) -> str:
    """A name that runs of other systems, seeds and folds do not have, such as "sst/tree-lstm-seed-1"."""
    path = path.resolve()
    within = path.name if fold_of(path) is None else f"{path.parent.name}-{path.name}"
    return f"{system(path)}-{within}"


def which_run(source: Any) -> dict[str, Any]:
    """Of which run a run, or a recording of one, is: system, seed and, where it has one, fold."""
    which = {"system": source.system, "seed": source.seed}
    return which if source.fold is None else {**which, "fold": source.fold}


def encoder_options(config: dict[str, Any]) -> dict[str, Any]:
    """The options of the encoder, by name, as a resolved recipe has them."""
    options: dict[str, Any] = config["encoder"].get("init_args", {})
    return options


def model_name(encoder: Mapping[str, Any]) -> str:
    """What a model is called: its class, and in brackets that of the encoder of one sentence that it is around.

    Args:
        encoder: as a resolved recipe has it.
    """
    name = str(encoder["class_path"]).rpartition(".")[2]
    inner = (encoder.get("init_args") or {}).get("structure")
    return f"{name}({model_name(inner)})" if inner else name


def called(source: Any) -> str:
    """How a run, or a recording of one, is called: "sst/tree-lstm, seed 1", and which fold it is of."""
    return ", ".join([source.system, _within(source.seed, source.fold)])


def of_run(table: DataFrame, source: Any) -> DataFrame:
    """A table with columns that say of which run it is."""
    return table.assign(**which_run(source))


def of_each_run(sources: Iterable[Source], make: Callable[[Source], Mapping[str, DataFrame]]) -> dict[str, DataFrame]:
    """The tables of runs one under the other, with columns that say of which run a row is.

    Args:
        sources: runs, or recordings of them.
        make: makes the tables of one, by their names.
    """
    found: dict[str, list[DataFrame]] = {}
    for source in sources:
        for name, table in make(source).items():
            found.setdefault(name, []).append(of_run(table, source))
    return {name: concat(parts, ignore_index=True) for name, parts in found.items()}


def run_columns(table: DataFrame) -> list[str]:
    """The columns that say of which run a row is."""
    return [column for column in ("system", "seed", "fold") if column in table]


def by_run(table: DataFrame) -> Iterator[tuple[str, str, DataFrame]]:
    """Of each run its system, which of its runs it is ("seed 1", or "seed 1, fold 3"), and its rows."""
    for (of, seed, *folds), rows in table.groupby(run_columns(table), sort=False, dropna=False):
        known = [int(fold) for fold in folds if fold == fold]  # nan where only others have folds
        yield str(of), _within(seed, *known), rows


def first_run(table: DataFrame) -> tuple[str, DataFrame]:
    """How the first run is called, such as "sst/tree-lstm, seed 1", and its rows."""
    system, which, rows = next(by_run(table))
    return f"{system}, {which}", rows


def first_runs(table: DataFrame) -> Iterator[tuple[str, str, DataFrame]]:
    """Of each system its name in files ("sst-tree-lstm"), how its first run is called, and the rows of that run."""
    for system, rows in table.groupby("system", sort=False):
        yield str(system).replace("/", "-"), *first_run(rows)


def _within(seed: int, fold: int | None = None) -> str:
    return f"seed {seed}" if fold is None else f"seed {seed}, fold {fold}"
