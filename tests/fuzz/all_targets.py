"""Everything that reads files."""

from __future__ import annotations

from pathlib import Path

import corpora
import readers
import runs
import stores
from harness import Target


def targets(folder: Path) -> list[Target]:
    """All targets; their files lie in `folder`."""
    return [*readers.targets(folder), *corpora.targets(folder), *runs.targets(folder), *stores.targets(folder)]
