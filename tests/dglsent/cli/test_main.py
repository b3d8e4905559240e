from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from tiny import TINY, recipe
from torch.utils.data import DataLoader, Dataset

from dglsent.cli.main import COMMANDS

HEAVY = ("torch", "dgl", "lightning", "numpy")


def loaded_by(*arguments):
    """What a command says, and which heavy packages it imports."""
    at_exit = f"atexit.register(lambda: print(set({HEAVY}) & set(sys.modules)))"
    code = f"import atexit, sys; {at_exit}; from dglsent.cli.main import main; main(sys.argv[1:])"
    result = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    *lines, loaded = result.stdout.splitlines()
    return lines, result.stderr, loaded


def test_help_is_light():
    lines, _, loaded = loaded_by("--help")
    assert loaded == "set()"
    for command in COMMANDS:
        assert any(line.split()[:1] == [command] for line in lines)


def test_to_look_for_a_recipe_is_light():
    assert loaded_by("recipes", "sick/tree-lstm")[2] == "set()"
    _, err, loaded = loaded_by("fit", "sick/tree-lst")
    assert err.startswith("dglsent: no recipe 'sick/tree-lst'; did you mean sick/tree-lstm")
    assert loaded == "set()"


def test_options_that_would_not_be_looked_at_are_refused(program):
    for others in (["sick/tree-lstm"], ["--resolved"]):
        program.refuses("recipes", *others, "--classes", saying=["--classes lists classes, and takes neither RECIPE"])


@pytest.mark.parametrize("command", [("predict",), ("test",), ("record", "--out", "tables")])
def test_runs_in_the_place_of_files_are_told(command, trees_run, program):
    said = f"{trees_run}: a run, in the place of a file; give one run a call"
    program.refuses(command[0], trees_run, trees_run, *command[1:], saying=[said])


def test_what_the_demo_can_do_is_told_at_once():
    lines, _, loaded = loaded_by("demo", "--help")
    assert any(line.startswith("usage: dglsent demo") for line in lines)
    assert loaded == "set()"


def test_unknown_command(program):
    program.refuses("fti", saying=["'fti'", "did you mean fit"])
    program.refuses("zzz", saying=["'zzz'", "predict"])


def test_no_command(program):
    code, out, _ = program()
    assert code == 2
    assert "usage" in out


def test_every_command_has_help(program):
    for command in COMMANDS:
        code, out, _ = program(command, "--help")
        assert code == 0
        assert out.startswith("usage: dglsent")


def test_what_is_required_is_told_and_nothing_more(program):
    for command in (("test",), ("record", "--out", "tables")):
        program.refuses(*command, saying=["the following arguments are required: RUN; see `dglsent"])


def test_help_of_fit_lists_the_keys_of_a_recipe(program):
    _, out, _ = program("fit", "--help")
    for key in ("--training.epochs", "--optimiser.lr", "--embedding.vectors", "--seeds"):
        assert key in out


def test_recipes_are_listed_and_shown(program):
    code, out, _ = program("recipes")
    assert code == 0
    listed = {line.split()[0]: line.split(None, 1)[1] for line in out.splitlines()}
    assert {"reviews/tree-lstm", "reviews/bag-of-words", "sst/tree-lstm", "sst2/tree-lstm", "sick/tree-lstm"} <= set(
        listed
    )
    assert all(len(text) > 20 for text in listed.values())
    assert "class_path: SICK" in program("recipes", "sick/tree-lstm", "--resolved")[1]
    assert "base: sick/_base" in program("recipes", "sick/tree-lstm")[1]
    assert not any("/_" in name for name in listed)
    program.refuses("recipes", "--resolved", saying=["RECIPE"])


def test_threads_are_one_and_sleep_while_they_wait(monkeypatch, program):
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, "")  # so that what the command sets goes again
        monkeypatch.delenv(name)
    assert program("recipes")[0] == 0
    assert (os.environ["OMP_NUM_THREADS"], os.environ["OMP_WAIT_POLICY"]) == ("1", "passive")
    assert program("reproduce", "--list", "--threads", "3")[0] == 0
    assert os.environ["OMP_NUM_THREADS"] == "3"
    assert program("recipes")[0] == 0
    assert os.environ["OMP_NUM_THREADS"] == "3"


def test_a_recipe_that_names_a_class_beside_it_is_shown_with_its_defaults(program, tmp_path):
    (tmp_path / "beside_it.py").write_text("from dglsent.models.tree_lstm import BinaryTreeLSTM as Own\n")
    file = recipe(tmp_path, TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "beside_it.Own"))
    code, out, err = program("recipes", file, "--resolved")
    assert (code, err) == (0, "")
    assert "leaf_cell: eq10" in out


class _Killed(Dataset):
    """Ends the process in which it is read, as the system does where memory runs out."""

    def __len__(self):
        return 1

    def __getitem__(self, index):
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_the_system_killed_is_told_in_one_line(monkeypatch, program):
    monkeypatch.setattr("dglsent.cli.recipes.main", lambda _: len(list(DataLoader(_Killed(), num_workers=1))))
    program.refuses("recipes", saying=["DataLoader worker (pid", "`training.workers`", "the same command goes on"])


def test_what_a_worker_itself_finds_wrong_is_raised(monkeypatch, program):
    def fails(_):
        raise RuntimeError("Caught RuntimeError in DataLoader worker process 0.")

    monkeypatch.setattr("dglsent.cli.recipes.main", fails)
    with pytest.raises(RuntimeError, match="Caught RuntimeError"):
        program("recipes")
