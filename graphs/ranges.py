"""Ranges of whole numbers, one after the other: how what belongs together is found among what stands side by side."""

from __future__ import annotations

import numpy as np

from graphs.columns import IntArray


def ranges(first: IntArray, counts: IntArray) -> IntArray:
    """first[0], first[0] + 1, ... (counts[0] numbers), then counts[1] numbers from first[1] on, and so on.

    Args:
        first: [n] where each range begins.
        counts: [n] numbers of each, 0 or more.
    """
    return np.arange(int(counts.sum())) + np.repeat(first - starts(counts), counts)


def starts(counts: IntArray) -> IntArray:
    """[n] where each of n groups begins that stand one after the other, of counts [n]."""
    return np.cumsum(counts) - counts
