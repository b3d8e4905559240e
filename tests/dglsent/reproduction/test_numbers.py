from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tiny import TINY, recipe

from dglsent.reproduction import numbers, tables
from dglsent.reproduction.jobs import jobs_of
from dglsent.training.provenance import hash_of_text

TABLE = """
title: Tiny reviews
corpus: built-in reviews
split: test
scores: {accuracy: accuracy}
percent: true
papers: [{paper: P, rows: [{name: Tree-LSTM, recipe: FOLDER/tiny.yaml}, {name: No data, recipe: FOLDER/none.yaml}]}]
"""
ONE_EPOCH = TINY.replace("epochs: 2", "epochs: 1")
NO_DATA = ONE_EPOCH.replace("built_in.Reviews", "trec.TREC").replace("{train: 60, dev: 20, test: 30}", "{}")


@pytest.fixture
def checked(tmp_path, capsys):
    """Checks rows against a ledger of a given mean and standard deviation: exit code, lines, standard error."""
    files = {name: recipe(tmp_path, text, f"{name}.yaml") for name, text in (("tiny", ONE_EPOCH), ("none", NO_DATA))}
    table = recipe(tmp_path, TABLE.replace("FOLDER", str(tmp_path)), "table.yaml")

    def checked(
        *arguments: str, mean: float, sd: float | None, row: str = "tiny", stale: tuple[str, ...] = (), **more: str
    ):
        ours = {"accuracy": {"mean": mean, "sd": sd, "values": [mean]}}
        told = {"recipe": str(files[row]), "ours": ours, "seeds": [1, 2], "threads": 1, "stale": [*stale], **more}
        (tmp_path / "table.json").write_text(json.dumps({"rows": [{"recipe": None, "ours": None}, told]}))
        code = numbers.main(["--ledger", str(tmp_path), *arguments], [(str(table), str(files[row]))])
        out, err = capsys.readouterr()
        return code, out.splitlines(), err

    return checked


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_low_score_fails_and_another_does_not(checked):
    code, (_, _, line, remark), _ = checked(mean=50.0, sd=100.0, stale=("seed 1: code changed",))
    assert code == 0
    name, score, mean, sd, seeds, lowest, ours, distance, verdict = cells(line)
    assert (score, mean, sd, seeds, lowest, verdict) == ("accuracy", "50.0000", "100.0000", "2", "-250.0000", "ok")
    assert remark.startswith(f"{name}: ok: stale in the ledger: seed 1: code changed; the ledger's recipe was another")
    ours = float(ours)
    assert float(distance) == pytest.approx((ours - 50) / 100, abs=0.05)
    code, (_, _, line, _), _ = checked(mean=ours + 3.01, sd=1.0)
    assert code == 1
    assert cells(line)[-1] == "LOW"


def test_the_ledgers_recipe_is_that_of_its_first_seed(checked, tmp_path):
    row = tables.load(str(tmp_path / "table.yaml")).rows[0]
    for seed, remarks in ((1, 0), (2, 1)):
        ((job,),) = jobs_of(row, None, [seed], Path())
        code, (_, _, _, *said), _ = checked(mean=50.0, sd=100.0, recipe_hash=hash_of_text(job.text))
        assert (code, len(said)) == (0, remarks)


def test_three_standard_deviations_below_the_mean_are_the_limit():
    row = numbers.Check("row", "accuracy", mean=90.0, sd=0.5, seeds=3)
    assert [replace(row, ours=ours).verdict for ours in (95.0, 88.5, 88.4)] == ["ok", "ok", "LOW"]


def test_a_row_without_data_is_named_and_fails_unless_told_otherwise(checked, monkeypatch):
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    code, (_, _, line, remark), _ = checked(mean=50.0, sd=1.0, row="none")
    assert code == 1
    assert cells(line)[-3:] == ["–", "–", "skipped"]
    assert "none.yaml: skipped: no data: no data folder: give --data DIR" in remark
    assert checked("--allow-skipped", mean=50.0, sd=1.0, row="none")[0] == 0


def test_a_ledger_of_one_seed(checked):
    code, _, err = checked(mean=50.0, sd=None)
    assert code == 2
    assert "has one seed; its spread wants several" in err


def test_no_ledger(tmp_path, capsys):
    assert numbers.main(["--ledger", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert all(f"{tmp_path / table}.json: not there" in err for table, _ in numbers.ROWS)
