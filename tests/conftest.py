"""Fixtures that the whole test suite shares."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real corpora: $DGLSENT_DATA or ../shared/data; without either the test is skipped."""
    named = os.environ.get("DGLSENT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no corpora: {folder} does not exist (set DGLSENT_DATA to their folder)")
    return folder


@pytest.fixture(scope="session")
def stanza_dir() -> Path:
    """A folder of Stanza's models: $DGLSENT_STANZA or ../shared/stanza/stanza_resources; else the test is skipped."""
    named = os.environ.get("DGLSENT_STANZA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "stanza" / "stanza_resources"
    if not (folder / "resources.json").is_file():
        pytest.skip(f"no Stanza models: {folder} has no resources.json (set DGLSENT_STANZA to their folder)")
    return folder


@pytest.fixture(scope="session")
def parses_dir() -> Path:
    """The folder of given parses: $DGLSENT_PARSES or ../shared/stanza/parsed; without either the test is skipped."""
    named = os.environ.get("DGLSENT_PARSES")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "stanza" / "parsed"
    if not folder.is_dir():
        pytest.skip(f"no parses: {folder} does not exist (set DGLSENT_PARSES to their folder)")
    return folder
