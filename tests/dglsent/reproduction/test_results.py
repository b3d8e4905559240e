from __future__ import annotations

from types import SimpleNamespace

import pytest

from dglsent.reproduction.results import Result, _mean, as_json, left_out
from dglsent.reproduction.table_text import as_text, spread
from dglsent.reproduction.tables import Row, Score, Table, load


def fold(seconds: float, accuracy: float, f1: float | None) -> dict:
    scores = {"dev": {"accuracy": 1 - accuracy, "f1": f1}, "test": {"accuracy": accuracy, "f1": f1}}
    return {**scores, "seconds": seconds, "epochs": 4, "best_epoch": 2, "seed": 1, "parameters": 7}


def test_a_seed_is_the_mean_of_its_folds_in_time_too():
    found = _mean([fold(10.0, 0.5, 0.25), fold(30.0, 0.75, None)])
    assert found["seconds"] == pytest.approx(20)
    assert found["test"] == {"accuracy": 0.625, "f1": None}
    assert found["dev"] == {"accuracy": 0.375, "f1": None}
    older = {**fold(30.0, 0.75, None), "test": {"accuracy": 0.75}}
    assert _mean([fold(10.0, 0.5, 0.25), older])["test"] == {"accuracy": 0.625}


@pytest.mark.parametrize(
    ("mean", "shown"), [(97.55, "97.6"), (94.25, "94.3"), (97.54999, "97.5"), (-0.04, "0.0"), (-0.25, "-0.3")]
)
def test_what_ends_in_five_is_rounded_away_from_zero(mean, shown):
    """As readers do, whatever the float is that stands for it."""
    assert spread({"mean": mean, "sd": None}, 1) == shown
    assert spread({"mean": 1, "sd": mean}, 1) == f"1.0 ({shown})"


@pytest.mark.parametrize(("ours", "shown"), [(93.5999, "+0.00"), (93.605, "+0.01"), (93.594, "-0.01")])
def test_a_difference_is_rounded_as_what_it_is_of(ours, shown):
    table = Table("t", "T", "C", [Score("accuracy", "test", "accuracy", "accuracy", 100.0)], [], percent=True)
    run = {**fold(10.0, ours / 100, None), "device": "cpu", "threads": 1, "versions": {}}
    text = as_text(table, [Result(Row("r", "P", "r.yaml", published=[93.6]), [run])], "")
    assert f"| {shown} " in text


def test_a_table_of_what_nobody_published_has_no_columns_for_it():
    """Such as one of somebody's own recipes."""
    table = Table("t", "T", "C", [Score("accuracy", "test", "accuracy", "accuracy", 100.0)], [], percent=True)
    run = {**fold(10.0, 0.5, None), "device": "cpu", "threads": 1, "versions": {}}
    text = as_text(table, [Result(Row("r", "P", "r.yaml"), [run]), Result(Row("s", "P", "s.yaml"), [])], "")
    assert "| row | recipe   | ours  | seeds | parameters | seconds a run |" in text
    assert "| r   | `r.yaml` | 50.00 | 1     | 7          | 10            |" in text
    assert "| s   | `s.yaml` | –     | –     | –          | –             |" in text
    assert "published" not in text


def test_the_time_of_a_row_is_the_mean_over_its_seeds():
    table = Table("t", "T", "C", [Score("accuracy", "test", "accuracy", "accuracy", 100.0)], [])
    rest = {"device": "cpu", "threads": 1, "versions": {}}
    runs = [{**fold(seconds, 0.5 + seconds / 1000, None), **rest} for seconds in (10.0, 20.0, 90.0)]
    (said,) = as_json(table, [Result(Row("r", "P", "r.yaml", published=[60.0]), runs)], "")["rows"]
    assert said["seconds"] == pytest.approx(40)
    assert said["difference"] == pytest.approx({"accuracy": -6})
    assert said["ours"]["accuracy"]["values"] == pytest.approx([51, 52, 59])


def test_folds_count_from_the_first_to_the_first_gap(tmp_path):
    for number in (0, 2, 3):
        (tmp_path / str(number)).touch()
    jobs = [SimpleNamespace(seed=1, run=SimpleNamespace(metrics_file=tmp_path / str(number))) for number in range(4)]
    assert left_out([jobs], 4) == ["seed 1 has 1 of 4 folds"]
    (tmp_path / "0").unlink()
    assert left_out([jobs], 4) == []


def test_a_score_of_another_scale_is_a_percentage_too(tmp_path):
    scores = "scores: {accuracy: A, mse: {label: MSE, times: 0.5}}"
    (tmp_path / "t.yaml").write_text(f"title: T\ncorpus: C\nsplit: test\npercent: true\npapers: []\n{scores}\n")
    assert [score.factor for score in load(str(tmp_path / "t.yaml")).scores] == [100, 50]


@pytest.mark.parametrize(
    ("splits", "shown"), [(["dev"], "dev"), (["test", "test"], "test"), (["test", "dev"], "test and dev")]
)
def test_a_table_says_of_which_splits_its_scores_are(splits, shown):
    scores = [Score(f"s{number}", split, "accuracy", "accuracy") for number, split in enumerate(splits)]
    text = as_text(Table("t", "T", "C", scores, []), [], "")
    assert f"C. Scores on {shown}: ours is the mean (standard deviation, n - 1) over seeds" in text
