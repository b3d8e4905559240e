"""Numbers that several analyses share: means over seeds, intervals, correlation, entropy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from pandas import DataFrame
from scipy.special import entr

Array: TypeAlias = np.ndarray[Any, Any]


def over_seeds(frame: DataFrame, by: Sequence[str], values: Sequence[str]) -> DataFrame:
    """Of each group the mean and the standard deviation (n - 1; nan of one) of some columns, and how many `seeds`.

    A seed counts with the mean of its rows, which are several where it has folds. Where one is nan, so are the mean and
    the deviation: a seed without a score is not left out in silence.
    """
    of_seeds = means(frame, [*by, "seed"], values).reset_index()
    groups = of_seeds.groupby(list(by), sort=False, dropna=False)
    found = means(of_seeds, by, values)
    for value in values:
        found[f"{value}_sd"] = groups[value].std().where(found[value].notna())
    found["seeds"] = groups["seed"].nunique()
    return found.reset_index()


def means(frame: DataFrame, by: Sequence[str], values: Sequence[str]) -> DataFrame:
    """The means of some columns of each group; nan where one of its rows has nan."""
    groups = frame.groupby(list(by), sort=False, dropna=False)[list(values)]
    return groups.mean().where(groups.count().eq(groups.size(), axis=0))


def interval(statistic: Callable[[Array], float], size: int, *, repeats: int = 1000) -> tuple[float, float]:
    """95 % bootstrap interval of a statistic of the numbers of `size` items, drawn again with replacement.

    Args:
        statistic: from [size] numbers of items to a value; nan is left out.
        size: how many items there are.
        repeats: how often they are drawn.
    """
    rng = np.random.default_rng(0)
    drawn = np.array([statistic(rng.integers(0, size, size)) for _ in range(repeats)]) if size else np.array([])
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn):
        return float("nan"), float("nan")
    low, high = np.quantile(drawn, [0.025, 0.975])
    return float(low), float(high)


def mean_interval(values: Array) -> tuple[float, float]:
    """Bootstrap interval of a mean."""
    return interval(lambda index: float(values[index].mean()), len(values), repeats=300)


def pearson(x: Array, y: Array) -> float:
    """Pearson's r; nan where either is constant or there are fewer than two."""
    if len(x) < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.corrcoef(x, y)[0, 1])


def spearman(x: Array, y: Array) -> float:
    """Spearman's rho: Pearson's r of ranks, equal values sharing theirs."""
    from scipy.stats import rankdata

    return pearson(rankdata(x), rankdata(y))


def entropy(shares: Array) -> float:
    """Entropy in nats of shares that sum to 1."""
    return float(entr(shares).sum())


def merged_bins(values: Array, width: float, least: int) -> Array:
    """The bin of each value: its lower edge, a multiple of `width`.

    From the highest down, a bin with fewer than `least` values is joined to the next lower one, and what is left at
    the lower end to the bin above; the bin of all is named by its lowest edge.
    """
    edge = np.floor(values / width) * width
    named: dict[float, float] = {}
    open_bins: list[float] = []
    count = 0
    last: float | None = None
    for low in np.unique(edge)[::-1]:
        open_bins.append(low)
        count += int((edge == low).sum())
        if count >= least:
            named.update(dict.fromkeys(open_bins, low))
            open_bins, count, last = [], 0, low
    if open_bins:
        bottom = open_bins[-1]
        named = {low: bottom if name == last else name for low, name in named.items()}
        named.update(dict.fromkeys(open_bins, bottom))
    return np.array([named[low] for low in edge])
