from __future__ import annotations

import pytest

from dglsent.reproduction.results import _mean


def fold(seconds: float, accuracy: float, f1: float | None) -> dict:
    scores = {"accuracy": accuracy, "f1": f1}
    return {"dev": scores, "test": scores, "seconds": seconds, "epochs": 4, "best_epoch": 2, "seed": 1, "parameters": 7}


def test_a_seed_is_the_mean_of_its_folds_in_time_too():
    found = _mean([fold(10.0, 0.5, 0.25), fold(30.0, 0.75, None)])
    assert found["seconds"] == pytest.approx(20)
    assert found["test"] == {"accuracy": 0.625, "f1": None}
