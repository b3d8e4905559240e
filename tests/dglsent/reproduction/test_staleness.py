from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch
from job_of_run import job_of

from dglsent.reproduction.staleness import as_made, other_code, stale, stamped, stamped_by_steps, unlike
from dglsent.training import recipe as recipes
from dglsent.training.provenance import MIXED
from dglsent.training.run import Run
from dglsent.training.source_files import hashes
from dglsent.version import version

CELLS = "dglsent.nn.cells"


@pytest.fixture
def run(trees_run, tmp_path) -> Run:
    """A run to be changed."""
    shutil.copytree(trees_run, tmp_path / "run")
    return Run(tmp_path / "run")


def made_of(run: Run, **code: str | None) -> None:
    """Changes what a run says of its code; None leaves a module out."""
    metrics = run.metrics()
    known = {**metrics["provenance"]["code"], **{name.replace("__", "."): made for name, made in code.items()}}
    metrics["provenance"]["code"] = {name: made for name, made in known.items() if made is not None}
    run.save_metrics(metrics)


def test_a_run_of_this_code_is_not_stale(run):
    assert stale(job_of(run)) is None


def test_changed_code(run):
    made_of(run, dglsent__nn__cells="0", graphs__builders="1")
    assert stale(job_of(run)) == "code changed since: dglsent.nn.cells, graphs.builders"


def test_a_module_that_is_gone_is_named_with_where_it_went(run):
    cells = run.metrics()["provenance"]["code"][CELLS]
    made_of(run, dglsent__nn__cells=None, dglsent__models__cells=cells, dglsent__models__lost="0")
    why = stale(job_of(run))
    assert why == "renamed, moved or deleted since: dglsent.models.cells (now dglsent.nn.cells), dglsent.models.lost"


@pytest.mark.parametrize(("count", "more"), [(4, ""), (5, " and 1 more")])
def test_of_many_modules_the_first_are_named(count, more, run):
    made_of(run, **{f"graphs__gone{number}": "0" for number in range(count)})
    named = ", ".join(f"graphs.gone{number}" for number in range(4))
    assert stale(job_of(run)) == f"renamed, moved or deleted since: {named}{more}"


def test_code_that_changed_on_the_way_is_told_apart(run):
    made_of(run, dglsent__nn__cells=MIXED, graphs__no_more=MIXED, graphs__builders="1")
    mixed = f"code that {MIXED}: dglsent.nn.cells, graphs.no_more"
    assert stale(job_of(run)) == f"{mixed}; code changed since: graphs.builders"


def test_a_run_verified_by_its_first_steps_has_the_modules_that_it_used_and_new_ones(run):
    recorded = run.metrics()
    recorded["provenance"] = {
        "code": {"a": "0", "b": "0"},
        "verified": [{"version": "0", "code": {"a": "1", "c": "1"}, "epochs": 2}],
    }
    before = {"code": {"a": "1", "b": "1", "c": "1", "unused": "1"}, "losses": [0.5, 0.25]}
    again = {"code": {"a": "2", "b": "2", "unused": "2", "new": "2"}, "losses": [0.5, 0.25]}
    first, second = stamped_by_steps(recorded, again, before)["provenance"]["verified"]
    assert first["epochs"] == 2
    assert (second["code"], second["steps"], second["version"]) == ({"a": "2", "new": "2"}, 2, version())


def test_other_code_is_told_of_the_last_that_verified_a_run(run):
    again = run.metrics()
    recorded = run.metrics()
    cells = {**again["provenance"]["code"], CELLS: "0"}
    recorded["provenance"]["code"] = {**again["provenance"]["code"], "graphs.builders": "0"}
    recorded["provenance"]["verified"] = [{"version": "0", "code": cells, "epochs": 1}]
    assert other_code(recorded, again) == f"it was made of other code than that: {CELLS}"


@pytest.mark.parametrize("made_of", [None, {}, {"code": None}])
def test_a_run_that_says_no_code_is_stale(made_of, run):
    run.save_metrics({**run.metrics(), "provenance": made_of})
    assert stale(job_of(run)) == "it was made before runs said of which code"


def test_a_module_on_which_no_number_depends_may_change(run):
    made_of(run, dglsent__training__ranges="0", graphs__drawing__tree="0", dglsent__training__run="0")
    assert stale(job_of(run)) is None
    made_of(run, dglsent__nn__cells="0")
    assert stale(job_of(run)) == "code changed since: dglsent.nn.cells"


def test_code_is_that_of_the_run_or_what_it_was_verified_with(run):
    first = run.metrics()
    made_of(run, dglsent__nn__cells="0", graphs__drawing__tree="0")
    now = run.metrics()
    assert other_code(first, first) is None
    assert other_code(now, first) == "it was made of other code than that: dglsent.nn.cells"
    assert other_code(stamped(now, first), first) is None
    now["provenance"]["code"] = None
    assert other_code(now, first) == "it does not say of which code it was made"


def test_another_recipe(run):
    config = run.config()
    config.optimiser.lr = 0.02
    assert stale(job_of(run, config)) == "its recipe has changed (optimiser.lr is 0.05 there and 0.02 here)"


def test_a_file_that_the_recipe_names_has_changed(run, tmp_path):
    config, words = run.config(), tmp_path / "own.vec"
    config.embedding.vectors = str(words)
    run.config_file.write_text(recipes.dump(config))
    words.write_text("film 0 1\n")
    run.sources_file.write_text(json.dumps(hashes(config)))
    assert stale(job_of(run, config)) is None
    words.write_text("film 1 0\n")
    assert stale(job_of(run, config)) == f"{words} has changed"


def test_a_file_in_the_data_folder_that_was_named_has_changed(run, tmp_path):
    config, words = run.config(), tmp_path / "own.vec"
    config.embedding.vectors = "own.vec"
    run.config_file.write_text(recipes.dump(config))
    words.write_text("film 0 1\n")
    run.sources_file.write_text(json.dumps(hashes(config, tmp_path)))
    words.write_text("film 1 0\n")
    assert stale(job_of(run, config), tmp_path) == "own.vec has changed"


def test_a_verified_run_is_fresh_until_code_changes_again(run):
    again = run.metrics()
    made_of(run, dglsent__nn__cells="0")
    run.save_metrics(stamped(run.metrics(), again))
    assert stale(job_of(run)) is None
    metrics = run.metrics()
    assert metrics["provenance"]["code"][CELLS] == "0"
    metrics["provenance"]["verified"][0]["code"]["graphs.builders"] = "1"
    run.save_metrics(metrics)
    assert stale(job_of(run)) == "code changed since: graphs.builders"
    metrics["provenance"]["code"] = again["provenance"]["code"]
    run.save_metrics(metrics)
    assert stale(job_of(run)) is None, "code that went back to what the run was made of"


def test_a_run_that_did_not_say_of_which_code_can_be_verified(run):
    again = run.metrics()
    before = {name: value for name, value in again.items() if name != "provenance"}
    Path(run.metrics_file).write_text(json.dumps(before))
    assert stale(job_of(run)) == "it was made before runs said of which code"
    run.save_metrics(stamped(before, again))
    assert stale(job_of(run)) is None
    assert run.metrics()["provenance"]["code"] is None


def test_first_figure_that_is_another(run):
    before, again = run.metrics(), run.metrics()
    assert unlike(before, again) is None
    again["history"][1]["dev"]["accuracy"] += 1e-9
    assert unlike(before, again).startswith("dev accuracy of epoch 2 was ")
    again["history"][0]["loss"] = None
    assert unlike(before, again).startswith("loss of epoch 1 was ")
    assert "vector instructions" not in unlike(before, again)
    here, before["provenance"]["cpu"] = before["provenance"]["cpu"], "VSX"
    assert as_made(before) == ""
    assert unlike(before, again).endswith(f"; it was made with the vector instructions VSX, here they are {here}")
    del before["provenance"]["cpu"]
    assert unlike(before, again).endswith(f"instructions of an unknown CPU, here they are {here}")


def test_vector_instructions_are_those_that_a_run_had_where_there_are_more(monkeypatch):
    for here, made, chosen in (
        ("AVX512", "AVX2", "AVX2"),
        ("AVX2", "AVX512", ""),
        ("AVX2", "AVX2", ""),
        ("SVE", "AVX2", ""),
    ):
        monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda here=here: here)
        assert as_made({"provenance": {"cpu": made}}) == chosen
    assert as_made({"provenance": {}}) == as_made({}) == ""
