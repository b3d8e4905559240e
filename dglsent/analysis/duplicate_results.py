"""Quora: precision, recall and F1 of duplicates, and how many questions are (the paper on progressive attention)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.pair_results import majority
from dglsent.analysis.pictures import dots, panels
from dglsent.analysis.scores import beside_published, scores
from dglsent.analysis.sources import TrainedRun
from dglsent.analysis.statistics import over_seeds

SHOWN = ("precision", "recall", "f1", "accuracy")


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `results` (beside the published), `scores` and `share` of duplicates, with what the majority scores."""
    found = scores(sources)
    test = found[(found.split == "test") & found.score.isin(SHOWN)]
    return {
        "results": beside_published(sources, ("quora",)),
        "scores": over_seeds(test, ["system", "score"], ["value"]),
        "share": majority(found),
    }


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a score."""
    found = tables["scores"]
    shown = [score for score in SHOWN if score in set(found.score)]
    systems = list(found.system.unique())
    figure, axes = panels(1, len(shown), (2.4 * len(shown) + 1.6, 3), sharey=True)
    for ax, score in zip(axes[0], shown, strict=True):
        rows = found[found.score == score].set_index("system").reindex(systems)
        dots(ax, systems, ("", rows.value, rows.value_sd))
        ax.set_title(score)
    return {"duplicate-results": figure}
