"""The first epochs of a stale run trained again beside it, to be compared with those that it recorded."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dglsent.reproduction.jobs import Job
from dglsent.reproduction.staleness import EPOCHS, LONG, as_made, other_code, stamped, unlike
from dglsent.training.run import VERIFYING

_BEFORE = f".before{VERIFYING}"  # ends the name of the folder in which the code that made a run trains it again


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """What verifies a run.

    Attributes:
        job: the run.
        again: its first epochs with the code of today.
        before: the same with the code that made it, to be compared in the place of those recorded; None for these.
    """

    job: Job
    again: Job
    before: Job | None

    @property
    def trainings(self) -> Sequence[Job]:
        """What is to be trained."""
        return [self.again] if self.before is None else [self.again, self.before]

    def difference(self) -> str | None:
        """Why the trained epochs do not verify the run; None, and the run says so from now on, where they do."""
        recorded, again = self.job.run.metrics(), self.again.run.metrics()
        known = recorded
        if self.before:
            known = self.before.run.metrics()
            if other := other_code(recorded, known):
                return other
        different = unlike(known, again)
        if different is None:
            self.job.run.save_metrics(stamped(recorded, again))
        return different

    def clear(self) -> None:
        """Remove what was trained."""
        for training in self.trainings:
            shutil.rmtree(training.run.path, ignore_errors=True)
            training.log.unlink(missing_ok=True)


def verification_of(job: Job, code: Path | None) -> Verification:
    """What is to be trained to verify a run.

    It has the run's threads, processes and device, and its vector instructions where this CPU has them.

    Args:
        job: the run.
        code: a checkout of the code that made it; None to compare with what it recorded.
    """
    recorded, training = job.run.metrics(), job.config.training
    epochs = min(EPOCHS if recorded["seconds"] <= LONG * recorded["epochs"] else 1, training.epochs)
    average = int(training.average or 0)  # of the last epochs; the first of these is scored as it is
    if average:
        epochs = min(epochs, training.epochs - average + 1)
    own = ["--training.epochs", str(epochs), "--device", recorded["device"]]
    if average:
        own += ["--training.average", "null"]
    own += ["--threads", str(recorded["threads"]), "--processes", str(recorded.get("processes", 1))]
    again = replace(job, run=job.beside(VERIFYING), own=own, cpu=as_made(recorded))
    before = replace(again, run=job.beside(_BEFORE), code=str(code.resolve())) if code else None
    return Verification(job, again, before)
