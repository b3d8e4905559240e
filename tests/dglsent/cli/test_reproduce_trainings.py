"""What `dglsent reproduce` trains, as processes that end with it."""

from __future__ import annotations

import json
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from background import Background, fork, group_lives
from reproduced import HEAD
from tiny import TINY, Interrupted, recipe

from dglsent.reproduction import jobs

pytestmark = pytest.mark.usefixtures("reproducing")


def test_folds_and_what_was_interrupted(tmp_path, program, monkeypatch):
    """The training of the first fold is a fork, that of the second a process as it is, of which CPU it is told."""
    as_it_is = jobs._start

    def start(job, options):
        return fork(job, options) if job.fold == 0 else as_it_is(replace(job, cpu="DEFAULT"), options)

    monkeypatch.setattr(jobs, "_start", start)
    text = TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "tiny.Interrupted")
    text = re.sub(r"class_path: dglsent\.corpora.*\n.*\n", "class_path: tiny.Folds\n", text)
    file = recipe(tmp_path, text)
    table = recipe(
        tmp_path,
        HEAD + f"folds: 2\npapers: [{{paper: P, rows: [{{name: Folds, recipe: {file}, published: [1, null]}}]}}]\n",
        "table.yaml",
    )
    runs = tmp_path / "runs"
    Interrupted.batches_left = 12  # 60 trees in batches of 8: in the second epoch
    try:
        out = runs / "tiny/seed-3/fold-1"
        assert program("fit", file, "--seed", "3", "--corpus.fold", "1", "--out", out)[0] == 130
    finally:
        Interrupted.batches_left = None
    code, out, err = program("reproduce", table, "--seeds", "3", "--out", runs)
    assert code == 0, err
    assert "Folds seed 3 fold 1: done" in err
    log = (runs / "tiny/seed-3/fold-1.log").read_text()
    assert "epoch 1/2" not in log
    assert "epoch 2/2" in log
    folds = [json.loads((runs / f"tiny/seed-3/fold-{fold}/metrics.json").read_text()) for fold in (0, 1)]
    assert folds[1]["provenance"]["cpu"] == "DEFAULT"
    saved = json.loads((runs / "tables/table.json").read_text())
    (row,) = saved["rows"]
    mean = statistics.fmean(100 * fold["test"]["accuracy"] for fold in folds)
    assert saved["folds"] == 2
    assert row["ours"]["accuracy"] == {"mean": pytest.approx(mean), "sd": None, "values": [pytest.approx(mean)]}
    assert row["seeds"] == [3]
    assert row["seconds"] == pytest.approx(statistics.fmean(fold["seconds"] for fold in folds))
    assert "mean of 2 folds" in out
    assert row["folds"] == 2
    assert "of 2 folds)" not in out

    # The corpus is a class that nobody registered: runs of it are compared with the recipe all the same.
    weights = [runs / f"tiny/seed-3/fold-{fold}/weights.safetensors" for fold in (0, 1)]
    before = [file.stat().st_mtime_ns for file in weights]
    code, again, err = program("reproduce", table, "--seeds", "3", "--out", runs)
    assert (code, again, err) == (0, out, "")
    assert [file.stat().st_mtime_ns for file in weights] == before
    recipe(tmp_path, text.replace("hidden: 6", "hidden: 7"))
    code, out, err = program("reproduce", table, "--seeds", "3", "--out", runs)
    assert code == 0
    assert "its recipe has changed (encoder.init_args.hidden is 6 there and 7 here)" in out
    assert err.startswith("stale: Folds; ")


def test_a_corpus_without_folds_is_told(tmp_path, program):
    table = recipe(
        tmp_path,
        HEAD + f"folds: 2\npapers: [{{paper: P, rows: [{{name: No folds, recipe: {recipe(tmp_path)}}}]}}]\n",
        "table.yaml",
    )
    code, _, err = program("reproduce", table, "--out", tmp_path / "runs")
    assert code == 1
    assert "No folds: failed: " in err
    assert "corpus.fold" in err


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_trainings_end_with_the_command(how, tmp_path):
    """Ctrl-C ends it as SIGTERM does; `make chaos` sends that too."""
    file = recipe(tmp_path, TINY.replace("epochs: 2", "epochs: 100000"))
    table = recipe(tmp_path, HEAD + f"papers: [{{paper: P, rows: [{{name: Long, recipe: {file}}}]}}]\n", "table.yaml")
    runs = tmp_path / "runs"
    command = ["reproduce", str(table), "--out", str(runs)]
    process = Background(command, tmp_path / "said")
    end = time.monotonic() + 300
    while not (runs / "tiny/seed-1/resume.ckpt").exists():
        assert process.code is None
        assert time.monotonic() < end
        time.sleep(0.1)
    process.strike(how)
    assert process.wait(60) == (-how if how == signal.SIGKILL else 128 + how)
    assert "Traceback" not in process.said
    if how != signal.SIGKILL:
        assert f"stopped; to go on: dglsent {' '.join(command)}" in process.said
    while group_lives(process.pid):
        assert time.monotonic() < end
        time.sleep(0.1)
    assert not list(runs.glob("tiny/*/metrics.json"))
    assert not list(runs.rglob("*.lock"))


def test_trainings_do_not_import_from_the_working_folder(tmp_path):
    for name in ("dglsent", "graphs", "os", "sitecustomize", "contextlib", "importlib", "threading", "signal", "yaml"):
        (tmp_path / f"{name}.py").write_text("from pathlib import Path\nPath(__file__).with_name('marker').touch()\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for path in ({}, {"PYTHONPATH": ""}):
        # Its standard input stays open: at its end the training would be without its parent, and stop.
        with subprocess.Popen(
            [sys.executable, "-c", jobs._PROGRAM, str(jobs.HOME), "--version"],
            cwd=tmp_path,
            env=environment | path,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as training:
            assert training.stderr is not None
            assert (training.stderr.read(), training.wait()) == ("", 0)
        assert not (tmp_path / "marker").exists()
