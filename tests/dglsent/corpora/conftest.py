from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from dglsent.corpora.corpus import Corpus, Splits

Load = Callable[[type[Corpus]], Splits]


@pytest.fixture(scope="module")
def load_real(data_dir: Path, parses_dir: Path) -> Load:
    """Reads a real corpus with its given parses, once for the tests of a file; not to be changed."""

    @cache
    def load(kind: type[Corpus], **options) -> Splits:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DGLSENT_PARSES", str(parses_dir))
            return kind(**options).load(data_dir)

    return load


@pytest.fixture
def no_parses(monkeypatch) -> None:
    """Only the data folder may have parses."""
    monkeypatch.delenv("DGLSENT_PARSES", raising=False)
