"""A published table that is made again, as `dglsent reproduce` prints it."""

from __future__ import annotations

import json
import re
import statistics

import pytest
from reproduced import HEAD, ONE_EPOCH, TABLE, metrics_of
from tiny import recipe

from dglsent.reproduction import tables
from dglsent.reproduction.table_text import as_text
from dglsent.training import recipe_files

pytestmark = pytest.mark.usefixtures("reproducing")


def test_what_failed_is_told_in_a_line_and_the_rest_is_done(made):
    folder, _, result = made
    assert result.returncode == 1
    lines = result.stderr.splitlines()
    assert [line for line in lines if line.startswith("Nowhere")] == [
        "Nowhere: failed: no recipe 'sick/nowhere'; `dglsent recipes` lists them"
    ] or any(line.startswith("Nowhere: failed: no recipe 'sick/nowhere'; did you mean") for line in lines)
    (broken,) = [line for line in lines if line.startswith("Broken")]
    assert re.match(r"Broken seed [12]: failed: .*no file .*nowhere\.txt", broken)
    assert str(folder / "runs/broken/seed-") in broken
    done = [line for line in lines if line.startswith("Tree-LSTM")]
    for line, seed in zip(sorted(done), (1, 2), strict=True):
        score = metrics_of(folder, seed)["test"]["accuracy"]
        assert line.startswith(f"Tree-LSTM seed {seed}: done {score:.4f} (")
    assert lines[-1] == "failed: Nowhere, Broken; the same command tries again"
    assert "epoch 1/1" in (folder / "runs/tiny/seed-1.log").read_text()


def test_json_is_computed_from_the_runs(made):
    folder, _, _ = made
    table = json.loads((folder / "runs/tables/table.json").read_text())
    row, broken, nowhere, quoted = table["rows"]
    runs = [metrics_of(folder, seed) for seed in (1, 2)]
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
    runs = [metrics_of(folder, seed) for seed in (1, 2)]
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
    assert tables_
    assert all(len({len(line) for line in lines}) == 1 for lines in tables_)


def test_nothing_is_trained_twice_and_one_row_is_shown_alone(made, program):
    folder, command, _ = made
    weights = folder / "runs/tiny/seed-1/weights.safetensors"
    before = weights.stat().st_mtime_ns
    left = [weights.with_name("resume.ckpt"), weights.parent.with_name("seed-1.lock")]  # by a kill after the scores
    for file in left:
        file.touch()
    code, out, err = program(*command, "--rows", "Tree-LSTM,Quoted", "--json")
    assert code == 0
    assert err == ""
    assert not any(file.exists() for file in left)
    assert weights.stat().st_mtime_ns == before
    shown = json.loads(out)["rows"]
    assert [row["name"] for row in shown] == ["Tree-LSTM", "Quoted"]
    whole = json.loads((folder / "runs/tables/table.json").read_text())["rows"]
    assert [row["name"] for row in whole] == ["Tree-LSTM", "Broken", "Nowhere", "Quoted"]
    assert whole[0] == shown[0]
    code, out, _ = program(*command, "--rows", f"{folder}/tiny.yaml", "--seeds", "2")
    assert code == 0
    line = next(line for line in out.splitlines() if line.startswith("| Tree-LSTM"))
    value = 100 * metrics_of(folder, 2)["test"]["accuracy"]
    assert [cell.strip() for cell in line.split("|")][5] == f"{value:.2f}"


def test_unknown_score(made, tmp_path, program):
    folder, _, _ = made
    text = TABLE.replace("FOLDER", str(folder)).replace("{accuracy: accuracy,", "{pearson: r,")
    table = recipe(tmp_path, text, "other.yaml")
    code, _, err = program("reproduce", table, "--out", folder / "runs", "--rows", "Tree-LSTM")
    assert code == 1
    assert "has no score 'pearson', which table other shows; it has accuracy" in err


def test_refused(tmp_path, program):
    program.refuses("reproduce", saying=["TABLE", "--list"])
    program.refuses("reproduce", "sick-relatednes", saying=["did you mean sick-relatedness"])
    program.refuses("reproduce", "sst1", "--rows", "TreLSTM", saying=["no row 'TreLSTM'", "TreeLSTM"])
    program.refuses("reproduce", "sst1", "--data", tmp_path / "no", saying=["no such folder"])
    (tmp_path / "file").touch()
    one = ("sst1", "--rows", "sst/recnn", "--data", tmp_path, "--out", tmp_path / "runs")
    program.refuses("reproduce", *one, "--ledger", tmp_path / "file", saying=["file: File exists"])
    program.refuses("reproduce", "sst1", "--training.epochs", "3", saying=["unrecognized", "--training.epochs"])
    for text, what in (
        ("title: [", "while parsing"),
        ("", "the file has no keys"),
        (HEAD, "the file has no key 'papers'"),
        (HEAD.replace("split: test", "split: tset") + "papers: []\n", "split is 'tset', expected dev or test"),
        (HEAD + "folds: four\npapers: []\n", "folds of the file is 'four', expected a whole number"),
        (HEAD + "folds: 0\npapers: []\n", "folds is 0"),
        (HEAD.replace("{accuracy: accuracy, dev.accuracy: dev accuracy}", "{}") + "papers: []\n", "scores is empty"),
        (HEAD.replace("y: accuracy", "y: {label: a}") + "papers: []\n", "the score accuracy has no key 'times'"),
        (HEAD.replace("y: accuracy", "y: {label: a, times: x}") + "papers: []\n", "times of the score accuracy is 'x'"),
        (HEAD + "papers: [{paper: P, rows: [{name: 5}]}]\n", "name of a row is 5, expected a text"),
        (HEAD + "papers: [{paper: P, rows: [{name: A, recipe: 5}]}]\n", "recipe of a row is 5"),
        (HEAD + "papers: [{paper: P, rows: [{name: A, published: [x, 1]}]}]\n", "expected numbers"),
        (HEAD + "papers: [{paper: P, rows: [{nam: A}]}]\n", "nam"),
        (HEAD + "papers: [{paper: P, rows: [{name: A, published: [1]}]}]\n", "'A': published has 1 numbers for 2"),
        (HEAD + "paper: P\npapers: []\n", "paper"),
    ):
        program.refuses("reproduce", recipe(tmp_path, text, "table.yaml"), saying=["table.yaml: not a table", what])


def test_recipes_of_one_name_in_two_places_are_refused(tmp_path, program):
    (tmp_path / "other").mkdir()
    rows = [f"{{name: {name}, recipe: {recipe(tmp_path / where)}}}" for name, where in (("A", "."), ("B", "other"))]
    table = recipe(tmp_path, f"{HEAD}papers: [{{paper: P, rows: [{', '.join(rows)}]}}]\n", "table.yaml")
    out = tmp_path / "runs"
    program.refuses("reproduce", table, "--out", out, saying=["other/tiny.yaml", f"would share {out / 'tiny'}"])


@pytest.mark.usefixtures("forks")
def test_a_recipe_beside_the_table_and_a_class_beside_the_recipe(tmp_path, program, monkeypatch):
    """Rows that share it are both told that it fails."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "beside_the_recipe.py").write_text(
        "from dglsent.corpora.built_in import Reviews\n\nclass Own(Reviews):\n    pass\n"
    )
    text = ONE_EPOCH.replace("dglsent.corpora.built_in.Reviews", "beside_the_recipe.Own")
    assert text != ONE_EPOCH
    recipe(folder, text)
    recipe(folder, text.replace("dim: 8", "dim: 8, vectors: nowhere.txt"), "broken.yaml")
    rows = "{name: A, recipe: tiny.yaml}, {name: B, recipe: broken.yaml}, {name: C, recipe: broken.yaml}"
    table = recipe(folder, f"{HEAD}papers: [{{paper: P, rows: [{rows}]}}]\n", "table.yaml")
    monkeypatch.chdir(tmp_path)
    code, _, err = program("reproduce", table, "--out", tmp_path / "runs", "--data", tmp_path)
    assert code == 1
    assert "A seed 1: done" in err
    assert "B seed 1: failed: " in err
    assert "C seed 1: failed: " in err


def test_list(program):
    code, out, _ = program("reproduce", "--list")
    assert code == 0
    listed = [line.split(None, 1) for line in out.splitlines()]
    assert [name for name, _ in listed] == tables.names()
    assert "Negative and positive sentences, MR (Shen et al. 2018; Kim et al. 2019)\n" in out
    assert {"sick-relatedness", "msrp", "ai2", "msrpar", "quora", "sst1", "sst2", "mr", "subj", "trec"} < {
        name for name, _ in listed
    }


def test_list_of_the_rows_of_a_table(program):
    """What it names is what --rows takes; rows that are quoted alone are not among them."""
    code, out, _ = program("reproduce", "trec", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [
        row.recipe for row in tables.load("trec").rows if row.recipe
    ]
    assert re.search(r"^trec/tg-hrecnn-concat +TG-HRecNN \+ concat \(Shen et al\. 2018\)$", out, re.M)
    program.refuses("reproduce", "nowhere", "--list", saying=["nowhere"])
    code, out, _ = program("reproduce", "trec", "--list", "--rows", "trec/tg-hrecnn-concat")
    assert (code, out.split()[0], out.count("\n")) == (0, "trec/tg-hrecnn-concat", 1)
    program.refuses("reproduce", "trec", "--list", "--rows", "nope", saying=["--rows: table trec has no row 'nope'"])
    program.refuses("reproduce", "--list", "--rows", "nope", saying=["--rows wants a TABLE"])


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
    known = recipe_files.names()
    missing = sorted({row.recipe for name in tables.names() for row in tables.load(name).rows if row.recipe} - {*known})
    assert missing == []
