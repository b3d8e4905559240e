"""Scores of active and passive, affirmed and denied pairs with and without attention.

Table 3 of the paper on progressive attention.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame, concat

from dglsent.analysis.pictures import dots, panels
from dglsent.analysis.recording import Recording
from dglsent.analysis.runs import of_run
from dglsent.analysis.sentences import find_pairs
from dglsent.analysis.statistics import Array, mean_interval, over_seeds
from graphs.errors import InputError

PAPER = (
    ("The badger is burrowing a hole.", "A hole is being burrowed by the badger."),
    ("There is no man screaming.", "A man is screaming."),
)
_DENIALS = {"no", "not", "n't", "nobody", "none", "never", "without"}


def tables(sources: Sequence[Recording]) -> dict[str, DataFrame]:
    """Tables `pairs` (the paper's two, one row a pair, a column a system) and `groups` (mean absolute error).

    Raises:
        InputError: a recording is not of pairs with gold values, a model predicts classes, whose numbers are no scores,
            or seeds of a system were recorded of different pairs.
    """
    scored, everything = [], []
    for source in sources:
        source.require_pairs()
        source.require_scores()
        examples = source.examples
        for number, (one, other) in enumerate(PAPER, 1):
            found = examples[examples.example.isin(find_pairs(examples, one, other))]
            scored.append(of_run(found.assign(pair=number), source))
        everything.append(of_run(examples, source))
    rows = concat(scored, ignore_index=True)
    means = over_seeds(rows, ["pair", "id", "text", "other", "gold", "system"], ["predicted"])
    wide = means.pivot_table(
        index=["pair", "id", "text", "other", "gold"], columns="system", values="predicted", sort=False
    ).reset_index()
    of_seeds = concat(everything).groupby(["system", "seed"], sort=False)  # of all its folds together
    errors = concat([group_errors(of_one).assign(system=of, seed=seed) for (of, seed), of_one in of_seeds])
    together = over_seeds(errors, ["system", "group", "pairs"], ["error", "low", "high", "bias"])
    uneven = together.system[together.duplicated(["system", "group"])]
    if len(uneven):
        raise InputError(f"{uneven.iloc[0]}: one seed has other pairs than another; record all of one split, or fold")
    return {"pairs": wide.rename_axis(columns=None), "groups": together}


def kind(one: str, other: str) -> str:
    """What a pair is: "negation" if one sentence alone denies, "passive" if one alone says "being" or "by"."""
    a, b = set(one.lower().split()), set(other.lower().split())
    if bool(a & _DENIALS) != bool(b & _DENIALS):
        return "negation"
    if ("being" in a) != ("being" in b) or ("by" in a) != ("by" in b):
        return "passive"
    return "other"


def group_errors(examples: DataFrame) -> DataFrame:
    """By kind of pair: how many, the mean absolute error with its interval, and the mean of predicted minus gold."""
    kinds = np.array([kind(one, other) for one, other in zip(examples.text, examples.other, strict=True)])
    off: Array = (examples.predicted - examples.gold).to_numpy(float)
    rows = []
    for group in ("passive", "negation", "other"):
        inside = off[kinds == group]
        if len(inside):
            low, high = mean_interval(np.abs(inside))
            rows.append(
                {
                    "group": group,
                    "pairs": len(inside),
                    "error": np.abs(inside).mean(),
                    "low": low,
                    "high": high,
                    "bias": inside.mean(),
                }
            )
    return DataFrame(rows)


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A panel a group, on one scale: errors of all systems with their intervals."""
    groups, systems = list(tables["groups"].groupby("group", sort=False)), list(tables["groups"].system.unique())
    figure, axes = panels(1, len(groups), (2.7 * len(groups) + 1.6, 0.3 * len(systems) + 1.4), sharex=True, sharey=True)
    for ax, (group, of_group) in zip(axes[0], groups, strict=True):
        rows = of_group.set_index("system").reindex(systems)
        dots(ax, systems, ("", rows.error, np.stack([rows.error - rows.low, rows.high - rows.error])))
        least, most = of_group.pairs.min(), of_group.pairs.max()
        ax.set_title(f"{group} (n = {least if least == most else f'{least} to {most}'})", fontsize=9)
        ax.set_xlabel("mean absolute error")
    figure.set_label("Bars are 95 % intervals over pairs.")
    return {"pair-scores": figure}
