"""Dev scores by epoch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from pandas import DataFrame

from dglsent.analysis.pictures import colour_of, dashes_of, panels
from dglsent.analysis.runs import run_columns, which_run
from dglsent.analysis.statistics import over_seeds
from dglsent.analysis.trained_run import TrainedRun
from graphs.drawing.colour import SOFT
from graphs.errors import InputError


def curve_tables(runs: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `curves` (each run), `means` and `summary`."""
    found = curves(runs)
    return {"curves": found, "means": mean_curves(found), "summary": summary(found)}


def curves(runs: Sequence[TrainedRun]) -> DataFrame:
    """A row a run and epoch: epoch, value (dev accuracy), loss, and of which run they are.

    Raises:
        InputError: a run has no accuracy, or a ledger put it back with its first epochs alone.
    """
    for run in runs:
        known, epochs = len(run.metrics["history"]), run.metrics["epochs"]
        if known < epochs:
            raise InputError(
                f"{run.path}: a ledger put it back, which keeps {known} of its {epochs} epochs; "
                "train it into another folder (--out)"
            )
        scores = run.metrics["history"][0]["dev"]
        if "accuracy" not in scores:
            raise InputError(f"{run.path}: has no dev accuracy, but {', '.join(scores)}; leave it out")
    rows = [
        {
            **which_run(run),
            "epoch": epoch["epoch"],
            "value": epoch["dev"]["accuracy"],
            "loss": epoch["loss"],
        }
        for run in runs
        for epoch in run.metrics["history"]
    ]
    return DataFrame(rows)


def mean_curves(found: DataFrame) -> DataFrame:
    """A row a system and epoch: the means of the runs that had not ended before it."""
    return over_seeds(found, ["system", "epoch"], ["value", "loss"])


def summary(found: DataFrame) -> DataFrame:
    """Of each system the best and the last dev score, and when the best came."""
    which = run_columns(found)
    runs = found.groupby(which, dropna=False)
    best, last = found.loc[runs.value.idxmax()], found.loc[runs.epoch.idxmax(), [*which, "value", "epoch"]]
    both = best.merge(last, on=which, suffixes=("", "_last"))
    both["fall"] = both.value - both.value_last
    return over_seeds(both, ["system"], ["value", "epoch", "value_last", "epoch_last", "fall"])


def crossover(base: Mapping[int, float], other: Mapping[int, float]) -> float:
    """The first epoch from which `other` stays above `base` (scores by epoch); nan where it ends below."""
    epochs = sorted(set(base) & set(other))
    ahead = [other[epoch] > base[epoch] for epoch in epochs]
    if not ahead or not ahead[-1]:
        return float("nan")
    behind = [place for place, better in enumerate(ahead) if not better]
    return float(epochs[behind[-1] + 1 if behind else 0])


def curves_figure(means: DataFrame, marks: Mapping[str, float] | None = None) -> Figure:
    """A line a system with its standard deviation over seeds; dotted lines at the epochs of `marks`, by their label."""
    figure, axes = panels(1, 1, (6.4, 3.8))
    ax = axes[0, 0]
    for number, (system, line) in enumerate(means.groupby("system", sort=False)):
        colour = colour_of(number)
        style = dashes_of(number) if len(line) > 1 else "o"  # of a single epoch there is no line to see
        ax.plot(line.epoch, line.value, style, ms=4, color=colour, label=system, lw=1.5)
        spread = np.nan_to_num(line.value_sd)
        ax.fill_between(line.epoch, line.value - spread, line.value + spread, color=colour, alpha=0.12, lw=0)
    for label, epoch in (marks or {}).items():
        ax.axvline(epoch, color=SOFT, ls=":", lw=1, label=label)
    # The first epochs are far below all others and would press these together.
    later = means[means.epoch > min(3, means.epoch.max() // 4)].value
    room = 0.15 * (later.max() - later.min()) or 0.01
    ax.set_ylim(later.min() - room, later.max() + room)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_xlabel("epoch")
    ax.set_ylabel("dev accuracy")
    first, last = (1, None) if means.epoch.max() > 1 else (0.5, 1.5)
    ax.set_xlim(first, last)
    figure.legend(*ax.get_legend_handles_labels(), fontsize=8, ncols=3, loc="outside upper left")
    figure.set_label("Bands are one standard deviation over seeds; what has no band has one seed.")
    return figure
