from __future__ import annotations

import errno
import json
import shutil
from contextlib import contextmanager
from threading import Event, Thread, Timer

import pytest
from background import fork
from job_of_run import job_of
from tiny import TINY, recipe

from dglsent.cli.main import main
from dglsent.lock import locked
from dglsent.reproduction import jobs, tables
from dglsent.reproduction.ledger import Ledger, _record
from dglsent.reproduction.staleness import stale, stamped, unlike
from dglsent.training.provenance import hash_of_text
from dglsent.training.run import Run

TABLE = """
title: Tiny reviews
corpus: built-in reviews
split: test
scores: {accuracy: accuracy}
papers: [{paper: P, rows: [{name: Tree-LSTM, recipe: FOLDER/tiny.yaml}, {name: Quoted, recipe: null}]}]
"""


@pytest.fixture
def reproduced(tmp_path, trees_run, capsys):
    """Runs `dglsent reproduce` on a table whose one row is trained, with a ledger: its code, row and errors."""
    recipe(tmp_path, TINY)
    table = recipe(tmp_path, TABLE.replace("FOLDER", str(tmp_path)), "table.yaml")
    shutil.copytree(trees_run, tmp_path / "runs/tiny/seed-1")

    def reproduced(*arguments):
        command = ["reproduce", table, "--out", tmp_path / "runs", "--ledger", tmp_path / "ledger", *arguments]
        code = main([str(each) for each in command])
        return code, capsys.readouterr().err

    return reproduced


def row(folder):
    return json.loads((folder / "ledger/table.json").read_text())["rows"][0]


def test_a_machine_without_the_runs_knows_their_numbers_and_can_verify_them(reproduced, tmp_path, trees_run):
    assert reproduced() == (0, "")
    kept = row(tmp_path)
    assert kept["seeds"] == [1]
    assert kept["stale"] == []
    shutil.rmtree(tmp_path / "runs")

    assert reproduced() == (0, "")  # nothing was trained
    assert row(tmp_path) == kept
    run, original = Run(tmp_path / "runs/tiny/seed-1"), Run(trees_run)
    assert not run.weights_file.exists()
    assert run.metrics() == original.metrics()  # of two epochs
    assert unlike(run.metrics(), original.metrics()) is None
    assert stale(job_of(run)) is None


def test_a_run_that_is_put_back_is_whole_or_not_there(reproduced, tmp_path, monkeypatch):
    reproduced()
    kept = row(tmp_path)
    shutil.rmtree(tmp_path / "runs")

    def killed(self, metrics):
        raise KeyboardInterrupt

    ledger = Ledger(tmp_path / "ledger", tables.load(str(tmp_path / "table.yaml")))
    with monkeypatch.context() as patch:
        patch.setattr(Run, "save_metrics", killed)
        with pytest.raises(KeyboardInterrupt):
            ledger.put_back(tmp_path / "runs")
    assert not (tmp_path / "runs/tiny/seed-1").exists()
    assert reproduced() == (0, "")  # nothing was trained
    assert row(tmp_path) == kept


def test_a_run_that_does_not_say_of_which_code_it_is_stays_out(reproduced, tmp_path):
    run = Run(tmp_path / "runs/tiny/seed-1")
    run.save_metrics({name: value for name, value in run.metrics().items() if name != "provenance"})
    code, err = reproduced()
    assert code == 0
    assert "stale: Tree-LSTM" in err
    assert row(tmp_path)["records"] == []


def test_other_code_makes_what_the_ledger_knows_stale(reproduced, tmp_path):
    reproduced()
    shutil.rmtree(tmp_path / "runs")
    file = tmp_path / "ledger/table.json"
    file.write_text(file.read_text().replace('"dglsent.nn.cells": "', '"dglsent.nn.cells": "0'))
    code, err = reproduced()
    assert code == 0
    assert "stale: Tree-LSTM; --verify compares" in err
    assert row(tmp_path)["stale"] == ["seed 1: code changed since: dglsent.nn.cells"]


def test_of_its_verifications_the_ledger_keeps_the_last(reproduced, tmp_path):
    run = Run(tmp_path / "runs/tiny/seed-1")
    made = run.metrics()
    code = made["provenance"]["code"]
    for version, then in (("8", {**code, "dglsent.nn.cells": "0"}), ("9", code)):
        again = {**made, "provenance": {**made["provenance"], "version": version, "code": then}}
        run.save_metrics(stamped(run.metrics(), again))
    assert reproduced() == (0, "")
    (record,) = row(tmp_path)["records"]
    assert [each["version"] for each in record["metrics"]["provenance"]["verified"]] == ["9"]
    assert len(json.loads((tmp_path / "ledger/table.json").read_text())["code"]) == 1, "code that no record names"


def test_an_older_copy_of_a_run_does_not_undo_its_verification(reproduced, tmp_path):
    run = Run(tmp_path / "runs/tiny/seed-1")
    older = run.metrics()
    run.save_metrics(stamped(older, {**older, "provenance": {**older["provenance"], "version": "9"}}))
    reproduced()
    kept = row(tmp_path)
    run.save_metrics(older)
    assert reproduced() == (0, "")
    assert row(tmp_path) == kept
    assert [each["version"] for each in run.metrics()["provenance"]["verified"]] == ["9"]
    assert reproduced() == (0, "")  # it is told once
    assert len(run.metrics()["provenance"]["verified"]) == 1

    another = {**older, "seconds": older["seconds"] + 1}
    run.save_metrics(another)
    assert reproduced() == (0, "")
    assert "verified" not in run.metrics()["provenance"]


def test_a_verification_with_the_code_of_today_outlives_one_of_other_code_elsewhere(reproduced, tmp_path):
    run = Run(tmp_path / "runs/tiny/seed-1")
    made = run.metrics()
    code = made["provenance"]["code"]
    here, older, other = (
        {**made, "provenance": {**made["provenance"], "version": version, "code": {**code, "dglsent.nn.cells": cells}}}
        for version, cells in (("9", code["dglsent.nn.cells"]), ("7", "0"), ("8", "1"))
    )
    run.save_metrics(stamped(older, other))
    reproduced()
    run.save_metrics(stamped(older, here))
    for _ in range(3):
        assert reproduced() == (0, "")
        (record,) = row(tmp_path)["records"]
        assert [each["version"] for each in record["metrics"]["provenance"]["verified"]] == ["9", "8"]
        shutil.rmtree(tmp_path / "runs")


def test_a_stale_run_does_not_replace_the_training_of_the_ledger_that_is_not(reproduced, tmp_path):
    """As where another machine has trained it anew."""
    run = Run(tmp_path / "runs/tiny/seed-1")
    old = run.metrics()
    reproduced()
    kept = row(tmp_path)
    old["provenance"]["code"]["dglsent.nn.cells"] = "0"
    run.save_metrics({**old, "seconds": old["seconds"] + 1, "test": {"accuracy": 0.125}})
    code, err = reproduced()
    assert (code, f"table.json, whose numbers stay; delete {run.path}" in err) == (0, True), err
    assert row(tmp_path) == kept
    shutil.rmtree(run.path)
    assert reproduced() == (0, "")
    assert (row(tmp_path), run.metrics()["test"]) == (kept, kept["records"][0]["metrics"]["test"])

    run.save_metrics({**run.metrics(), "seconds": old["seconds"] + 1, "test": {"accuracy": 0.125}})
    assert reproduced() == (0, "")
    assert row(tmp_path)["ours"]["accuracy"]["mean"] == 0.125, "one that is not stale counts"


def test_files_of_ones_own_make_no_training_of_the_ledger_the_newer(reproduced, tmp_path):
    """A record does not say with which files it was made."""
    words = tmp_path / "own.vec"
    words.write_text("film 0 1\n")
    recipe(tmp_path, TINY.replace("dim: 8", f"dim: 8, vectors: {words}"))
    run = Run(tmp_path / "runs/tiny/seed-1")
    run.config_file.write_text(run.config_file.read_text().replace("vectors: null", f"vectors: {words}"))
    made = run.metrics()
    made["provenance"]["recipe"] = hash_of_text(job_of(run).text)
    run.save_metrics(made)
    assert reproduced() == (0, "")
    run.sources_file.write_text(json.dumps({str(words): "of another file"}))
    run.save_metrics({**made, "seconds": made["seconds"] + 1, "test": {"accuracy": 0.125}})
    _, err = reproduced()
    assert err == "stale: Tree-LSTM; --verify compares their first epochs, --refresh trains them anew\n"
    assert row(tmp_path)["ours"]["accuracy"]["mean"] == 0.125


def test_a_verification_leaves_the_command_that_made_the_numbers(reproduced, tmp_path):
    def command():
        return json.loads((tmp_path / "ledger/table.json").read_text())["command"]

    assert reproduced("--verify") == (0, "")
    assert "--verify" in command()  # where no other command has made any
    assert reproduced() == (0, "")
    made = command()
    assert "--verify" not in made
    assert reproduced("--verify") == (0, "")
    assert command() == made


def test_other_seeds_join_those_of_the_ledger(reproduced, tmp_path):
    reproduced()
    shutil.move(tmp_path / "runs/tiny/seed-1", tmp_path / "runs/tiny/seed-7")
    other = Run(tmp_path / "runs/tiny/seed-7")
    first = other.metrics()["test"]["accuracy"]
    other.save_metrics({**other.metrics(), "seed": 7, "test": {"accuracy": 0.125}})
    other.config_file.write_text(other.config_file.read_text().replace("seed: 1", "seed: 7"))
    assert reproduced("--seeds", "7") == (0, "")
    kept = row(tmp_path)
    assert kept["seeds"] == [record["seed"] for record in kept["records"]] == [1, 7]
    assert kept["ours"]["accuracy"]["values"] == pytest.approx([first, 0.125])
    assert first != 0.125


def test_a_number_stays_where_its_runs_are_not_made_anew(reproduced, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "_start", fork)
    reproduced()
    kept = row(tmp_path)
    shutil.rmtree(tmp_path / "runs")
    recipe(tmp_path, TINY.replace("hidden: 6", "hidden: 7"))
    code, err = reproduced("--rows", "Quoted")
    assert (code, "its recipe was another" in err) == (0, True)
    assert row(tmp_path) == kept
    recipe(tmp_path, TINY.replace("vectors: null", "").replace("dim: 8", "dim: 8, vectors: nowhere.txt"))
    assert reproduced("--refresh")[0] == 1
    assert row(tmp_path) == kept
    code = json.loads((tmp_path / "ledger/table.json").read_text())["code"]
    assert kept["records"][0]["metrics"]["provenance"]["code"] in code


def test_another_recipe_and_a_damaged_ledger(reproduced, tmp_path):
    reproduced()
    file = tmp_path / "ledger/table.json"
    whole = file.read_text()
    shutil.rmtree(tmp_path / "runs")
    made_of = json.loads(whole)["rows"][0]["records"][0]["metrics"]["provenance"]["recipe"]
    worded = json.loads(whole)
    worded["rows"][0]["records"][0]["metrics"]["test"]["accuracy"] = "high"
    for text, reason in (
        ("{", "not a table of `dglsent reproduce`"),
        (whole.replace('"fold": null,', ""), "the records of Tree-LSTM are damaged (KeyError('fold'))"),
        (whole.replace('"history"', '"told"'), "the records of Tree-LSTM are damaged (KeyError('history'))"),
        (whole.replace('"code": {', '"code": {}, "lost": {'), "the records of Tree-LSTM are damaged (KeyError('"),
        (json.dumps(worded), "the records of Tree-LSTM are damaged (TypeError(\"test accuracy is 'high'\"))"),
    ):
        file.write_text(text)
        code, err = reproduced()
        assert code == 2
        assert f"table.json: {reason}" in err
        assert not (tmp_path / "runs").exists()
    known = json.loads(whole)
    known["rows"][0]["records"] = None
    file.write_text(json.dumps(known))
    assert reproduced("--rows", "Quoted")[0] == 0
    shutil.rmtree(tmp_path / "runs", ignore_errors=True)
    file.write_text(whole.replace(made_of, "0"))
    _, err = reproduced("--rows", "Quoted")
    assert f"Tree-LSTM: its recipe was another in {file}, seed 1; train it anew" in err


def test_runs_of_rows_that_the_table_lacks_are_not_lost(reproduced, tmp_path):
    """They went where a row had another name, or a table of one's own the name of another."""
    reproduced()
    file = tmp_path / "ledger/table.json"
    whole = file.read_text()
    table = tmp_path / "table.yaml"
    table.write_text(table.read_text().replace("name: Tree-LSTM", "name: Mine"))
    code, err = reproduced("--rows", "Quoted")
    said = f"{file}: has runs of Tree-LSTM ({tmp_path}/tiny.yaml), which the table 'Tiny reviews' does not have"
    assert (code, said in err) == (2, True)
    assert file.read_text() == whole


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"threads": None}, "seed-7/metrics.json: damaged (KeyError('threads')); delete it"),
        ({"test": {"accuracy": "high"}}, "seed-7/metrics.json: not the scores of a run; delete it"),
        ({"test": {}}, "tiny.yaml has no score 'accuracy', which table table shows"),
    ],
)
def test_a_seed_whose_scores_are_damaged_or_fewer_is_told(changed, says, reproduced, tmp_path):
    reproduced()
    kept = row(tmp_path)
    shutil.copytree(tmp_path / "runs/tiny/seed-1", tmp_path / "runs/tiny/seed-7")
    other = Run(tmp_path / "runs/tiny/seed-7")
    metrics = {**other.metrics(), "seed": 7, **changed}
    other.save_metrics({name: value for name, value in metrics.items() if value is not None})
    other.config_file.write_text(other.config_file.read_text().replace("seed: 1", "seed: 7"))
    code, err = reproduced("--seeds", "1,7")
    assert (code, says in err) == (1, True), err
    assert row(tmp_path) == kept


def test_commands_side_by_side_keep_each_others_runs(reproduced, tmp_path, monkeypatch):
    """While one trains seed 7, another writes seed 1 into the ledger; they have no folder of runs in common."""
    other = Run(tmp_path / "elsewhere/tiny/seed-7")
    shutil.copytree(tmp_path / "runs/tiny/seed-1", other.path)
    other.save_metrics({**other.metrics(), "seed": 7})
    other.config_file.write_text(other.config_file.read_text().replace("seed: 1", "seed: 7"))
    held, times = Ledger.held, []

    @contextmanager
    def later(ledger, out):
        times.append(out)
        if len(times) == 2:
            monkeypatch.setattr(Ledger, "held", held)
            assert reproduced() == (0, "")
            assert [record["seed"] for record in row(tmp_path)["records"]] == [1]
        with held(ledger, out) as lost:
            yield lost

    monkeypatch.setattr(Ledger, "held", later)
    assert reproduced("--seeds", "7", "--out", str(tmp_path / "elsewhere")) == (0, "")
    assert [record["seed"] for record in row(tmp_path)["records"]] == [1, 7]
    assert (tmp_path / "elsewhere/tiny/seed-1/metrics.json").is_file()


def test_who_writes_a_ledger_is_waited_for(tmp_path, reproduced):
    file = tmp_path / "ledger/table.json"
    file.parent.mkdir()
    ended = Event()

    def hold():
        with locked(file):
            started.set()
            ended.wait(20)

    started, holder = Event(), Thread(target=hold)
    holder.start()
    started.wait(20)
    Timer(0.5, ended.set).start()
    assert reproduced() == (0, "")
    holder.join()
    assert [record["seed"] for record in row(tmp_path)["records"]] == [1]


@pytest.mark.parametrize("free", [0, 1])
def test_a_ledger_that_cannot_be_written_is_told_before_training_or_after_the_table(
    free, reproduced, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(jobs, "_start", fork)
    taken = []

    def full(path, wait=0.0):
        taken.append(path)
        if len(taken) > free:
            raise OSError(errno.EROFS, "Read-only file system", f"{path}.lock")
        return locked(path, wait)

    shutil.rmtree(tmp_path / "runs")
    monkeypatch.setattr("dglsent.reproduction.ledger.locked", full)
    code, err = reproduced("--seeds", "2")
    assert (code, "table.json.lock: Read-only file system" in err) == (2, True)
    assert (tmp_path / "runs/tiny/seed-2/metrics.json").is_file() == (tmp_path / "runs/tables/table.md").is_file()
    assert (tmp_path / "runs/tables/table.md").is_file() == bool(free)


@pytest.mark.parametrize(("folder", "fold"), [("seed-3", None), ("fold-1", 1)])
def test_a_record_keeps_the_first_epochs(folder, fold):
    history = [{"epoch": number} for number in range(1, 6)]
    record = _record(folder, {"seed": 3, "history": history, "provenance": {"code": None}}, {})
    assert record["metrics"]["history"] == history[:2]
    assert (record["seed"], record["fold"]) == (3, fold)
