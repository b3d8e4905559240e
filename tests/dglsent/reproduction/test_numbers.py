from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from tiny import PAIRS, TINY, recipe

from dglsent.reproduction import numbers, tables
from dglsent.reproduction.jobs import jobs_of
from dglsent.training.fit import fit
from dglsent.training.provenance import hash_of_text
from dglsent.training.run import Run
from graphs.errors import InputError

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
        *arguments: str, mean: float, sd: float | None, row: str = "tiny", stale: tuple[str, ...] = (), **more: object
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
    assert checked("--allow-skipped", mean=ours + 3.01, sd=1.0)[0] == 1


def test_the_ledgers_recipe_is_that_of_its_first_seed(checked, tmp_path):
    row = tables.load(str(tmp_path / "table.yaml")).rows[0]
    for seed, remarks in ((1, 0), (2, 1)):
        ((job,),) = jobs_of(row, None, [seed], Path())
        code, (_, _, _, *said), _ = checked(mean=50.0, sd=100.0, recipe_hash=hash_of_text(job.text))
        assert (code, len(said)) == (0, remarks)


def test_what_is_compared_is_what_training_with_that_seed_and_those_threads_gives(checked, tmp_path):
    before = torch.get_num_threads()
    try:
        _, (_, _, line, _), _ = checked(mean=50.0, sd=100.0, threads=before + 1)
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)
    ((job,),) = jobs_of(tables.load(str(tmp_path / "table.yaml")).rows[0], None, [numbers.SEED], Path())
    assert float(cells(line)[-3]) == pytest.approx(100 * fit(job.config, Run(tmp_path / "run"))["test"]["accuracy"])


def test_a_score_that_is_no_number(tmp_path):
    file = recipe(tmp_path, PAIRS.replace("tiny.Pairs", "tiny.Alike").replace("epochs: 2", "epochs: 1"))
    rows = f"papers: [{{paper: P, rows: [{{name: Pairs, recipe: {file}}}]}}]"
    table = recipe(tmp_path, f"title: T\ncorpus: C\nsplit: dev\nscores: {{pearson: r}}\n{rows}\n", "table.yaml")
    told = {"recipe": str(file), "ours": {"pearson": {"mean": 0.5, "sd": 0.1}}, "seeds": [1, 2], "threads": 1}
    (tmp_path / "table.json").write_text(json.dumps({"rows": [told]}))
    with pytest.raises(InputError, match="its r is not a number"):
        numbers.check(str(table), str(file), tmp_path)


def test_rows_that_table_or_ledger_lack(tmp_path):
    with pytest.raises(InputError, match="table cn3-trec has no row of trec/none"):
        numbers.check("cn3-trec", "trec/none", tmp_path)
    (tmp_path / "cn3-trec.json").write_text('{"rows": []}')
    with pytest.raises(InputError, match=r"cn3-trec\.json: has no number of trec/cn3; make it with"):
        numbers.check("cn3-trec", "trec/cn3", tmp_path)


def test_three_standard_deviations_below_the_mean_are_the_limit():
    row = numbers.Check("row", "accuracy", mean=90.0, sd=0.5, seeds=3)
    assert [replace(row, ours=ours).verdict for ours in (95.0, 88.5, 88.49)] == ["ok", "ok", "LOW"]


def test_a_row_without_data_is_named_and_fails_unless_told_otherwise(checked, monkeypatch):
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    code, (_, _, line, remark), _ = checked(mean=50.0, sd=1.0, row="none")
    assert code == 1
    assert cells(line)[-3:] == ["–", "–", "skipped"]
    assert "none.yaml: skipped: no data: no data folder: give --data DIR" in remark
    assert checked("--allow-skipped", mean=50.0, sd=1.0, row="none")[0] == 0


def test_a_low_row_tells_more_than_one_that_cannot_be_compared(checked, tmp_path):
    checked(mean=1000.0, sd=1.0)
    low = (str(tmp_path / "table.yaml"), str(tmp_path / "tiny.yaml"))
    assert numbers.main(["--ledger", str(tmp_path)], [("cn3-trec", "trec/none"), low]) == 1


def test_a_distance_has_a_sign_and_none_is_told_where_seeds_do_not_differ():
    row = numbers.Check("row", "accuracy", mean=90.0, sd=0.5, seeds=3, ours=91.0)
    lines = numbers.as_text([row, replace(row, sd=0.0)]).splitlines()
    assert [cells(line)[-2] for line in lines[2:]] == ["+2.0", "–"]


def test_a_ledger_of_one_seed(checked):
    code, _, err = checked(mean=50.0, sd=None)
    assert code == 2
    assert "has one seed; its spread wants several" in err


def test_no_ledger(tmp_path, capsys):
    assert numbers.main(["--ledger", str(tmp_path)]) == 2
    err = capsys.readouterr().err
    assert all(f"{tmp_path / table}.json: not there" in err for table, _ in numbers.ROWS)
