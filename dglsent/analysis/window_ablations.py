"""Filters, ablations and sizes of the window (tables 2 and 3 of the dynamic window networks)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.pictures import dots, panels
from dglsent.analysis.scores import SPREAD, beside_base, beside_published, scores
from dglsent.analysis.statistics import over_seeds
from dglsent.analysis.trained_run import TrainedRun
from graphs.drawing.colour import SOFT


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `results` (beside the published) and `differences` to the full network of each kind."""
    found = scores(sources)
    return {"results": beside_published(found, ("pmb",)), "differences": differences(found)}


def differences(found: DataFrame) -> DataFrame:
    """Each variant minus the system whose name it goes on from, seed by seed, on dev.

    Args:
        found: scores of runs; "stacked-bilstm-cnn-filter" goes on from "stacked-bilstm".
    """
    dev = found[(found.split == "dev") & (found.score == "accuracy")]
    systems = sorted(dev.system.unique(), key=len)
    base = {one: next((other for other in systems if one.startswith(f"{other}-")), one) for one in systems}
    bases = dev.system.map(lambda one: base[one].rpartition("/")[2])  # a list of none would be numbers
    both = beside_base(dev.assign(base=bases), dev.assign(base=dev.variant), ["corpus", "base", "seed"])
    found = over_seeds(both, ["corpus", "base", "variant"], ["value", "difference"])
    return found.sort_values(["corpus", "base", "difference"])


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """Dev accuracies of the variants of each network that has some, on an axis of its own."""
    found = tables["differences"]
    several = found.corpus.nunique() > 1
    grouped = found.groupby(["corpus", "base"], sort=False)
    networks = {of: rows for of, rows in grouped if len(rows) > 1}
    if not networks:
        return {}
    height = 0.26 * sum(map(len, networks.values())) + 0.65 * len(networks) + 0.75
    shares = [len(rows) + 1 for rows in networks.values()]
    figure, axes = panels(len(networks), 1, (6.4, height), height_ratios=shares)
    for ax, ((corpus, base), rows) in zip(axes[:, 0], networks.items(), strict=True):
        names = [variant.removeprefix(f"{base}-") for variant in rows.variant]
        dots(ax, names, ("dev", 100 * rows.value, 100 * rows.value_sd))
        ax.axvline(100 * rows.value[rows.variant == base].iloc[0], color=SOFT, ls="--", lw=0.8)
        ax.set_title(f"{corpus}/{base}" if several else base, fontsize=9)
    axes[-1, 0].set_xlabel("accuracy on dev, in percent; dashed: the network as it is")
    figure.set_label(SPREAD)
    return {"window-ablations": figure}
