"""Quora: precision, recall and F1 of duplicates, and how many questions are (the paper on progressive attention)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.attention_lift import KINDS, STRUCTURES
from dglsent.analysis.pair_results import majority
from dglsent.analysis.pictures import dots, panels
from dglsent.analysis.scores import SPREAD, beside_published, published_scores, scores
from dglsent.analysis.statistics import over_seeds
from dglsent.analysis.trained_run import TrainedRun
from graphs.drawing.colour import SOFT

SHOWN = ("precision", "recall", "f1", "accuracy")
_ATTENTION = ("", *(f"-{kind}" for kind in KINDS))
# What calling every pair a duplicate scores, by the share of duplicates.
_OF_ALL: dict[str, Callable[[float], float]] = {
    "accuracy": lambda share: share,
    "f1": lambda share: 2 * share / (1 + share),
}


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `results` (beside the published), `scores` and `share` of duplicates, with what the majority scores."""
    found = scores(sources)
    test = found[(found.split == "test") & found.score.isin(SHOWN)]
    return {
        "results": beside_published(found, ("quora",)),
        "scores": _in_order(over_seeds(test, ["system", "score"], ["value"])),
        "share": majority(found, sources),
    }


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a score, with a line where calling every pair a duplicate is."""
    found, share = tables["scores"], tables["share"]
    shown = [score for score in SHOWN if score in set(found.score)]
    systems = list(found.system.unique())
    corpora = {system.partition("/")[0] for system in systems}
    names = [system.rpartition("/")[2] for system in systems] if len(corpora) == 1 else systems
    figure, axes = panels(1, len(shown), (2.4 * len(shown) + 1.6, 3.4), sharey=True)
    on_test = share[(share.split == "test") & share.corpus.isin(corpora)].share
    for ax, score in zip(axes[0], shown, strict=True):
        rows = found[found.score == score].set_index("system").reindex(systems)
        series = [("ours", rows.value, rows.value_sd)]
        series += [("published", rows.published, None)] if found.published.notna().any() else []
        dots(ax, names, *series)
        ax.set_title({"f1": "F1"}.get(score, score))
        if len(on_test) == 1 and score in _OF_ALL:
            ax.axvline(_OF_ALL[score](on_test.iloc[0]), color=SOFT, ls="--", lw=0.8, label="all called duplicates")
    lines = {label: line for ax in axes[0] for line, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    figure.legend(lines.values(), lines.keys(), fontsize=8, ncols=3, loc="outside upper right")
    figure.set_label(f"Scores on test. {SPREAD}")
    return {"duplicate-results": figure}


def _in_order(found: DataFrame) -> DataFrame:
    """By structure, and of each the plain system, decomposable and progressive attention; beside what is published."""
    known, names = published_scores(("quora",)), [f"{of}{kind}" for of in STRUCTURES for kind in _ATTENTION]
    places = {name: place for place, name in enumerate(names)}
    place = [places.get(system.rpartition("/")[2], len(names)) for system in found.system]
    said = [known.get(key, float("nan")) for key in zip(found.system, found.score, strict=True)]
    ordered = found.assign(published=said).iloc[np.argsort(place, kind="stable")]
    return ordered.reset_index(drop=True)
