"""Pearson's r by the mean length of the two sentences of a pair (figure 3a of the attentive tree encoders)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.binned import BANDS, binned_figure, by_bin, lifts, predictions, without_attention
from dglsent.analysis.recording import Recording
from dglsent.analysis.statistics import Array, merged_bins, pearson


def tables(sources: Sequence[Recording], *, least: int = 10, long: float = 14) -> dict[str, DataFrame]:
    """Tables `bins` and `lift`, what attention adds to short and to long pairs.

    Args:
        sources: recordings of pairs with scores, of one split.
        least: pairs of a bin; fewer are joined to the next lower bin.
        long: mean length from which a pair counts as long.

    Raises:
        InputError: a model predicts classes, whose numbers are no scores, or recordings are not of the same pairs.
    """
    for source in sources:
        source.require_scores()
    examples, predicted = predictions(sources)
    gold, length = examples.gold.to_numpy(float), mean_length(examples)
    bins = by_bin(gold, predicted, merged_bins(length, 1, least), length, pearson)
    parts = {
        "all": np.ones(len(gold), bool),
        f"shorter than {long:g}": length < long,
        f"{long:g} and longer": length >= long,
    }
    return {"bins": bins, "lift": lifts(gold, predicted, without_attention(sources), parts, pearson)}


def mean_length(examples: DataFrame) -> Array:
    """[N] mean number of words of the two sentences, as spaces part them."""
    lengths = [examples[side].str.count(" ").to_numpy(float) + 1 for side in ("text", "other")]
    mean: Array = (lengths[0] + lengths[1]) / 2
    return mean


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A line a system."""
    label = "mean length of the pair (words)"
    figure = binned_figure(tables["bins"], tables["lift"], label, "Pearson's r", (0.55, 0.95))
    figure.set_label(f"A bin is one word wide, or more where it would have too few examples. {BANDS}")
    return {"length-bins": figure}
