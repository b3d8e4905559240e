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
