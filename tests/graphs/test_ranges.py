"""Ranges one after the other, and where groups begin, against Python's own."""

from __future__ import annotations

from itertools import accumulate, chain

import numpy as np
import pytest

from graphs.ranges import ranges, starts


@pytest.mark.parametrize("counts", [[], [0], [3], [0, 0], [2, 0, 3, 1, 0]])
def test_they_are_those_of_python(counts):
    first = np.arange(len(counts)) * 7 - 3
    wanted = chain.from_iterable(range(at, at + count) for at, count in zip(first.tolist(), counts, strict=True))
    given = np.array(counts, dtype=np.int64)
    assert ranges(first, given).tolist() == list(wanted)
    assert starts(given).tolist() == list(accumulate([0, *counts]))[:-1]
