from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from background import Background
from tiny import TINY, Interrupted, recipe

import dglsent
from dglsent.cli.main import main
from dglsent.lock import locked
from dglsent.reproduction import jobs, tables
from dglsent.reproduction.table_text import as_text
from dglsent.training import recipe as recipes
from dglsent.training.provenance import _file_hash

_HOME = Path(dglsent.__file__).parents[1]

ONE_EPOCH = TINY.replace("epochs: 2", "epochs: 1").replace("classes: 5", "classes: 5, phrases: false")

HEAD = """
title: Tiny reviews
corpus: built-in reviews
split: test
scores: {accuracy: accuracy, dev.accuracy: dev accuracy}
percent: true
"""

TABLE = (
    HEAD
    + """
papers:
  - paper: Somebody 2020, table 1
    rows:
      - {name: Tree-LSTM, recipe: FOLDER/tiny.yaml, published: [50.0, null], sd: [1.5, null], note: has small states}
      - {name: Broken, recipe: FOLDER/broken.yaml, published: [1.0, 2.0]}
      - {name: Nowhere, recipe: sick/nowhere}
  - paper: Another 2021, table 2
    rows:
      - {name: Quoted, published: [60.5, null]}
"""
)

# The trainings are processes of their own, which must find `tiny` too.
PATHS = os.pathsep.join(map(str, (Path(__file__).parents[3], Path(__file__).parents[1])))


def _environment(patch):
    patch.setenv("PYTHONPATH", PATHS)
    patch.setenv("OMP_NUM_THREADS", "1")


def _forks(patch):
    """Trainings are forks of a process that has imported everything; some tests below have them as they are."""
    patch.setattr(jobs, "_start", _fork)


def _fork(job, options):
    job.log.parent.mkdir(parents=True, exist_ok=True)
    return Training(job.command(options)[4:], job.log)


class Training(Background):
    """One that its parent may stop."""

    def terminate(self):
        self.strike(signal.SIGTERM)

    def kill(self):
        self.strike(signal.SIGKILL)


@pytest.fixture
def forks(monkeypatch):
    _forks(monkeypatch)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    _environment(monkeypatch)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A table of which one row works: its folder, and what its command said."""
    folder = tmp_path_factory.mktemp("table")
    recipe(folder, ONE_EPOCH)
    recipe(folder, ONE_EPOCH.replace("dim: 8", "dim: 8, vectors: nowhere.txt"), "broken.yaml")
    table = recipe(folder, TABLE.replace("FOLDER", str(folder)), "table.yaml")
    command = ["reproduce", table, "--seeds", "1,2", "--jobs", "2", "--out", folder / "runs", "--data", folder]
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        _environment(patch)
        _forks(patch)
        code = main([str(argument) for argument in command])
    return folder, command, SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())


def _metrics(folder, seed):
    return json.loads((folder / f"runs/tiny/seed-{seed}/metrics.json").read_text())


def test_what_failed_is_told_in_a_line_and_the_rest_is_done(made):
    folder, _, result = made
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert [line for line in lines if line.startswith("Nowhere")] == [
        "Nowhere: failed: no recipe 'sick/nowhere'; `dglsent recipes` lists them"
    ] or any(line.startswith("Nowhere: failed: no recipe 'sick/nowhere'; did you mean") for line in lines)
    (broken,) = [line for line in lines if line.startswith("Broken")]
    assert re.match(r"Broken seed [12]: failed: .*nowhere\.txt: no word vectors there", broken)
    assert str(folder / "runs/broken/seed-") in broken
    done = [line for line in lines if line.startswith("Tree-LSTM")]
    for line, seed in zip(sorted(done), (1, 2), strict=True):
        score = _metrics(folder, seed)["test"]["accuracy"]
        assert line.startswith(f"Tree-LSTM seed {seed}: done {score:.4f} (")
    assert lines[-1] == "failed: Nowhere, Broken; the same command tries again"
    assert "epoch 1/1" in (folder / "runs/tiny/seed-1.log").read_text()


def test_json_is_computed_from_the_runs(made):
    folder, _, _ = made
    table = json.loads((folder / "runs/tables/table.json").read_text())
    row, broken, nowhere, quoted = table["rows"]
    runs = [_metrics(folder, seed) for seed in (1, 2)]
    for key, split in (("accuracy", "test"), ("dev.accuracy", "dev")):
        values = [100 * run[split]["accuracy"] for run in runs]
        assert row["ours"][key]["values"] == pytest.approx(values)
        assert row["ours"][key]["mean"] == pytest.approx(statistics.fmean(values))
        assert row["ours"][key]["sd"] == pytest.approx(statistics.stdev(values))
    assert len({run["history"][0]["loss"] for run in runs}) == 2
    assert row["published"] == {"accuracy": {"mean": 50.0, "sd": 1.5}}
    assert row["difference"] == {"accuracy": pytest.approx(row["ours"]["accuracy"]["mean"] - 50)}
    assert row["seeds"] == [1, 2]
    assert row["parameters"] == runs[0]["parameters"]
    assert row["seconds"] == pytest.approx(statistics.fmean(run["seconds"] for run in runs))
    assert row["runs"] == [str(folder / f"runs/tiny/seed-{seed}") for seed in (1, 2)]
    assert (broken["ours"], nowhere["ours"], quoted["ours"]) == (None, None, None)
    assert (quoted["recipe"], quoted["paper"]) == (None, "Another 2021, table 2")


def test_markdown(made):
    folder, command, result = made
    text = (folder / "runs/tables/table.md").read_text()
    assert result.stdout == text
    runs = [_metrics(folder, seed) for seed in (1, 2)]
    values, dev = ([100 * run[split]["accuracy"] for run in runs] for split in ("test", "dev"))
    mean, sd = statistics.fmean(values), statistics.stdev(values)
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    assert cells[0][:6] == ["row", "recipe", "score", "published", "ours", "difference"]
    assert cells[0][6:] == ["seeds", "parameters", "seconds a run"]
    seconds = statistics.fmean(run["seconds"] for run in runs)
    shown = [f"`{folder}/tiny.yaml`", "accuracy", "50.0 (1.5)", f"{mean:.2f} ({sd:.2f})", f"{mean - 50:+.2f}"]
    assert cells[2] == ["Tree-LSTM", *shown, "2", f"{runs[0]['parameters']:,}", f"{seconds:.0f}"]
    assert cells[3][2:6] == [
        "dev accuracy",
        "–",
        f"{statistics.fmean(dev):.2f} ({statistics.stdev(dev):.2f})",
        "–",
    ]
    assert cells[4] == ["Broken", f"`{folder}/broken.yaml`", "accuracy", "1.0", *"–––––"]
    assert ["Quoted", "quoted", "accuracy", "60.5", *"–––––"] in cells
    assert "- Tree-LSTM: has small states" in text
    assert text.index("## Somebody 2020, table 1") < text.index("## Another 2021, table 2")
    assert f"dglsent {' '.join(map(str, command))}" in text
    tables_ = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert all(len({len(line) for line in lines}) == 1 for lines in tables_)


def test_nothing_is_trained_twice_and_one_row_is_shown_alone(made, program):
    folder, command, _ = made
    weights = folder / "runs/tiny/seed-1/weights.safetensors"
    before = weights.stat().st_mtime_ns
    code, out, err = program(*command, "--rows", "Tree-LSTM,Quoted", "--json")
    assert code == 0
    assert err == ""
    assert weights.stat().st_mtime_ns == before
    shown = json.loads(out)["rows"]
    assert [row["name"] for row in shown] == ["Tree-LSTM", "Quoted"]
    whole = json.loads((folder / "runs/tables/table.json").read_text())["rows"]
    assert [row["name"] for row in whole] == ["Tree-LSTM", "Broken", "Nowhere", "Quoted"]
    assert whole[0] == shown[0]
    code, out, _ = program(*command, "--rows", f"{folder}/tiny.yaml", "--seeds", "2")
    assert code == 0
    line = next(line for line in out.splitlines() if line.startswith("| Tree-LSTM"))
    value = 100 * _metrics(folder, 2)["test"]["accuracy"]
    assert [cell.strip() for cell in line.split("|")][5] == f"{value:.2f}"


def _copied(made, folder):
    """The table and its runs in another folder, with the command that shows its one row that works."""
    shutil.copytree(made[0], folder, dirs_exist_ok=True)
    table = recipe(folder, TABLE.replace("FOLDER", str(folder)), "table.yaml")
    return ["reproduce", table, "--seeds", "1,2", "--jobs", "2", "--out", folder / "runs", "--rows", "Tree-LSTM"]


def _change(folder, seed, change):
    file = folder / f"runs/tiny/seed-{seed}/metrics.json"
    metrics = json.loads(file.read_text())
    change(metrics)
    file.write_text(json.dumps(metrics))


def _other_code(metrics):
    metrics["provenance"]["code"]["dglsent.nn.cells"] = "of another day"


def test_run_of_a_recipe_that_has_changed(made, tmp_path, program):
    command = _copied(made, tmp_path)
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


def test_runs_that_do_not_say_what_they_are_made_of(made, tmp_path, program):
    command = _copied(made, tmp_path)
    _change(tmp_path, 2, lambda metrics: metrics.pop("provenance"))
    _, out, _ = program(*command, "--json")
    (row,) = json.loads(out)["rows"]
    assert row["stale"] == ["seed 2: it was made before runs said of which code"]
    assert row["ours"]


@pytest.mark.usefixtures("forks")
def test_stale_runs_are_verified_or_trained_anew(made, tmp_path, program):
    command = [*_copied(made, tmp_path), "--json"]
    for seed in (1, 2):
        _change(tmp_path, seed, _other_code)
    loss = _metrics(tmp_path, 2)["history"][0]["loss"]
    _change(tmp_path, 2, lambda metrics: metrics["history"][0].update(loss=math.nextafter(loss, 0)))
    before = _metrics(tmp_path, 1)

    with locked(tmp_path / "runs/tiny/seed-1"), locked(tmp_path / "runs/tiny/seed-2"):
        code, out, err = program(*command, "--verify")
    assert code == 0
    assert re.search(r"Tree-LSTM seed 1: cannot be verified: .*seed-1: process \d+ on .* is writing it", err)

    code, out, err = program(*command, "--verify")
    assert code == 0
    assert "Tree-LSTM seed 1: verified" in err
    assert f"Tree-LSTM seed 2: stays stale: loss of epoch 1 was {math.nextafter(loss, 0)} and is {loss}" in err
    assert json.loads(out)["rows"][0]["stale"] == ["seed 2: code changed since: dglsent.nn.cells"]
    stamped = _metrics(tmp_path, 1)
    (verified,) = stamped["provenance"].pop("verified")
    assert stamped == before
    assert verified["code"].keys() == before["provenance"]["code"].keys()
    assert verified["code"]["dglsent.nn.cells"] == _metrics(made[0], 1)["provenance"]["code"]["dglsent.nn.cells"]
    assert {path.name for path in (tmp_path / "runs/tiny").iterdir()} == {
        *(f"seed-{seed}{end}" for seed in (1, 2) for end in ("", ".log"))
    }

    code, out, err = program(*command, "--refresh")
    assert code == 0
    assert "to train: 1;" in err
    assert json.loads(out)["rows"][0]["stale"] == []
    assert _metrics(tmp_path, 2)["history"][0]["loss"] == loss
    assert not (tmp_path / "runs/tiny/seed-2.stale").exists()


def test_code_that_made_a_run_is_compared_where_its_epochs_were_rounded_otherwise(made, tmp_path, program):
    command = [*_copied(made, tmp_path), "--rows", "Tree-LSTM", "--seeds", "1", "--verify"]
    checkout = tmp_path / "checkout"
    for package in ("dglsent", "graphs"):
        shutil.copytree(_HOME / package, checkout / package, ignore=shutil.ignore_patterns("__pycache__"))
    cells = checkout / "dglsent/nn/cells.py"
    cells.write_text(cells.read_text() + "\nOTHER = 1\n")

    def as_there(metrics):
        metrics["provenance"]["code"]["dglsent.nn.cells"] = _file_hash(cells, 0)
        metrics["history"][0]["loss"] = math.pi

    _change(tmp_path, 1, as_there)
    before = _metrics(tmp_path, 1)
    code, _, err = program(*command, "--against", checkout)
    assert code == 0
    assert "Tree-LSTM seed 1: verified" in err
    stamped = _metrics(tmp_path, 1)
    assert stamped["provenance"].pop("verified")[0]["code"]["dglsent.nn.cells"] != _file_hash(cells, 0)
    assert stamped == before
    assert {path.name for path in (tmp_path / "runs/tiny").iterdir()} == {
        *(f"seed-{seed}{end}" for seed in (1, 2) for end in ("", ".log"))
    }

    program.refuses(*command[:-1], "--against", checkout, saying=["--against: is for --verify"])
    program.refuses(*command, "--against", tmp_path, saying=["no checkout of dglsent", "git worktree add"])


def test_unknown_score(made, tmp_path, program):
    folder, _, _ = made
    text = TABLE.replace("FOLDER", str(folder)).replace("{accuracy: accuracy,", "{pearson: r,")
    table = recipe(tmp_path, text, "other.yaml")
    code, _, err = program("reproduce", table, "--out", folder / "runs", "--rows", "Tree-LSTM")
    assert code == 1
    assert "has no score 'pearson', which table other shows; it has accuracy" in err


def test_folds_and_what_was_interrupted(tmp_path, program, monkeypatch):
    """The training of the first fold is a fork, that of the second a process as it is, of which CPU it is told."""
    as_it_is = jobs._start

    def start(job, options):
        return _fork(job, options) if job.fold == 0 else as_it_is(replace(job, cpu="DEFAULT"), options)

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


def test_a_seed_counts_when_its_folds_are_all_there(tmp_path, program):
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
    _wait_for_group(process.pid, end)
    assert not list(runs.glob("tiny/*/metrics.json"))
    assert not list(runs.rglob("*.lock"))


def _wait_for_group(group: int, end: float) -> None:
    """Until no process of a group is left; those that nobody waits for, this system may keep as zombies."""
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        listed = subprocess.run(["ps", "-e", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
        states = [line.split()[1] for line in listed.splitlines() if line.split()[0] == str(group)]
        if all(state.startswith("Z") for state in states):
            return
        time.sleep(0.1)
    raise AssertionError(f"processes of {group} are left")


def test_trainings_do_not_import_from_the_working_folder(tmp_path):
    for name in ("dglsent", "graphs", "os", "sitecustomize", "contextlib", "importlib", "threading", "signal", "yaml"):
        (tmp_path / f"{name}.py").write_text("from pathlib import Path\nPath(__file__).with_name('marker').touch()\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for path in ({}, {"PYTHONPATH": ""}):
        # Its standard input stays open: at its end the training would be without its parent, and stop.
        with subprocess.Popen(
            [sys.executable, "-c", jobs._PROGRAM, str(jobs._HOME), "--version"],
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


def test_refused(tmp_path, program):
    program.refuses("reproduce", saying=["TABLE", "--list"])
    program.refuses("reproduce", "sick-relatednes", saying=["did you mean sick-relatedness"])
    program.refuses("reproduce", "sst1", "--rows", "TreLSTM", saying=["no row 'TreLSTM'", "TreeLSTM"])
    program.refuses("reproduce", "sst1", "--data", tmp_path / "no", saying=["no such folder"])
    program.refuses("reproduce", "sst1", "--training.epochs", "3", saying=["unrecognized", "--training.epochs"])
    for text, what in (
        ("title: [", "while parsing"),
        ("title: A\n", "key 'split' is missing"),
        (HEAD + "papers: [{paper: P, rows: [{nam: A}]}]\n", "nam"),
        (HEAD + "papers: [{paper: P, rows: [{name: A, published: [1]}]}]\n", "'A': published has 1 numbers for 2"),
        (HEAD + "paper: P\npapers: []\n", "paper"),
    ):
        program.refuses("reproduce", recipe(tmp_path, text, "table.yaml"), saying=["table.yaml: not a table", what])


def test_list(program):
    code, out, _ = program("reproduce", "--list")
    assert code == 0
    listed = [line.split(None, 1) for line in out.splitlines()]
    assert [name for name, _ in listed] == tables.names()
    assert {"sick-relatedness", "msrp", "ai2", "msrpar", "quora", "sst1", "sst2", "mr", "subj", "trec"} < {
        name for name, _ in listed
    }


@pytest.mark.parametrize("name", tables.names())
def test_built_in_tables(name):
    table = tables.load(name)
    assert len({(row.paper, row.name) for row in table.rows}) == len(table.rows)
    assert any(row.recipe and any(row.published) for row in table.rows)
    for row in table.rows:
        assert row.recipe or any(row.published)
        # Percentages look like percentages, other scores like fractions.
        for number in row.published:
            assert number is None or ((10 < number < 100) if table.percent else (0 < number < 1))
    assert table.title in as_text(table, [], "")


def test_every_recipe_of_a_table_exists():
    known = recipes.names()
    missing = sorted({row.recipe for name in tables.names() for row in tables.load(name).rows if row.recipe} - {*known})
    assert missing == []
