from __future__ import annotations

import pytest

from dglsent.reproduction.results import _mean
from dglsent.reproduction.table_text import spread


def fold(seconds: float, accuracy: float, f1: float | None) -> dict:
    scores = {"accuracy": accuracy, "f1": f1}
    return {"dev": scores, "test": scores, "seconds": seconds, "epochs": 4, "best_epoch": 2, "seed": 1, "parameters": 7}


def test_a_seed_is_the_mean_of_its_folds_in_time_too():
    found = _mean([fold(10.0, 0.5, 0.25), fold(30.0, 0.75, None)])
    assert found["seconds"] == pytest.approx(20)
    assert found["test"] == {"accuracy": 0.625, "f1": None}


@pytest.mark.parametrize(
    ("mean", "shown"), [(97.55, "97.6"), (94.25, "94.3"), (97.54999, "97.5"), (-0.04, "0.0"), (-0.25, "-0.3")]
)
def test_what_ends_in_five_is_rounded_away_from_zero(mean, shown):
    """As readers do, whatever the float is that stands for it."""
    assert spread({"mean": mean, "sd": None}, 1) == shown
