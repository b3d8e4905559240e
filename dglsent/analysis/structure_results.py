"""Scores of all tasks of the contextualised non-local networks beside the published ones (their tables 3 and 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.scores import beside_published, scores, scores_figure
from dglsent.analysis.trained_run import TrainedRun
from dglsent.reproduction import tables as published


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Table `results`."""
    names = [name for name in published.names() if name.startswith("cn3-")]
    return {"results": beside_published(scores(sources), names)}


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a task."""
    return {"structure-results": scores_figure(tables["results"])} if len(tables["results"]) else {}
