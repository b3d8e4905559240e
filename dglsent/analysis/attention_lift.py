"""What attention adds to words in a row, to constituency and to dependency trees.

Tables 1 and 2 of the paper on progressive attention, which finds that it adds most to the first and least to the last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.pictures import dots, panels
from dglsent.analysis.scores import beside_published, scores
from dglsent.analysis.sources import TrainedRun
from dglsent.analysis.statistics import over_seeds
from graphs.drawing.colour import SOFT

STRUCTURES = ("bilstm", "constituency", "dependency")
KINDS = ("decomposable", "progressive")


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `results` (beside the published), `lifts` and `order`."""
    found = lifts(scores(sources))
    results = beside_published(sources, ("sick-relatedness", "msrpar", "quora"))
    return {"results": results, "lifts": found, "order": order(found)}


def lifts(found: DataFrame) -> DataFrame:
    """Each attention minus the structure without, seed by seed; of the mean squared error less is better."""
    test = found[found.split == "test"]
    parts = test.variant.str.extract(rf"^(?P<structure>{'|'.join(STRUCTURES)})(?:-(?P<attention>{'|'.join(KINDS)}))?$")
    test = test.assign(**parts).dropna(subset=["structure"])
    plain = test[test.attention.isna()][["corpus", "structure", "seed", "score", "value"]]
    both = test.dropna(subset=["attention"]).merge(
        plain, on=["corpus", "structure", "seed", "score"], suffixes=("", "_plain")
    )
    both["lift"] = both.value - both.value_plain
    keys = ["corpus", "score", "structure", "attention"]
    return over_seeds(both, keys, ["value_plain", "value", "lift"])


def order(found: DataFrame) -> DataFrame:
    """Of each corpus, score and attention the lifts of the structures, and whether they stand in the paper's order."""
    better = found.assign(gain=found.lift.where(found.score != "mse", -found.lift))
    wide = better.pivot_table(index=["corpus", "score", "attention"], columns="structure", values="gain").reset_index()
    if not set(STRUCTURES) <= set(wide.columns):
        return wide
    return wide.assign(as_paper=(wide.bilstm > wide.constituency) & (wide.constituency > wide.dependency))


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a corpus, by its first score."""
    groups = [
        (name, rows[rows.score == rows.score.iloc[0]]) for name, rows in tables["lifts"].groupby("corpus", sort=False)
    ]
    if not groups:
        return {}
    figure, axes = panels(1, len(groups), (3.4 * len(groups) + 0.8, 2.8))
    for ax, (corpus, rows) in zip(axes[0], groups, strict=True):
        wide = [rows[rows.attention == kind].set_index("structure").reindex(STRUCTURES) for kind in KINDS]
        dots(ax, STRUCTURES, *((kind, part.lift, part.lift_sd) for kind, part in zip(KINDS, wide, strict=True)))
        ax.axvline(0, color=SOFT, lw=0.8)
        ax.set_title(f"{corpus}: {rows.score.iloc[0]}", fontsize=9)
        ax.set_xlabel("with attention minus without")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), fontsize=7, ncols=2, loc="outside upper right")
    return {"attention-lift": figure}
