"""What attention adds to words in a row, to constituency and to dependency trees.

Tables 1 and 2 of the paper on progressive attention, which finds that it adds most to the first and least to the last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.pictures import colour_of, dots, panels, row_places
from dglsent.analysis.scores import SPREAD, beside_base, beside_published, published_scores, scores
from dglsent.analysis.statistics import over_seeds
from dglsent.analysis.trained_run import TrainedRun
from graphs.drawing.colour import SOFT

STRUCTURES = ("bilstm", "constituency", "dependency")
KINDS = ("decomposable", "progressive")
PUBLISHED = ("sick-relatedness", "msrpar", "quora")
_NAMES = {"pearson": "Pearson's r", "f1": "F1"}


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `results` (beside the published), `lifts` and `order`."""
    found = scores(sources)
    added = lifts(found)
    return {"results": beside_published(found, PUBLISHED), "lifts": beside_lifts(added), "order": order(added)}


def lifts(found: DataFrame) -> DataFrame:
    """Each attention minus the structure without, seed by seed; of the mean squared error less is better."""
    test = found[found.split == "test"]
    parts = test.variant.str.extract(rf"^(?P<structure>{'|'.join(STRUCTURES)})(?:-(?P<attention>{'|'.join(KINDS)}))?$")
    test = test.assign(**parts).dropna(subset=["structure"])
    attentive, plain = test.dropna(subset=["attention"]), test[test.attention.isna()]
    both = beside_base(attentive, plain, ["corpus", "structure", "seed", "score"])
    both = both.rename(columns={"difference": "lift"})
    return over_seeds(both, ["corpus", "score", "structure", "attention"], ["value_plain", "value", "lift"])


def beside_lifts(found: DataFrame) -> DataFrame:
    """With what the published scores say that attention adds, nan where one is not published."""
    known, nothing = published_scores(PUBLISHED), float("nan")
    plain = found.corpus + "/" + found.structure
    ours, without = (
        np.array([known.get((system, score), nothing) for system, score in zip(systems, found.score, strict=True)])
        for systems in (plain + "-" + found.attention, plain)
    )
    return found.assign(published=ours - without)


def order(found: DataFrame) -> DataFrame:
    """Of each corpus, score and attention the lifts of the structures, and whether they stand in the paper's order."""
    better = found.assign(gain=found.lift.where(found.score != "mse", -found.lift))
    wide = better.pivot_table(index=["corpus", "score", "attention"], columns="structure", values="gain").reset_index()
    if not set(STRUCTURES) <= set(wide.columns):
        return wide
    return wide.assign(as_paper=(wide.bilstm > wide.constituency) & (wide.constituency > wide.dependency))


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a corpus, by its first score; what is published is a line of the same colour."""
    groups = [
        (name, rows[rows.score == rows.score.iloc[0]]) for name, rows in tables["lifts"].groupby("corpus", sort=False)
    ]
    if not groups:
        return {}
    figure, axes = panels(1, len(groups), (3.6 * len(groups) + 1.2, 3.1))
    for ax, (corpus, rows) in zip(axes[0], groups, strict=True):
        wide = [rows[rows.attention == kind].set_index("structure").reindex(STRUCTURES) for kind in KINDS]
        dots(ax, STRUCTURES, *((kind, part.lift, part.lift_sd) for kind, part in zip(KINDS, wide, strict=True)))
        for number, part in enumerate(wide):
            places = row_places(len(STRUCTURES), number, len(KINDS))
            colour, label = colour_of(number), f"{KINDS[number]}, published"
            ax.plot(part.published, places, "|", color=colour, ms=11, mew=1.6, ls="none", label=label)
        ax.axvline(0, color=SOFT, lw=0.8)
        ax.set_title(corpus, fontsize=9)
        score = rows.score.iloc[0]
        ax.set_xlabel(f"{_NAMES.get(score, score)} on test,\nwith attention minus without", fontsize=8)
    figure.set_label(SPREAD)
    figure.legend(*axes[0, 0].get_legend_handles_labels(), fontsize=7, ncols=2, loc="outside upper right")
    return {"attention-lift": figure}
