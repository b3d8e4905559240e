"""Dev accuracy by epoch with and without gates over the window, and where the curves cross.

Figure 3 of the dynamic window networks, whose curves cross after about 20 epochs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.curves import crossover, curve_tables, curves_figure, mean_curves
from dglsent.analysis.trained_run import TrainedRun


def tables(sources: Sequence[TrainedRun]) -> dict[str, DataFrame]:
    """Tables `curves`, `means`, `summary` and `crossover`; the plain system is the one whose name ends in "-plain"."""
    made = curve_tables(sources)
    return {**made, "crossover": crossovers(made["curves"])}


def crossovers(found: DataFrame) -> DataFrame:
    """Of each system with gates, the epoch from which it stays above the one without: of each seed and of the means."""
    rows = []
    for base in found.system.unique():
        system = base.removesuffix("-plain")
        plain, gated = (found[found.system == each] for each in (base, system))
        if system == base or gated.empty:
            continue
        shared = sorted(set(plain.seed) & set(gated.seed))
        of_seeds = [(f"seed {seed}", plain[plain.seed == seed], gated[gated.seed == seed]) for seed in shared]
        for of, *pair in [*of_seeds, ("means", plain, gated)]:
            rows.append({"system": system, "base": base, "of": of, "epoch": crossover(*map(_by_epoch, pair))})
    return DataFrame(rows, columns=["system", "base", "of", "epoch"]).astype({"epoch": float})


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A line a system, a dotted one where the means cross."""
    crossings = tables["crossover"]
    known = crossings[(crossings.of == "means") & np.isfinite(crossings.epoch)]
    marks = {f"{row.system} is ahead from epoch {row.epoch:g}": row.epoch for row in known.itertuples()}
    return {"window-curves": curves_figure(tables["means"], marks)}


def _by_epoch(found: DataFrame) -> dict[int, float]:
    """The mean curve of a system's runs, as it is drawn."""
    return dict(mean_curves(found).set_index("epoch").value)
