from __future__ import annotations

import math

import pytest
import torch

from dglsent.nn.positions import PositionEmbedding, Sinusoids


@pytest.mark.parametrize("dim", [1, 4, 5])
def test_sines_and_cosines_in_turn(dim):
    vectors = Sinusoids(dim)(torch.tensor([0, 3, 70]))
    assert vectors.shape == (3, dim)
    for vector, position in zip(vectors.tolist(), (0, 3, 70), strict=True):
        angles = [position / 10000 ** (column // 2 * 2 / dim) for column in range(dim)]
        wanted = [(math.cos if column % 2 else math.sin)(angle) for column, angle in enumerate(angles)]
        assert vector == pytest.approx(wanted, abs=1e-12)


def test_learned_vectors_start_apart_and_the_last_stands_for_all_after_it():
    torch.manual_seed(0)
    made = PositionEmbedding(20, 30)
    weight = made.weight.detach()
    assert -0.1 <= weight.min() < -0.098
    assert 0.098 < weight.max() <= 0.1
    assert torch.equal(made(torch.tensor([-1, 0, 1, 19, 20, 99])), weight[[0, 0, 1, 19, 19, 19]])
