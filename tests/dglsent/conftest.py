"""Puts tests/dglsent on the path, so that its tests share `random_graphs`, `agreement` and `tiny`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import PAIRS, Program, recipe

from dglsent.cli.main import main


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Program:
    """The program, run in this process."""
    return Program(capsys)


@pytest.fixture(scope="session")
def trees_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a tiny Tree-LSTM on the built-in reviews; not to be changed."""
    folder = tmp_path_factory.mktemp("trees")
    assert main(["fit", str(recipe(folder)), "--out", str(folder / "run")]) == 0
    return folder / "run"


@pytest.fixture(scope="session")
def pairs_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a tiny model of pairs; not to be changed."""
    folder = tmp_path_factory.mktemp("pairs")
    assert main(["fit", str(recipe(folder, PAIRS)), "--out", str(folder / "run")]) == 0
    return folder / "run"
