"""Dev accuracy by epoch with and without gates over the window, and where the curves cross.

Figure 3 of the dynamic window networks, whose curves cross after about 20 epochs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.curves import crossover, curves, curves_figure, mean_curves, summary
from dglsent.analysis.sources import TrainedRun


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `curves`, `means`, `summary` and `crossover`; the plain system is the one whose name ends in "-plain"."""
    found = curves(sources)
    return {"curves": found, "means": mean_curves(found), "summary": summary(found), "crossover": crossovers(found)}


def crossovers(found: DataFrame) -> DataFrame:
    """Of each system with gates, the epoch from which it stays above the one without: of each seed and of the means."""
    rows = []
    for base in found.system[found.system.str.endswith("-plain")].unique():
        plain = found[found.system == base]
        for system in found.system[found.system == base.removesuffix("-plain")].unique():
            gated = found[found.system == system]
            for seed in sorted(set(plain.seed) & set(gated.seed)):
                pair = (_by_epoch(each[each.seed == seed]) for each in (plain, gated))
                rows.append({"system": system, "base": base, "of": f"seed {seed}", "epoch": crossover(*pair)})
            rows.append(
                {"system": system, "base": base, "of": "means", "epoch": crossover(_by_epoch(plain), _by_epoch(gated))}
            )
    return DataFrame(rows, columns=["system", "base", "of", "epoch"]).astype({"epoch": float})


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A line a system, a dotted one where the means cross."""
    crossings = tables["crossover"]
    known = crossings[(crossings.of == "means") & np.isfinite(crossings.epoch)]
    marks = {f"{row.system} is ahead from epoch {row.epoch:g}": row.epoch for row in known.itertuples()}
    return {"window-curves": curves_figure(tables["means"], marks)}


def _by_epoch(found: DataFrame) -> dict[int, float]:
    return {int(epoch): float(value) for epoch, value in found.groupby("epoch").value.mean().items()}
