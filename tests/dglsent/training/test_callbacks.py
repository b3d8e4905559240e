from __future__ import annotations

import math
import random

import numpy as np
import pytest
import torch

from dglsent.training.callbacks import BestOnDev, RandomStates


@pytest.mark.parametrize(
    ("mode", "best", "score", "better"),
    [
        ("max", 0.5, 0.6, True),
        ("max", 0.5, 0.5, False),
        ("max", 0.5, 0.4, False),
        ("min", 0.5, 0.4, True),
        ("min", 0.5, 0.5, False),
        ("min", 0.5, 0.6, False),
        ("max", math.nan, -1.0, True),
        ("max", math.nan, math.nan, False),
        ("max", -1.0, math.nan, False),
        ("min", math.nan, 9.0, True),
    ],
)
def test_an_epoch_is_better_by_its_score_and_any_number_better_than_none(mode, best, score, better):
    callback = BestOnDev("score", mode, None, save=lambda module: None)
    callback.load_state_dict({"history": [{"epoch": 1, "dev": {"score": best}, "best": True}]})
    assert callback._is_better(score) == better


def test_all_random_generators_go_on_from_what_was_saved():
    def drawn():
        return random.random(), np.random.rand(), torch.rand(1).item()

    states = RandomStates(seed=1)
    saved = states.state_dict()
    wanted = drawn()
    states.load_state_dict(saved)
    assert all(one != other for one, other in zip(drawn(), wanted, strict=True))
    states.on_train_start(None, None)
    assert drawn() == wanted
