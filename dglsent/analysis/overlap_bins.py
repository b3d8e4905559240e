"""Accuracy by the n-gram overlap of a pair (figure 3b of the attentive tree encoders).

The overlap is c (U + B + T) / length, of the numbers of different unigrams, bigrams and trigrams that both sentences
have. With the paper's c = 50 and the mean length most pairs of MSRP lie beyond its axis; with the total length of both
(`norm` "total") they lie on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from pandas import DataFrame

from dglsent.analysis.binned import BANDS, binned_figure, by_bin, lifts, predictions, without_attention
from dglsent.analysis.recording import Recording
from dglsent.analysis.statistics import Array, merged_bins
from graphs.errors import InputError


def tables(sources: Sequence[Recording], *, c: float = 50, norm: str = "mean", least: int = 20) -> dict[str, DataFrame]:
    """Tables `bins` and `lift`, what attention adds to pairs of little and of much overlap.

    Args:
        sources: recordings of pairs with classes, of one split.
        c: by what the shared n-grams over the length are multiplied.
        norm: "mean" divides by the mean length, "total" by that of both sentences.
        least: pairs of a bin; fewer are joined to the next lower bin.

    Raises:
        InputError: a model predicts scores, of which none is ever exactly right, recordings are not of the same pairs,
            or `norm` is neither.
    """
    if norm not in ("mean", "total"):
        raise InputError(f"--norm {norm}: give mean or total")
    examples, predicted = predictions(sources)
    for source in sources:
        source.require_classes()
    gold = examples.gold.to_numpy(float)
    place = np.array(
        [overlap(a.split(), b.split(), c, norm) for a, b in zip(examples.text, examples.other, strict=True)]
    )
    limit = 40 if norm == "total" else float(np.median(place))
    parts = {
        "all": np.ones(len(gold), bool),
        f"overlap below {limit:.4g}": place < limit,
        f"overlap from {limit:.4g}": place >= limit,
    }
    bins = by_bin(gold, predicted, merged_bins(place, 2, least), place, accuracy)
    return {"bins": bins, "lift": lifts(gold, predicted, without_attention(sources), parts, accuracy)}


def overlap(a: Sequence[str], b: Sequence[str], c: float = 50, norm: str = "mean") -> float:
    """The n-gram overlap of two sentences of tokens."""
    shared = sum(len(_grams(a, n) & _grams(b, n)) for n in (1, 2, 3))
    total = len(a) + len(b)
    return c * shared / (total if norm == "total" else total / 2)


def accuracy(gold: Array, predicted: Array) -> float:
    """Share of equal values."""
    return float((gold == predicted).mean()) if len(gold) else float("nan")


def figures(tables: Mapping[str, DataFrame]) -> dict[str, Figure]:
    """A line a system."""
    figure = binned_figure(tables["bins"], tables["lift"], "n-gram overlap", "accuracy", None)
    figure.set_label(f"A bin is 2 wide, or more where it would have too few examples. {BANDS}")
    return {"overlap-bins": figure}


def _grams(words: Sequence[str], n: int) -> set[tuple[str, ...]]:
    return {tuple(words[i : i + n]) for i in range(len(words) - n + 1)}
