"""The page of results says what the ledger says, and leaves out nothing that the ledger has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dglsent.reproduction import tables
from dglsent.reproduction.results_page import main, rows, splice, unmeasured
from dglsent.training import recipe_files
from graphs.errors import InputError

DOCS = Path(__file__).parents[3] / "docs"
LEDGER = DOCS / "results"


def test_commands_of_the_ledger_name_no_folder_of_one_machine():
    files = list(LEDGER.glob("*.json"))
    assert files
    for file in files:
        assert " /" not in json.loads(file.read_text(encoding="utf-8"))["command"], file.name


def test_page_says_what_the_ledger_says(tmp_path):
    committed = (DOCS / "results.md").read_text(encoding="utf-8")
    page = tmp_path / "results.md"
    page.write_text(committed, encoding="utf-8")
    assert main(["--ledger", str(LEDGER), "--page", str(page), "--claims", str(DOCS / "claims.yaml")]) == 0
    assert page.read_text(encoding="utf-8") == committed, "make results writes it anew"


def test_every_row_with_a_recipe_is_measured_or_listed_as_lacking():
    measured, lacking = rows(LEDGER), " ".join(unmeasured(LEDGER).split())
    for table in map(tables.load, tables.names()):
        item = lacking.partition(f"`{table.name}`")[2].partition(" - ")[0]
        listed = item.partition(": ")[2].split("; ")
        for row in (row for row in table.rows if row.recipe):
            assert f"`{row.recipe}`" in measured or row.name in listed or listed == ["all rows"], (table.name, row.name)


def test_every_recipe_of_no_row_is_named_as_not_measured():
    """But for those of the built-in reviews, whose numbers are those of `dglsent demo`."""
    of_rows = {row.recipe for name in tables.names() for row in tables.load(name).rows}
    section = (
        (DOCS / "results.md").read_text(encoding="utf-8").partition("\n## Not measured\n")[2].partition("\n## ")[0]
    )
    others = {name for name in recipe_files.names() if name not in of_rows and not name.startswith("reviews/")}
    assert set(re.findall(r"`([\w-]+/[\w-]+)`", section)) == others


def test_readme_has_the_numbers_of_the_page():
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| `([^`]+)` \| [^|]+ \| ([\d.]+(?: \([\d.]+\))?) \| ([\d, ]+) \| ", readme, re.MULTILINE)
    assert shown
    page = rows(LEDGER)
    for recipe, ours, seeds in shown:
        assert re.search(rf"`{recipe}` \| [^|]+ \| {re.escape(ours)} \| [^|]+ \| {seeds} \|", page), recipe


def record(seed: int, dev: float | None, fold: int | None = None) -> dict[str, Any]:
    return {"seed": seed, "fold": fold, "metrics": {"dev": {"accuracy": dev}}}


def ledger_of(folder: Path, **changed: Any) -> Path:
    """A ledger with one row of the table trec."""
    row = next(row for row in tables.load("trec").rows if row.recipe == "trec/tree-lstm")
    said = {
        "name": row.name,
        "paper": row.paper,
        "recipe": row.recipe,
        "published": {"accuracy": {"mean": 93.6, "sd": 0.5}},
        "ours": {"accuracy": {"mean": 94.0, "sd": 1.0, "values": [93.0, 95.0]}},
        "seeds": [1, 2],
        "seconds": 95.0,
        "stale": [],
        "records": [record(1, 0.9), record(2, 0.92)],
    }
    (folder / "trec.json").write_text(json.dumps({"rows": [{**said, **changed}]}))
    return folder


def test_row_has_published_test_dev_and_seeds(tmp_path):
    text = rows(ledger_of(tmp_path))
    assert text.startswith("### Shen et al. 2018: Six kinds of questions, TREC\n")
    assert text.splitlines()[-1] == "| TreeLSTM | `trec/tree-lstm` | 93.6 | 94.0 (1.0) | 91.0 (1.4) | 1, 2 | 2 |"


def test_a_dev_score_that_is_no_number_is_undefined(tmp_path):
    text = rows(ledger_of(tmp_path, records=[record(1, None), record(2, 0.92)]))
    assert text.splitlines()[-1] == "| TreeLSTM | `trec/tree-lstm` | 93.6 | 94.0 (1.0) | undefined | 1, 2 | 2 |"


def test_row_of_some_folds_says_so(tmp_path):
    ledger_of(tmp_path, recipe="mr/tree-lstm", name="TreeLSTM", folds=3, seconds=59.9)
    (tmp_path / "trec.json").rename(tmp_path / "mr.json")
    assert rows(tmp_path).endswith(" | 1, 2 (3 of 10 folds) | < 1 |")


def test_paper_that_names_no_authors_stands_whole(tmp_path):
    assert rows(ledger_of(tmp_path, paper="our own table")).startswith("### our own table: Six kinds")


def test_folds_of_a_seed_count_once(tmp_path):
    folds = [record(1, 0.8, 0), record(1, 0.9, 1), record(2, 0.85, 0), record(2, 0.85, 1), record(2, 0.1, 2)]
    assert " | 85.0 (0.0) | " in rows(ledger_of(tmp_path, records=[*folds, record(3, 0.1, 0)], folds=2))


def test_stale_row_is_refused(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- rows -->\n<!-- end of rows -->\n")
    ledger_of(tmp_path, stale=["seed 1: its recipe was another"])
    assert main(["--ledger", str(tmp_path), "--page", str(page)]) == 2
    assert "trec/tree-lstm is stale; `dglsent reproduce trec --verify`" in capsys.readouterr().err
    assert page.read_text() == "<!-- rows -->\n<!-- end of rows -->\n"


def test_broken_ledger_is_named(tmp_path):
    (tmp_path / "trec.json").write_text("{")
    with pytest.raises(InputError, match=r"trec\.json: not a table"):
        rows(tmp_path)


def test_splice_keeps_what_is_written_by_hand():
    page = "before\n<!-- rows -->\nold\n<!-- end of rows -->\nafter\n"
    assert splice(page, "rows", "new") == "before\n<!-- rows -->\n\nnew\n\n<!-- end of rows -->\nafter\n"
    with pytest.raises(InputError, match="no lines <!-- other -->"):
        splice(page, "other", "new")
    assert splice(page.replace("rows", "a+b (c)*"), "a+b (c)*", "new").count("new") == 1


def test_a_table_without_records_of_runs_is_none_of_a_ledger(tmp_path):
    """As those beside the runs are."""
    with pytest.raises(InputError, match=r"trec\.json: has no runs of trec/tree-lstm; name the folder"):
        rows(ledger_of(tmp_path, records=[]))
