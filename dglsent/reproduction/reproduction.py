"""A published table that is made again: what is missing is trained, what is there is measured."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from dglsent.lock import locked
from dglsent.reproduction.first_steps import compared, different
from dglsent.reproduction.jobs import Job, jobs_of, train
from dglsent.reproduction.results import Result, left_out, measured
from dglsent.reproduction.staleness import other_code, other_files, other_recipe, stale, stamped_by_steps
from dglsent.reproduction.tables import Row, Table
from dglsent.reproduction.verification import Verification, verification_of
from dglsent.training.fit import Say
from dglsent.training.run import STALE
from graphs.errors import InputError


class Reproduction:
    """A table and the runs behind it.

    Args:
        table: the table.
        chosen: the rows that are trained.
        seeds: seeds of each row.
        out: folder of the runs.
        say: what is told on the way.
        folds: of a table with folds, how many are trained and count, from the first; None for all.
        data: the data folder, in which files that recipes name may lie; None for that of the environment.

    Raises:
        InputError: two recipes would share their runs.

    Attributes:
        missing: the runs of chosen rows that are not finished.
        outdated: those that are finished and stale.
        failed: the chosen rows that cannot be measured, or not in full.
    """

    def __init__(
        self,
        table: Table,
        chosen: Sequence[Row],
        seeds: Sequence[int],
        out: Path,
        say: Say,
        folds: int | None = None,
        data: Path | None = None,
    ) -> None:
        self.table, self._chosen, self._say, self._folds, self._data = table, set(chosen), say, folds, data
        self._jobs: dict[Row, list[list[Job]]] = {}
        self._stale: dict[Path, str] = {}
        self.failed: list[Row] = []
        # Rows may share a recipe, and then its runs.
        missing: dict[Path, Job] = {}
        outdated: dict[Path, Job] = {}
        for row in table.rows:
            try:
                jobs = jobs_of(row, table.folds, seeds, out)
                unfinished = [job for of_seed in jobs for job in of_seed if not self._is_finished(job)]
            except InputError as error:
                self._fail(row, row.name, str(error))
                continue
            self._jobs[row] = jobs
            if row in self._chosen:
                stale_ones = [job for of_seed in jobs for job in of_seed if self._why(job)]
                missing.update({job.run.path: job for job in unfinished if self._is_wanted(job)})
                outdated.update({job.run.path: job for job in stale_ones if self._is_wanted(job)})
        self._check_paths()
        self.missing, self.outdated = list(missing.values()), list(outdated.values())

    def _check_paths(self) -> None:
        """Refuses recipes of one name in two places, whose runs would have one folder."""
        made: dict[Path, Row] = {}
        for row, jobs in self._jobs.items():
            if not jobs:
                continue
            run = jobs[0][0].run.path
            other = made.setdefault(run, row)
            if Path(str(other.recipe)).resolve() != Path(str(row.recipe)).resolve():
                raise InputError(
                    f"{other.recipe} and {row.recipe} would share {run.parent}; name one of them otherwise"
                )

    def _is_wanted(self, job: Job) -> bool:
        return self._folds is None or job.fold is None or job.fold < self._folds

    def _is_finished(self, job: Job) -> bool:
        """Whether a run is finished; what makes it stale is remembered."""
        if not (job.run.config_file.is_file() and job.run.metrics_file.is_file()):
            return job.run.is_finished(job.config, self._data)
        why = stale(job, self._data)
        job.run.tidy()
        if why:
            self._stale[job.run.path] = why
        return True

    def _why(self, job: Job) -> str | None:
        return self._stale.get(job.run.path)

    def refresh(self) -> None:
        """Put stale runs aside, so that they are missing; each is kept until the new one is finished."""
        for job in self.outdated:
            with locked(job.run.path):
                if job.run.metrics_file.is_file():  # else another command has put it aside
                    shutil.rmtree(job.beside(STALE).path, ignore_errors=True)
                    job.run.path.rename(job.beside(STALE).path)
            del self._stale[job.run.path]
        self.missing, self.outdated = [*self.missing, *self.outdated], []

    def verify(self, options: Sequence[str], parallel: int, code: Path | None = None) -> None:
        """Trains the first epochs of stale runs beside them; those that are the same to the last digit count as new.

        Args:
            options: options of `dglsent fit` beside those that `verification_of` gives each.
            parallel: how many are trained side by side.
            code: a checkout of the code that made them, with which they are trained too; its epochs are compared in the
                place of those recorded, which another CPU may have rounded otherwise.
        """
        with ExitStack() as held:
            checks = [check for job in self.outdated if (check := self._check(job, code, held))]
            waiting = {training: check for check in checks for training in check.trainings}

            def ended(training: Job) -> None:
                check = waiting.pop(training)
                if check not in waiting.values():
                    self._tell(check.job, check.difference(), "its first epochs")
                    check.clear()

            train(
                list(waiting),
                options,
                parallel=parallel,
                done=ended,
                failed=lambda job, reason: self._say(f"{job.title}: cannot be verified: {reason}"),
            )

    def verify_steps(self, steps: int, code: Path, data: Path | None) -> None:
        """Trains the first steps of stale runs with this code and a checkout; those that are the same count as new.

        Args:
            steps: how many steps.
            code: a checkout of the code that made the runs, or with which they were verified.
            data: the data folder; None for that of the environment.
        """
        with ExitStack() as held:
            jobs = [job for job in self.outdated if self._hold(job, held)]
            for job, again, before in compared(jobs, steps, code, data):
                recorded = job.run.metrics()
                differs = different(again, before) or other_code(recorded, {"provenance": before})
                if differs is None:
                    job.run.save_metrics(stamped_by_steps(recorded, again, before))
                self._tell(job, differs, f"its first {len(again.get('losses', ()))} steps")

    def _check(self, job: Job, code: Path | None, held: ExitStack) -> Verification | None:
        """What verifies a run."""
        if not self._hold(job, held):
            return None
        check = verification_of(job, code)
        check.clear()  # of a command that was stopped
        return check

    def _hold(self, job: Job, held: ExitStack) -> bool:
        """Whether a run can be verified; of rows that share it, in two tables say, one command does, and holds it."""
        if other_recipe(job) or other_files(job, self._data):
            self._say(f"{job.title}: cannot be verified: {self._why(job)}; --refresh trains it anew")
            return False
        try:
            held.enter_context(locked(job.run.path))
        except InputError as error:
            self._say(f"{job.title}: cannot be verified: {error}")
            return False
        return True

    def _tell(self, job: Job, differs: str | None, what: str) -> None:
        """Says whether a run is verified, and strikes it off."""
        if differs:
            self._say(f"{job.title}: stays stale: {differs}")
            return
        del self._stale[job.run.path]
        self.outdated.remove(job)
        self._say(f"{job.title}: verified, {what} are the same to the last digit")

    def train(self, options: Sequence[str], parallel: int) -> None:
        """Trains the missing runs, `parallel` side by side, with options of `dglsent fit`."""
        done = 0

        def finished(job: Job) -> None:
            nonlocal done
            done += 1
            shutil.rmtree(job.beside(STALE).path, ignore_errors=True)
            metrics, score = job.run.metrics(), self.table.scores[0]
            value = metrics[score.split].get(score.name)
            shown = "" if value is None else f" {value:.4f}"
            self._say(f"{job.title}: done{shown} ({metrics['seconds']:.0f} s), {done} of {len(self.missing)}")

        train(
            self.missing,
            options,
            parallel=parallel,
            done=finished,
            failed=self._failed,
        )

    def results(self) -> list[Result]:
        """Every row of the table with what is measured of it."""
        return [self._measured(row) for row in self.table.rows]

    def _measured(self, row: Row) -> Result:
        try:
            jobs = self._jobs.get(row, [])
            result = measured(self.table, row, jobs, self._stale, self._folds)
            if row in self._chosen:
                for seed in left_out(jobs, result.folds):
                    self._say(f"{row.name}: {seed} and does not count")
            return result
        except InputError as error:
            self._fail(row, row.name, str(error))
            return Result(row)

    def _failed(self, job: Job, reason: str) -> None:
        """Tells a training that failed of each row that has it."""
        for row, jobs in self._jobs.items():
            if any(job.run.path == each.run.path for of_seed in jobs for each in of_seed):
                self._fail(row, replace(job, row=row).title, reason)

    def _fail(self, row: Row, title: str, reason: str) -> None:
        if row in self._chosen and row not in self.failed:
            self.failed.append(row)
            self._say(f"{title}: failed: {reason}")
