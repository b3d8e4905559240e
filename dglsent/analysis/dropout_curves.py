"""Dev accuracy by epoch of kinds of dropout in the window (figure 2 of the dynamic window networks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.curves import curves, curves_figure, mean_curves, summary
from dglsent.analysis.sources import TrainedRun


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `curves` (each run), `means` and `summary`."""
    found = curves(sources)
    return {"curves": found, "means": mean_curves(found), "summary": summary(found)}


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A line a system."""
    return {"dropout-curves": curves_figure(tables["means"])}
