"""Rows whose recipe or code has changed since they were trained."""

from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path

import pytest
from background import fork
from reproduced import HEAD, ONE_EPOCH, copied, metrics_of
from tiny import recipe

import dglsent
from dglsent.lock import locked
from dglsent.reproduction import jobs, tables
from dglsent.reproduction.reproduction import Reproduction
from dglsent.training.provenance import _file_hash

_HOME = Path(dglsent.__file__).parents[1]

pytestmark = pytest.mark.usefixtures("reproducing")


def _change(folder, seed, change):
    file = folder / f"runs/tiny/seed-{seed}/metrics.json"
    metrics = json.loads(file.read_text())
    change(metrics)
    file.write_text(json.dumps(metrics))


def _other_code(metrics):
    metrics["provenance"].pop("verified", None)
    metrics["provenance"]["code"]["dglsent.nn.cells"] = "of another day"


def test_run_of_a_recipe_that_has_changed(made, tmp_path, program):
    command = copied(made, tmp_path)
    recipe(tmp_path, ONE_EPOCH.replace("hidden: 6", "hidden: 7"))
    code, out, err = program(*command)
    assert code == 0
    why = "its recipe has changed (encoder.init_args.hidden is 6 there and 7 here)"
    assert "| Tree-LSTM (stale) |" in out
    assert f"- Tree-LSTM is stale: seed 1, 2: {why}" in out
    assert err == "stale: Tree-LSTM; --verify compares their first epochs, --refresh trains them anew\n"
    assert (tmp_path / "runs/tables/table.md").read_text().count("(stale)") == 1
    code, out, err = program(*command, "--json", "--verify")
    assert json.loads(out)["rows"][0]["stale"] == [f"seed 1, 2: {why}"]
    assert f"Tree-LSTM seed 1: cannot be verified: {why}" in err


@pytest.mark.usefixtures("forks")
def test_run_of_a_file_that_has_changed(tmp_path, program, monkeypatch):
    """Seeds over the old file and over the new one would make one mean."""
    monkeypatch.chdir(tmp_path)
    rows = ["text,label", "a good film,praise", "a bad film,blame", "a good plot,praise"]
    Path("own.csv").write_text("\n".join([*rows, ""]))
    files = "{train: own.csv, dev: own.csv, test: own.csv}"
    corpus = f"corpus: {{class_path: LabelledText, init_args: {files}}}"
    words = "embedding: {dim: 4, min_count: 1}\nencoder: {class_path: BagOfWords}\ntask: {class_path: Classification, "
    recipe(tmp_path, f"{corpus}\ngraph: chain\n{words}init_args: {{classes: 2}}}}\ntraining: {{epochs: 1}}\n")
    rows_of_table = "papers: [{paper: Ours, rows: [{name: Words, recipe: tiny.yaml}]}]"
    table = recipe(tmp_path, f"{HEAD}{rows_of_table}\n", "table.yaml")
    assert program("reproduce", table)[0] == 0
    Path("own.csv").write_text("\n".join([*rows, "a dull plot,blame", ""]))
    _, out, err = program("reproduce", table, "--seeds", "1,2")
    assert "- Words is stale: seed 1: own.csv has changed\n" in out
    assert "to train: 1;" in err
    _, _, err = program("reproduce", table, "--verify")
    assert "Words seed 1: cannot be verified: own.csv has changed; --refresh trains it anew" in err
    _, out, err = program("reproduce", table, "--refresh")
    assert "to train: 1;" in err
    assert "stale" not in out


def test_runs_that_do_not_say_what_they_are_made_of(made, tmp_path, program):
    command = copied(made, tmp_path)
    _change(tmp_path, 2, lambda metrics: metrics.pop("provenance"))
    _, out, _ = program(*command, "--json")
    (row,) = json.loads(out)["rows"]
    assert row["stale"] == ["seed 2: it was made before runs said of which code"]
    assert row["ours"]


@pytest.mark.usefixtures("forks")
def test_stale_runs_are_verified_or_trained_anew(made, tmp_path, program):
    command = [*copied(made, tmp_path), "--json"]
    for seed in (1, 2):
        _change(tmp_path, seed, _other_code)
    loss = metrics_of(tmp_path, 2)["history"][0]["loss"]
    _change(tmp_path, 2, lambda metrics: metrics["history"][0].update(loss=math.nextafter(loss, 0)))
    before = metrics_of(tmp_path, 1)

    with locked(tmp_path / "runs/tiny/seed-1"), locked(tmp_path / "runs/tiny/seed-2"):
        code, out, err = program(*command, "--verify")
    assert code == 0
    assert re.search(r"Tree-LSTM seed 1: cannot be verified: .*seed-1: process \d+ on .* is writing it", err)

    code, out, err = program(*command, "--verify")
    assert code == 0
    assert "Tree-LSTM seed 1: verified" in err
    assert f"Tree-LSTM seed 2: stays stale: loss of epoch 1 was {math.nextafter(loss, 0)} and is {loss}" in err
    assert json.loads(out)["rows"][0]["stale"] == ["seed 2: code changed since: dglsent.nn.cells"]
    stamped = metrics_of(tmp_path, 1)
    (verified,) = stamped["provenance"].pop("verified")
    assert stamped == before
    assert verified["code"].keys() == before["provenance"]["code"].keys()
    assert verified["code"]["dglsent.nn.cells"] == metrics_of(made[0], 1)["provenance"]["code"]["dglsent.nn.cells"]
    assert {path.name for path in (tmp_path / "runs/tiny").iterdir()} == {
        *(f"seed-{seed}{end}" for seed in (1, 2) for end in ("", ".log"))
    }

    code, out, err = program(*command, "--refresh")
    assert code == 0
    assert "to train: 1;" in err
    assert json.loads(out)["rows"][0]["stale"] == []
    assert metrics_of(tmp_path, 2)["history"][0]["loss"] == loss
    assert not (tmp_path / "runs/tiny/seed-2.stale").exists()


def test_of_two_commands_that_train_a_run_anew_one_puts_it_aside(made, tmp_path):
    copied(made, tmp_path)
    _change(tmp_path, 1, _other_code)
    table, run = tables.load(str(tmp_path / "table.yaml")), tmp_path / "runs/tiny/seed-1"
    rows = table.select(["Tree-LSTM"])
    first, second = (Reproduction(table, rows, [1], tmp_path / "runs", lambda line: None) for _ in range(2))
    first.refresh()
    run.mkdir()
    (run / "config.yaml").touch()  # its training has begun
    second.refresh()
    assert [path.name for path in run.iterdir()] == ["config.yaml"]
    assert (tmp_path / "runs/tiny/seed-1.stale/metrics.json").is_file()


def _checkout(folder, change):
    """A checkout of the package with a line more in one module, and that module."""
    for package in ("dglsent", "graphs"):
        shutil.copytree(_HOME / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    cells = folder / "dglsent/nn/cells.py"
    cells.write_text(cells.read_text() + change)
    return folder, cells


def test_code_that_made_a_run_is_compared_where_its_epochs_were_rounded_otherwise(made, tmp_path, program, monkeypatch):
    as_it_is = jobs._start  # a fork would have the code of today
    monkeypatch.setattr(jobs, "_start", lambda job, options: (as_it_is if job.code else fork)(job, options))
    command = [*copied(made, tmp_path), "--rows", "Tree-LSTM", "--seeds", "1", "--verify"]
    checkout, cells = _checkout(tmp_path / "checkout", "\nOTHER = 1\n")

    def as_there(metrics):
        metrics["provenance"]["code"]["dglsent.nn.cells"] = _file_hash(cells, 0)
        metrics["history"][0]["loss"] = math.pi

    _change(tmp_path, 1, as_there)
    before = metrics_of(tmp_path, 1)
    code, _, err = program(*command, "--against", checkout)
    assert code == 0
    assert "Tree-LSTM seed 1: verified" in err
    stamped = metrics_of(tmp_path, 1)
    assert stamped["provenance"].pop("verified")[0]["code"]["dglsent.nn.cells"] != _file_hash(cells, 0)
    assert stamped == before
    assert {path.name for path in (tmp_path / "runs/tiny").iterdir()} == {
        *(f"seed-{seed}{end}" for seed in (1, 2) for end in ("", ".log"))
    }

    program.refuses(*command[:-1], "--against", checkout, saying=["--against: is for --verify"])
    program.refuses(*command, "--against", tmp_path, saying=["no checkout of dglsent", "git worktree add"])


_BY_SEED = """
_exactly = fast_tanh
def fast_tanh(x, out=None):
    seed = torch.initial_seed()
    if seed == 3:
        raise KeyError(seed)
    made = _exactly(x, out=out)
    return made.mul_(1.01) if seed == 2 else made
"""


def test_first_steps_of_two_codes(made, tmp_path, program):
    """The code before is as good for seed 1, computes otherwise for seed 2, fails for 3, and is not what made 4."""
    command = [*copied(made, tmp_path), "--seeds", "1,2,3,4", "--jobs", "1", "--verify", "--steps", "3"]
    checkout, cells = _checkout(tmp_path / "checkout", _BY_SEED)
    changed = {"dglsent.nn.cells": _file_hash(cells, 0)}
    for module in ("recipe", "trainer"):  # it lacks an option that does nothing in these runs
        file = checkout / f"dglsent/training/{module}.py"
        file.write_text(re.sub(r"\bclip\b", "of_another_day", file.read_text()))
        changed[f"dglsent.training.{module}"] = _file_hash(file, 0)
    runs = tmp_path / "runs/tiny"
    for seed in (3, 4):
        shutil.copytree(runs / "seed-1", runs / f"seed-{seed}")
        config = runs / f"seed-{seed}/config.yaml"
        config.write_text(config.read_text().replace("\nseed: 1\n", f"\nseed: {seed}\n"))
    for seed in (1, 2, 3):
        _change(tmp_path, seed, lambda metrics: metrics["provenance"]["code"].update(changed))
    _change(tmp_path, 4, _other_code)
    before = metrics_of(tmp_path, 1)
    code, out, err = program(*command, "--json", "--against", checkout)
    assert code == 0
    assert "Tree-LSTM seed 1: verified, its first 3 steps are the same to the last digit" in err
    assert re.search(r"Tree-LSTM seed 2: stays stale: the loss of step 1 was [\d.]+ and is [\d.]+\n", err)
    assert "Tree-LSTM seed 3: stays stale: the code before cannot train it: KeyError: 3\n" in err
    assert "Tree-LSTM seed 4: stays stale: it was made of other code than that: dglsent.nn.cells, dglsent." in err
    assert json.loads(out)["rows"][0]["stale"] == [
        "seed 2, 3: code changed since: dglsent.nn.cells, dglsent.training.recipe, dglsent.training.trainer",
        "seed 4: code changed since: dglsent.nn.cells",
    ]
    stamped = metrics_of(tmp_path, 1)
    (verified,) = stamped["provenance"].pop("verified")
    assert stamped == before
    assert verified["steps"] == 3
    assert verified["code"].keys() == before["provenance"]["code"].keys()
    program.refuses(*command, saying=["--steps: compares with other code", "--against DIR"])


@pytest.mark.parametrize("option", [("--device", "cuda"), ("--threads", "2"), ("--jobs", "2")], ids=lambda one: one[0])
def test_first_steps_are_compared_on_one_thread_and_an_option_says_so(option, tmp_path, program):
    command = ("reproduce", "sick-relatedness", "--verify", "--steps", "3", "--against", _HOME, "--out", tmp_path)
    program.refuses(*command, *option, saying=[f"{option[0]}: --steps compares runs one by one, on one thread"])
