from __future__ import annotations

import io
import shutil
from contextlib import redirect_stderr, redirect_stdout
from types import SimpleNamespace

import pytest
from reproduced import ONE_EPOCH, TABLE, environment, train_by_forks
from tiny import recipe

from dglsent.cli.main import main


@pytest.fixture
def run(trees_run, tmp_path):
    """A run that may be damaged."""
    shutil.copytree(trees_run, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def forks(monkeypatch):
    train_by_forks(monkeypatch)


@pytest.fixture
def reproducing(monkeypatch):
    """Trainings find what they train."""
    environment(monkeypatch)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A table of which one row works: its folder, and what its command said."""
    folder = tmp_path_factory.mktemp("table")
    recipe(folder, ONE_EPOCH)
    recipe(folder, ONE_EPOCH.replace("dim: 8", "dim: 8, vectors: nowhere.txt"), "broken.yaml")
    table = recipe(folder, TABLE.replace("FOLDER", str(folder)), "table.yaml")
    command = ["reproduce", table, "--seeds", "1,2", "--jobs", "2", "--out", folder / "runs", "--data", folder]
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        environment(patch)
        train_by_forks(patch)
        code = main([str(argument) for argument in command])
    return folder, command, SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=err.getvalue())
