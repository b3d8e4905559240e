"""A published table that is made again: what is missing is trained, what is there is measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dglsent.reproduction.jobs import Job, jobs_of, train
from dglsent.reproduction.results import Result, measured
from dglsent.reproduction.tables import Row, Table
from dglsent.training.fit import Say
from graphs.errors import InputError


class Reproduction:
    """A table and the runs behind it.

    Args:
        table: the table.
        chosen: the rows that are trained.
        seeds: seeds of each row.
        out: folder of the runs.
        say: what is told on the way.

    Attributes:
        missing: the runs of chosen rows that are not finished.
        failed: the chosen rows that cannot be measured, or not in full.
    """

    def __init__(self, table: Table, chosen: Sequence[Row], seeds: Sequence[int], out: Path, say: Say) -> None:
        self.table, self._chosen, self._say = table, set(chosen), say
        self._jobs: dict[Row, list[list[Job]]] = {}
        self.failed: list[Row] = []
        runs: dict[Path, Job] = {}  # rows may share a recipe, and then its runs
        for row in table.rows:
            try:
                jobs = jobs_of(row, table.folds, seeds, out)
                unfinished = [job for of_seed in jobs for job in of_seed if not job.run.is_finished(job.config)]
            except InputError as error:
                self._fail(row, row.name, str(error))
                continue
            self._jobs[row] = jobs
            if row in self._chosen:
                runs.update({job.run.path: job for job in unfinished})
        self.missing = list(runs.values())

    def train(self, options: Sequence[str], parallel: int) -> None:
        """Trains the missing runs, `parallel` side by side, with options of `dglsent fit`."""
        done = 0

        def finished(job: Job) -> None:
            nonlocal done
            done += 1
            metrics, score = job.run.metrics(), self.table.scores[0]
            value = metrics[score.split].get(score.name)
            shown = "" if value is None else f" {value:.4f}"
            self._say(f"{job.title}: done{shown} ({metrics['seconds']:.0f} s), {done} of {len(self.missing)}")

        train(
            self.missing,
            options,
            parallel=parallel,
            done=finished,
            failed=lambda job, reason: self._fail(job.row, job.title, reason),
        )

    def results(self) -> list[Result]:
        """Every row of the table with what is measured of it."""
        return [self._measured(row) for row in self.table.rows]

    def _measured(self, row: Row) -> Result:
        try:
            return measured(self.table, row, self._jobs.get(row, []))
        except InputError as error:
            self._fail(row, row.name, str(error))
            return Result(row)

    def _fail(self, row: Row, title: str, reason: str) -> None:
        if row in self._chosen and row not in self.failed:
            self.failed.append(row)
            self._say(f"{title}: failed: {reason}")
