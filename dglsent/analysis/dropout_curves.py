"""Dev accuracy by epoch of kinds of dropout in the window (figure 2 of the dynamic window networks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.curves import curve_tables, curves_figure
from dglsent.analysis.trained_run import TrainedRun


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `curves` (each run), `means` and `summary`."""
    return curve_tables(sources)


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A line a system."""
    return {"dropout-curves": curves_figure(tables["means"])}
