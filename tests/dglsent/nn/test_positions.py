from __future__ import annotations

import math

import pytest
import torch

from dglsent.nn.positions import Sinusoids


@pytest.mark.parametrize("dim", [1, 4, 5])
def test_sines_and_cosines_in_turn(dim):
    vectors = Sinusoids(dim)(torch.tensor([0, 3, 70]))
    assert vectors.shape == (3, dim)
    for vector, position in zip(vectors.tolist(), (0, 3, 70), strict=True):
        angles = [position / 10000 ** (column // 2 * 2 / dim) for column in range(dim)]
        wanted = [(math.cos if column % 2 else math.sin)(angle) for column, angle in enumerate(angles)]
        assert vector == pytest.approx(wanted, abs=1e-12)
