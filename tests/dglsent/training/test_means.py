from __future__ import annotations

import pytest
from jsonargparse import Namespace

from dglsent.training.means import aggregate, finished_seeds, mean_and_sd, score_text
from dglsent.training.run import Run
from graphs.errors import InputError


def run(seed: int, accuracy: float, f1: float | None) -> dict:
    scores = {"dev": {"accuracy": 1 - accuracy, "f1": f1}, "test": {"accuracy": accuracy, "f1": f1}}
    rest = {"epochs": 4 * seed, "best_epoch": 2 * seed, "seconds": 1.0 * seed, "parameters": 7, "versions": {}}
    return {"seed": seed, **scores, **rest}


def test_deviations_are_those_of_a_sample():
    assert mean_and_sd([1.0, 2.0, 6.0]) == pytest.approx({"mean": 3.0, "sd": 7**0.5})
    assert mean_and_sd([1.0]) == {"mean": 1.0, "sd": None}
    assert mean_and_sd([1.0, 2.0, None]) == {"mean": None, "sd": None}
    found = aggregate([run(1, 0.5, None), run(2, 0.7, 0.6)])
    accuracy = found["test"]["accuracy"]
    assert (accuracy["mean"], accuracy["sd"]) == pytest.approx((0.6, 0.02**0.5))
    assert accuracy["values"] == [0.5, 0.7]
    assert found["dev"]["accuracy"]["values"] == pytest.approx([0.5, 0.3])
    assert (found["epochs"], found["best_epoch"], found["seconds"]) == ([4, 8], [2, 4], [1.0, 2.0])
    assert (score_text(0.0), score_text(None)) == ("0.0000", "undefined")
    assert found["dev"]["f1"] == {"mean": None, "sd": None, "values": [None, 0.6]}


def test_scores_are_those_that_all_runs_have():
    """A run of older code may lack some."""
    older = run(2, 0.7, 0.6)
    older["test"] = {"accuracy": 0.7}
    newer = run(1, 0.5, None)
    another = run(3, 0.6, 0.4)
    for runs in ([newer, older], [older, newer], [newer, older, another], [newer, another, older]):
        found = aggregate(runs)
        assert (list(found["dev"]), list(found["test"])) == (["accuracy", "f1"], ["accuracy"])


def test_seeds_stand_in_their_order_as_numbers(tmp_path, monkeypatch):
    def is_finished(run, config, data):
        if config.seed == 5:
            raise InputError("a run of another configuration")
        return config.seed != 7

    monkeypatch.setattr(Run, "is_finished", is_finished)
    for seed in (30, 9, 7, 2, 10, 5, 1):
        (tmp_path / f"seed-{seed}").mkdir()
        Run(tmp_path / f"seed-{seed}").save_metrics(run(seed, 0.5, None))
    (tmp_path / "seed-4").mkdir()
    for other in ("seed-old", "old/seed-3"):  # that somebody put aside
        (tmp_path / other).mkdir(parents=True)
        Run(tmp_path / other).save_metrics(run(3, 0.5, None))
    assert [one["seed"] for one in finished_seeds(tmp_path, Namespace(seed=0))] == [1, 2, 9, 10, 30]
