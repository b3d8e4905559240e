"""What attributes of words and of edges add to the contextualised non-local networks (their table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.pictures import dots, panels
from dglsent.analysis.scores import SPREAD, beside_base, scores
from dglsent.analysis.statistics import over_seeds
from dglsent.analysis.trained_run import TrainedRun
from graphs.drawing.colour import SOFT


def tables(sources: Sequence[TrainedRun], *, base: str = "cn3") -> dict[str, DataFrame]:
    """Table `differences`: of each corpus, variant and split the score and its difference to the base, seed by seed.

    Args:
        sources: runs of systems such as "trec/cn3" and "trec/cn3-dependency".
        base: variant without attributes.
    """
    return {"differences": differences(scores(sources), base)}


def differences(found: DataFrame, base: str) -> DataFrame:
    """Of each corpus, variant and split the first score that the corpus has, and its difference to the base."""
    found = found[found.score == found.groupby("corpus").score.transform("first")]
    both = beside_base(found, found[found.variant == base], ["corpus", "split", "seed"]).assign(base=base)
    return over_seeds(both, ["corpus", "score", "split", "base", "variant"], ["value", "difference"])


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a corpus: the difference that each attribute makes, in hundredths, on test and on dev."""
    found = tables["differences"]
    groups = list(found[found.variant != found.base].groupby("corpus", sort=False))
    if not groups:
        return {}
    tallest = max(rows.variant.nunique() for _, rows in groups)
    figure, axes = panels(1, len(groups), (2.6 * len(groups) + 1.4, 0.34 * tallest + 1.5))
    for ax, (corpus, rows) in zip(axes[0], groups, strict=True):
        names = list(rows.variant.unique())
        of_splits = {split: some.set_index("variant").reindex(names) for split, some in rows.groupby("split")}
        series = [
            (split, 100 * of_splits[split].difference, 100 * of_splits[split].difference_sd)
            for split in ("test", "dev")
        ]
        dots(ax, names, *series)
        ax.axvline(0, color=SOFT, lw=0.8)
        ax.set_title(f"{corpus}: {rows.score.iloc[0]}", fontsize=9)
        ax.set_xlabel(f"points over {rows.base.iloc[0]}")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), fontsize=8, ncols=2, loc="outside upper right")
    figure.set_label(SPREAD)
    return {"attribute-results": figure}
