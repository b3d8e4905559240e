from __future__ import annotations

import shutil

import pytest
from job_of_run import job_of

from dglsent.reproduction.staleness import stamped, unlike
from dglsent.reproduction.verification import verification_of
from dglsent.training.run import Run


@pytest.mark.parametrize(("seconds", "epochs"), [(9.0, 2), (11.0, 1)])
def test_of_long_epochs_the_first_alone_is_trained_again(seconds, epochs, trees_run, tmp_path):
    shutil.copytree(trees_run, tmp_path / "run")
    run = Run(tmp_path / "run")
    run.save_metrics({**run.metrics(), "seconds": seconds})
    again = verification_of(job_of(run), None).again
    assert again.own[:2] == ["--training.epochs", str(epochs)]


@pytest.mark.parametrize(("average", "left_out"), [(5, True), (8, True), (9, True), (0.999, False), (None, False)])
def test_a_mean_over_the_last_epochs_is_not_over_the_first(average, left_out, trees_run):
    """Of ten epochs two are trained again; a moving average runs from the first step."""
    run = Run(trees_run)
    config = run.config()
    config.training.epochs, config.training.average = 10, average
    again = verification_of(job_of(run, config), None).again
    assert again.own[:2] == ["--training.epochs", "2"]
    assert ("--training.average" in again.own) == left_out


def test_of_a_mean_over_all_epochs_the_first_is_what_it_was(trees_run):
    """The second is a mean of two, of which a run of two epochs that averages nothing knows nothing."""
    run = Run(trees_run)
    config = run.config()
    config.training.epochs = config.training.average = 10
    again = verification_of(job_of(run, config), None).again
    assert again.own[:2] == ["--training.epochs", "1"]
    assert again.own[again.own.index("--training.average") + 1] == "null"


def test_one_epoch_is_compared_with_the_first_and_the_run_says_so(trees_run):
    recorded = Run(trees_run).metrics()
    first, second = recorded["history"]
    assert unlike(recorded, {**recorded, "history": [first]}) is None
    assert "of epoch 1 was" in (unlike(recorded, {**recorded, "history": [second]}) or "")
    assert stamped(recorded, {**recorded, "history": [first]})["provenance"]["verified"][-1]["epochs"] == 1
