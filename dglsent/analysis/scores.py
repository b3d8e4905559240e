"""Scores of runs beside published ones: means and standard deviations over seeds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.pictures import dots, panels
from dglsent.analysis.statistics import means, over_seeds
from dglsent.analysis.trained_run import TrainedRun
from dglsent.reproduction import tables as published
from graphs.errors import InputError

SPREAD = "Bars are one standard deviation over seeds; what has no bar has one seed."


def scores(runs: Sequence[TrainedRun]) -> DataFrame:
    """A row a seed, split and score: system, corpus, variant, seed, split, score, value, parameters, folds.

    A seed with folds has the mean of theirs.

    Raises:
        InputError: seeds of a system have different folds.
    """
    _refuse_uneven_folds(runs)
    rows = [
        {
            "system": run.system,
            "corpus": run.system.partition("/")[0],
            "variant": run.system.rpartition("/")[2],
            "seed": run.seed,
            "split": split,
            "score": name,
            "value": np.nan if value is None else value,
            "parameters": run.parameters,
            "fold": -1 if run.fold is None else run.fold,
        }
        for run in runs
        for split in ("dev", "test")
        for name, value in run.metrics[split].items()
    ]
    keys = ["system", "corpus", "variant", "seed", "split", "score"]
    frame = DataFrame(rows)
    of_seeds = means(frame, keys, ["value", "parameters"])
    return of_seeds.assign(folds=frame.groupby(keys, sort=False).fold.nunique()).reset_index()


def _refuse_uneven_folds(runs: Sequence[TrainedRun]) -> None:
    """Refuses seeds whose means would be over other parts of the corpus than those of other seeds."""
    of_system: dict[str, set[int]] = {}
    of_seed: dict[tuple[str, Path], set[int]] = {}
    for run in runs:
        folds = set() if run.fold is None else {run.fold}
        of_system.setdefault(run.system, set()).update(folds)
        of_seed.setdefault((run.system, run.path.parent if folds else run.path), set()).update(folds)
    for (system, folder), folds in of_seed.items():
        missing = of_system[system] - folds
        if missing:
            raise InputError(
                f"{folder}: without fold {min(missing)}, which another seed of {system} has; name seeds of equal folds"
            )


def beside_published(found: DataFrame, names: Sequence[str]) -> DataFrame:
    """A row for each row and score of some published tables of which there are runs; on the scale that they have.

    Args:
        found: scores of runs.
        names: of the tables.
    """
    found = over_seeds(found, ["system", "split", "score"], ["value", "parameters", "folds"])
    rows = []
    for table in map(published.load, names):
        for row in table.rows:
            for place, score in enumerate(table.scores):
                ours = found[(found.system == row.recipe) & (found.split == score.split) & (found.score == score.name)]
                if not len(ours):
                    continue
                one = ours.iloc[0]
                said = row.published[place] if row.published else None
                rows.append(
                    {
                        "table": table.name,
                        "row": row.name,
                        "paper": row.paper,
                        "system": row.recipe,
                        "score": score.label,
                        "split": score.split,
                        "percent": table.percent,
                        "published": np.nan if said is None else said,
                        "ours": score.factor * one.value,
                        "sd": score.factor * one.value_sd,
                        "seeds": one.seeds,
                        "folds": round(one.folds),
                        "difference": np.nan if said is None else score.factor * one.value - said,
                        "parameters": np.round(one.parameters),  # of folds they differ where their tags do
                    }
                )
    return DataFrame(rows).astype({"parameters": "Int64"} if rows else {})


def beside_base(found: DataFrame, base: DataFrame, keys: Sequence[str]) -> DataFrame:
    """Scores of runs with those of their bases where `keys` are equal: `value_plain`, and `difference` to it."""
    both = found.merge(base[[*keys, "value"]], on=list(keys), suffixes=("", "_plain"))
    return both.assign(difference=both.value - both.value_plain)


def published_scores(names: Sequence[str]) -> dict[tuple[str, str], float]:
    """What some tables publish of test sets, by recipe and name of the score in `metrics.json`, on the scale there."""
    return {
        (row.recipe, score.name): said / score.factor
        for table in map(published.load, names)
        for row in table.rows
        for score, said in zip(table.scores, row.published or (), strict=False)
        if row.recipe and score.split == "test" and said is not None
    }


def scores_figure(frame: DataFrame) -> Figure:
    """A panel a published table: ours with standard deviations beside what is published, by its first score."""
    groups = [(name, rows[rows.score == rows.score.iloc[0]]) for name, rows in frame.groupby("table", sort=False)]
    columns = min(3, len(groups))
    lines = -(-len(groups) // columns)
    tallest = max(len(rows) for _, rows in groups)
    figure, axes = panels(lines, columns, (3.6 * columns + 0.6, lines * (0.24 * tallest + 1.25)))
    for ax, (name, rows) in zip(axes.ravel(), groups, strict=False):
        ours = ("ours (sd)", rows.ours, rows.sd)
        dots(ax, list(rows.row), ours, ("published", rows.published, None))
        first = rows.iloc[0]
        on = "" if first.score.startswith(first.split) else f" on {first.split}"
        ax.set_title(name, fontsize=9)
        ax.set_xlabel(f"{first.score}{on}{', in percent' if first.percent else ''}", fontsize=8)
        ax.tick_params(axis="y", labelsize=7.5)
    for ax in axes.ravel()[len(groups) :]:
        ax.set_axis_off()
    figure.legend(*axes.ravel()[0].get_legend_handles_labels(), fontsize=7, ncols=2, loc="outside upper right")
    figure.set_label(SPREAD)
    return figure


def positive_share(accuracy: float, precision: float, recall: float) -> float:
    """The share of class 1 in a split of two classes, which its scores imply; nan where they do not."""
    if not precision:
        return float("nan")
    slope = 1 - recall + recall * (1 - precision) / precision
    return (1 - accuracy) / slope if slope else float("nan")
