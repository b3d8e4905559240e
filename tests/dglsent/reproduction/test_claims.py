"""What rows gain over others is what the seeds that both have say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dglsent.reproduction.claims import gains
from graphs.errors import InputError

HEADER = "| row | over | table | test | dev | published | seeds |\n|---|---|---|---|---|---|---|\n"


def row(name: str, published: float | None, scores: dict[int, tuple[float | None, float]], **more: Any) -> Any:
    """A row with test and dev accuracies, by seed."""
    return {
        "name": name,
        "recipe": f"trec/{name}",
        "published": {} if published is None else {"accuracy": {"mean": published, "sd": None}},
        "ours": {"accuracy": {}},
        "seeds": list(scores),
        "stale": [],
        "records": [record(seed, None, *accuracies) for seed, accuracies in scores.items()],
        **more,
    }


def record(seed: int, fold: int | None, test: float | None, dev: float) -> Any:
    return {"seed": seed, "fold": fold, "metrics": {"test": {"accuracy": test}, "dev": {"accuracy": dev}}}


def claims(folder: Path, rows: list[Any], table: str = "trec", text: str = "") -> str:
    """The one claim that A is better than B."""
    (folder / f"{table}.json").write_text(json.dumps({"rows": rows}))
    file = folder / "claims.yaml"
    file.write_text(text or f"better: {{tables: [{table}, sst1], gains: [[A, B]]}}")
    return gains(file, folder)["better"]


def test_gain_is_that_of_the_shared_seeds(tmp_path):
    a = row("A", 94.0, {1: (0.95, 0.9), 2: (0.97, 0.9), 3: (0.1, 0.1)})
    b = row("B", 93.5, {4: (0.1, 0.1), 2: (0.94, 0.91), 1: (0.94, 0.9)})
    assert claims(tmp_path, [b, a]) == f"{HEADER}| A | B | `trec` | +2.0 (1.4) | -0.5 (0.7) | +0.5 | 2 |"


def test_gain_of_one_seed_has_no_deviation_and_what_is_not_published_a_dash(tmp_path):
    rows = [row("A", None, {1: (0.9, 0.9)}), row("B", 93.5, {1: (0.9002, 0.8)})]
    assert claims(tmp_path, rows) == f"{HEADER}| A | B | `trec` | +0.0 | +10.0 | – | 1 |"


def test_gain_that_ends_in_five_is_rounded_away_from_zero(tmp_path):
    """As published numbers are: those of floats ended in 4999."""
    rows = [row("A", 93.81, {1: (0.9015, 0.9)}), row("B", 94.46, {1: (0.9, 0.9015)})]
    assert claims(tmp_path, rows) == f"{HEADER}| A | B | `trec` | +0.2 | -0.2 | -0.7 | 1 |"


def test_gain_without_a_shared_seed_is_a_dash_and_of_an_undefined_score_undefined(tmp_path):
    assert "| – | – | – | 0 |" in claims(tmp_path, [row("A", None, {1: (1, 1)}), row("B", None, {2: (1, 1)})])
    for test, other in ((None, 1), (1, None)):
        rows = [row("A", None, {1: (test, 1)}), row("B", None, {1: (other, 1)})]
        assert "| undefined | +0.0 | – | 1 |" in claims(tmp_path, rows)


def test_folds_are_those_that_both_rows_have(tmp_path):
    a = row("A", None, {}, seeds=[1], folds=2, records=[record(1, 0, 0.9, 0.9), record(1, 1, 0.0, 0.0)])
    b = row("B", None, {}, seeds=[1], folds=1, records=[record(1, 0, 0.8, 0.8)])
    assert claims(tmp_path, [a, b], "mr") == f"{HEADER}| A | B | `mr` | +10.0 | +10.0 | – | 1 (1 of 10 folds) |"


def test_deviation_is_that_of_folds_where_a_seed_has_several(tmp_path):
    a = row("A", None, {}, seeds=[1], folds=2, records=[record(1, 0, 0.9, 0.8), record(1, 1, 0.7, 0.8)])
    b = row("B", None, {}, seeds=[1], folds=2, records=[record(1, 0, 0.8, 0.8), record(1, 1, 0.8, 0.8)])
    written = f"{HEADER}| A | B | `mr` | +0.0 (14.1) | +0.0 (0.0) | – | 1 (2 of 10 folds) |"
    assert claims(tmp_path, [a, b], "mr") == written


def test_a_table_without_a_score_of_the_test_part_is_refused(tmp_path):
    table = tmp_path / "dev.yaml"
    table.write_text("title: T\ncorpus: C\nsplit: dev\nscores: {accuracy: A}\npapers: []\n")
    (tmp_path / "dev.yaml.json").write_text(json.dumps({"rows": [row(name, None, {1: (1, 1)}) for name in "AB"]}))
    (tmp_path / "claims.yaml").write_text(f"better: {{tables: ['{table}'], gains: [[A, B]]}}")
    with pytest.raises(InputError, match="table dev has no score of the test part"):
        gains(tmp_path / "claims.yaml", tmp_path)


def test_a_row_without_a_number_is_not_measured(tmp_path):
    measured, waiting = row("A", None, {1: (1, 1)}), row("B", None, {1: (1, 1)}, ours=None)
    with pytest.raises(InputError, match="no table has measured both 'A' and 'B'"):
        claims(tmp_path, [measured, waiting])


@pytest.mark.parametrize("written", ["[]", "{}", '{"rows": [3]}', "{"])
def test_a_file_that_is_no_table_is_refused(written, tmp_path):
    (tmp_path / "trec.json").write_text(written)
    (tmp_path / "claims.yaml").write_text("better: {tables: [trec], gains: [[A, B]]}")
    with pytest.raises(InputError, match=r"trec\.json: not a table of `dglsent reproduce`"):
        gains(tmp_path / "claims.yaml", tmp_path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("better: {tables: [trec], gains: [[A, C]]}", "no table has measured both 'A' and 'C'"),
        ("better: {tables: [nowhere], gains: [[A, B]]}", "no table 'nowhere'"),
        ("better: {tables: [trec], gains: [[A, B, C]]}", "not a file of claims"),
        ("better: [A, B]", "not a file of claims"),
        ("[better", "not a file of claims"),
    ],
)
def test_what_a_ledger_cannot_answer_is_refused(text, says, tmp_path):
    with pytest.raises(InputError, match=says):
        claims(tmp_path, [row("A", None, {1: (1, 1)}), row("B", None, {1: (1, 1)})], text=text)
