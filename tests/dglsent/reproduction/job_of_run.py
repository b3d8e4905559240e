"""A run as one of a row of a table."""

from __future__ import annotations

from jsonargparse import Namespace

from dglsent.reproduction.jobs import Job
from dglsent.reproduction.tables import Row
from dglsent.training import recipe as recipes
from dglsent.training.run import Run


def job_of(run: Run, config: Namespace | None = None) -> Job:
    """The run with a row's recipe; by default its own."""
    config = config or run.config()
    return Job(Row("Tree-LSTM", ""), 1, None, config, recipes.dump(config), run)
