"""A table whose corpus has folds, of which some are trained."""

from __future__ import annotations

import json
import re

import pytest
from reproduced import HEAD, ONE_EPOCH
from tiny import recipe

pytestmark = pytest.mark.usefixtures("reproducing", "forks")


@pytest.fixture
def command(tmp_path):
    """Two folds of one row, with a ledger."""
    file = recipe(tmp_path, re.sub(r"class_path: dglsent\.corpora.*\n.*\n", "class_path: tiny.Folds\n", ONE_EPOCH))
    papers = f"papers: [{{paper: P, rows: [{{name: Folds, recipe: {file}, published: [1, null]}}]}}]\n"
    table = recipe(tmp_path, f"{HEAD}folds: 2\n{papers}", "table.yaml")
    return ["reproduce", table, "--out", tmp_path / "runs", "--ledger", tmp_path / "ledger"]


def row(folder):
    return json.loads((folder / "ledger/table.json").read_text())["rows"][0]


def runs(folder):
    return [(record["seed"], record["fold"]) for record in row(folder)["records"]]


def test_first_folds_and_a_seed_that_has_fewer_than_another(command, tmp_path, program):
    program.refuses(*command, "--folds", "3", saying=["--folds 3", "has 2"])
    code, out, err = program(*command, "--seeds", "3,4", "--folds", "1")
    assert (code, "seed 4 fold 0: done" in err, "fold 1" in err) == (0, True, False)
    assert "| 2 (1 of 2 folds) |" in out
    assert (row(tmp_path)["folds"], row(tmp_path)["seeds"]) == (1, [3, 4])
    # The seed with fewer is kept and told.
    code, out, err = program(*command, "--seeds", "3")
    assert (code, "to train: 1;" in err, "of 2 folds)" in out) == (0, True, False)
    assert (row(tmp_path)["folds"], row(tmp_path)["seeds"]) == (2, [3])
    assert runs(tmp_path) == [(3, 0), (3, 1), (4, 0)]
    code, out, err = program(*command, "--seeds", "3,4", "--folds", "1")
    assert (code, err) == (0, "")
    assert "| 2 (1 of 2 folds) |" in out
    # Elsewhere nothing of it is trained again.
    code, out, err = program(
        *command[:3], tmp_path / "elsewhere", *command[4:], "--seeds", "3,4", "--rows", "Folds", "--verify"
    )
    assert (code, err) == (0, "Folds: seed 4 has 1 of 2 folds and does not count\n")
    assert runs(tmp_path) == [(3, 0), (3, 1), (4, 0)]


def test_folds_bound_what_is_trained_anew_and_a_table_that_has_lost_some_is_refused(command, tmp_path, program):
    program(*command, "--seeds", "3")
    for fold in (0, 1):
        file = tmp_path / f"runs/tiny/seed-3/fold-{fold}/metrics.json"
        file.write_text(file.read_text().replace('"dglsent.nn.cells": "', '"dglsent.nn.cells": "0'))
    _, _, err = program(*command, "--seeds", "3", "--folds", "1", "--refresh")
    assert "to train: 1;" in err
    assert not (tmp_path / "runs/tiny/seed-3/fold-1.stale").exists()
    # A ledger of more folds than the table has now.
    table = command[1]
    table.write_text(table.read_text().replace("folds: 2", "folds: 1"))
    before = (tmp_path / "ledger/table.json").read_text()
    program.refuses(*command, "--seeds", "3", saying=["ledger/table.json: has runs of fold 1, and 1 folds has the tab"])
    assert (tmp_path / "ledger/table.json").read_text() == before
