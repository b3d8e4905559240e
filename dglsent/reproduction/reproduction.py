"""A published table that is made again: what is missing is trained, what is there is measured."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from dglsent.lock import locked
from dglsent.reproduction.jobs import Job, jobs_of, train
from dglsent.reproduction.results import Result, measured
from dglsent.reproduction.staleness import EPOCHS, as_made, other_code, other_recipe, stale, stamped, unlike
from dglsent.reproduction.tables import Row, Table
from dglsent.training.fit import Say
from dglsent.training.run import STALE, VERIFYING, Run
from graphs.errors import InputError

_BEFORE = f".before{VERIFYING}"  # ends the name of the folder in which the code that made a run trains it again


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
        outdated: those that are finished and stale.
        failed: the chosen rows that cannot be measured, or not in full.
    """

    def __init__(self, table: Table, chosen: Sequence[Row], seeds: Sequence[int], out: Path, say: Say) -> None:
        self.table, self._chosen, self._say = table, set(chosen), say
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
                missing.update({job.run.path: job for job in unfinished})
                outdated.update({job.run.path: job for of_seed in jobs for job in of_seed if self._why(job)})
        self.missing, self.outdated = list(missing.values()), list(outdated.values())

    def _is_finished(self, job: Job) -> bool:
        """Whether a run is finished; what makes it stale is remembered."""
        if not (job.run.config_file.is_file() and job.run.metrics_file.is_file()):
            return job.run.is_finished(job.config)
        why = stale(job.run, job.config)
        if why:
            self._stale[job.run.path] = why
        return True

    def _why(self, job: Job) -> str | None:
        return self._stale.get(job.run.path)

    def refresh(self) -> None:
        """Put stale runs aside, so that they are missing; each is kept until the new one is finished."""
        for job in self.outdated:
            shutil.rmtree(_beside(job.run, STALE), ignore_errors=True)
            job.run.path.rename(_beside(job.run, STALE))
            del self._stale[job.run.path]
        self.missing, self.outdated = [*self.missing, *self.outdated], []

    def verify(self, options: Sequence[str], parallel: int, code: Path | None = None) -> None:
        """Trains the first epochs of stale runs beside them; those that are the same to the last digit count as new.

        Args:
            options: options of `dglsent fit`; each run has the threads, the processes, the device and, where this CPU
                has them, the vector instructions that it had.
            parallel: how many are trained side by side.
            code: a checkout of the code that made them, with which they are trained too; its epochs are compared in the
                place of those recorded, which another CPU may have rounded otherwise.
        """
        with ExitStack() as held:
            self._verify(options, parallel, code, held)

    def _verify(self, options: Sequence[str], parallel: int, code: Path | None, held: ExitStack) -> None:
        """Of rows that share a run, in two tables say, one command checks it; it holds the runs that it checks."""
        checked: dict[Job, Job] = {}
        befores: dict[Job, Job] = {}  # by what checks a run, the same with the code that made it
        for job in self.outdated:
            if other_recipe(job.run, job.config):
                self._say(f"{job.title}: cannot be verified: {self._why(job)}; --refresh trains it anew")
                continue
            try:
                held.enter_context(locked(job.run.path))
            except InputError as error:
                self._say(f"{job.title}: cannot be verified: {error}")
                continue
            before = job.run.metrics()
            training = job.config.training
            own = ["--training.epochs", str(min(EPOCHS, training.epochs)), "--device", before["device"]]
            if training.average is not None and 1 <= training.average <= training.epochs - EPOCHS:
                own += ["--training.average", "null"]  # of the last epochs alone
            own += ["--threads", str(before["threads"]), "--processes", str(before.get("processes", 1))]
            check = replace(job, run=Run(_beside(job.run, VERIFYING)), own=own, cpu=as_made(before))
            shutil.rmtree(check.run.path, ignore_errors=True)
            checked[check] = job
            if code:
                befores[check] = replace(check, run=Run(_beside(job.run, _BEFORE)), code=str(code.resolve()))
                shutil.rmtree(befores[check].run.path, ignore_errors=True)
        checks = {befores.get(check, check): check for check in checked}
        ended: set[Job] = set()

        def finished(one: Job) -> None:
            check = checks.get(one, one)
            before = befores.get(check)
            ended.add(one)
            if before and not {check, before} <= ended:
                return
            self._compare(checked[check], check, before)
            for done in filter(None, (check, before)):
                shutil.rmtree(done.run.path)
                done.log.unlink()

        train(
            [job for check in checked for job in (check, befores.get(check)) if job],
            options,
            parallel=parallel,
            done=finished,
            failed=lambda check, reason: self._say(f"{check.title}: cannot be verified: {reason}"),
        )

    def _compare(self, job: Job, check: Job, before: Job | None) -> None:
        """Says whether a run is verified by the epochs of `check`, and those of `before` in the place of its own."""
        recorded, again = job.run.metrics(), check.run.metrics()
        known = before.run.metrics() if before else recorded
        different = (before and other_code(recorded, known)) or unlike(known, again)
        if different:
            self._say(f"{job.title}: stays stale: {different}")
            return
        job.run.save_metrics(stamped(recorded, again))
        del self._stale[job.run.path]
        self.outdated.remove(job)
        self._say(f"{job.title}: verified, its first epochs are the same to the last digit")

    def train(self, options: Sequence[str], parallel: int) -> None:
        """Trains the missing runs, `parallel` side by side, with options of `dglsent fit`."""
        done = 0

        def finished(job: Job) -> None:
            nonlocal done
            done += 1
            shutil.rmtree(_beside(job.run, STALE), ignore_errors=True)
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
            return measured(self.table, row, self._jobs.get(row, []), self._stale)
        except InputError as error:
            self._fail(row, row.name, str(error))
            return Result(row)

    def _fail(self, row: Row, title: str, reason: str) -> None:
        if row in self._chosen and row not in self.failed:
            self.failed.append(row)
            self._say(f"{title}: failed: {reason}")


def _beside(run: Run, what: str) -> Path:
    """A folder beside that of a run."""
    return run.path.with_name(run.path.name + what)
