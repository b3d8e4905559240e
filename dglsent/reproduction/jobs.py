"""The runs that a row of a table is made of, trained side by side as processes of their own."""

from __future__ import annotations

import copy
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonargparse import Namespace

import dglsent
from dglsent.reproduction.tables import Row
from dglsent.training import recipe as recipes
from dglsent.training.chosen_recipe import load_recipe
from dglsent.training.run import Run
from dglsent.training.yaml_text import write_yaml
from graphs.errors import InputError

_ONEDNN = {"DEFAULT": "SSE41", "AVX2": "AVX2"}  # vector instructions as oneDNN, which convolves, names them
_PATIENCE = 10.0  # seconds that a stopped training has to end by itself

# Python puts the working folder on the path, with -c and -m alike; what lies there is not ours to import. Where dglsent
# is not installed, it is found where this process found it. Standard input stays open as long as this process lives.
_PROGRAM = """\
import sys
sys.path[:] = [*filter(None, sys.path), sys.argv.pop(1)]
from dglsent.cli.watched import main
sys.exit(main())
"""
HOME = Path(dglsent.__file__).parents[1]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One run of a row.

    Attributes:
        row: the row.
        seed: its seed.
        fold: which part of the corpus is tested on, where the table has folds.
        config: the resolved recipe with both.
        text: the same as YAML.
        run: the folder, which is that of `dglsent fit`.
        own: options of `dglsent fit` for this one alone; they overrule those for all.
        cpu: the vector instructions that torch is to use, as it names them; "" for the best that there are.
        code: a checkout whose code trains it; "" for the code of this process.
    """

    row: Row
    seed: int
    fold: int | None
    config: Namespace
    text: str
    run: Run
    own: Sequence[str] = ()
    cpu: str = ""
    code: str = ""

    @property
    def title(self) -> str:
        """The row and which of its runs."""
        fold = "" if self.fold is None else f" fold {self.fold}"
        return f"{self.row.name} seed {self.seed}{fold}"

    @property
    def log(self) -> Path:
        """What the training says, beside the run folder."""
        return self.run.path.with_name(f"{self.run.path.name}.log")

    def beside(self, ending: str) -> Run:
        """The run folder of that name and an ending."""
        return Run(self.run.path.with_name(self.run.path.name + ending))

    def command(self, options: Iterable[str]) -> list[str]:
        """The command that trains it."""
        fold = [] if self.fold is None else ["--corpus.fold", str(self.fold)]
        program = [sys.executable, "-c", _PROGRAM, str(HOME), "fit", str(self.row.recipe)]
        return [*program, "--seed", str(self.seed), "--out", str(self.run.path), *options, *self.own, *fold]


def jobs_of(row: Row, folds: int | None, seeds: Sequence[int], out: Path) -> list[list[Job]]:
    """The runs of a row, one list a seed.

    Raises:
        InputError: its recipe is missing or broken, or its corpus has no folds.
    """
    if row.recipe is None:
        return []
    name, config, tree = _resolved(row, folds is not None)

    def job(seed: int, fold: int | None) -> Job:
        mine, written = config.clone(), copy.deepcopy(tree)
        mine.seed = written["seed"] = seed
        folder = out / name / f"seed-{seed}"
        if fold is not None:
            mine.corpus.init_args.fold = written["corpus"]["init_args"]["fold"] = fold
            folder /= f"fold-{fold}"
        return Job(row, seed, fold, mine, write_yaml(written), Run(folder))

    return [[job(seed, fold) for fold in (range(folds) if folds else [None])] for seed in seeds]


@cache  # of this very row of this very table: one that is read anew, maybe after its recipe was edited, is another
def _resolved(row: Row, has_folds: bool) -> tuple[str, Namespace, dict[str, Any]]:
    """What the folder of a row's runs is called, its resolved recipe, and the same as YAML is read."""
    name, config = load_recipe(str(row.recipe), ["--corpus.fold", "0"] if has_folds else [])
    return name, config, recipes.tree(config)


def train(
    jobs: Iterable[Job],
    options: Sequence[str],
    *,
    parallel: int,
    done: Callable[[Job], None],
    failed: Callable[[Job, str], None],
) -> None:
    """Trains, or goes on with, each job; what a row has left is given up once one of its jobs fails.

    Args:
        jobs: in order.
        options: options of `dglsent fit` for each of them.
        parallel: how many run side by side.
        done: called after a job.
        failed: called with a job and the reason, once for a row.
    """
    waiting, running, broken = deque(jobs), dict[Job, tuple[subprocess.Popen[bytes], int]](), set[Row]()
    try:
        while waiting or running:
            while waiting and len(running) < parallel:
                job = waiting.popleft()
                if job.row not in broken:
                    said = job.log.stat().st_size if job.log.exists() else 0  # by earlier trainings
                    running[job] = _start(job, options), said
            for job in [job for job, (process, _) in running.items() if process.poll() is not None]:
                process, said = running.pop(job)
                if process.returncode == 0:
                    done(job)
                elif job.row not in broken:
                    broken.add(job.row)
                    text = job.log.read_bytes()[said:].decode(errors="replace")
                    failed(job, f"{why_ended(process.returncode, text)} ({job.log})")
            time.sleep(0.05)
    finally:
        _stop(process for process, _ in running.values())


def _start(job: Job, options: Sequence[str]) -> subprocess.Popen[bytes]:
    try:
        job.log.parent.mkdir(parents=True, exist_ok=True)
        chosen = {"ATEN_CPU_CAPABILITY": job.cpu.lower(), "ONEDNN_MAX_CPU_ISA": _ONEDNN[job.cpu]} if job.cpu else {}
        if job.code:
            chosen["PYTHONPATH"] = path_to(job.code)
        with job.log.open("ab") as log:
            return subprocess.Popen(
                job.command(options), env={**os.environ, **chosen}, stdin=subprocess.PIPE, stdout=log, stderr=log
            )
    except OSError as error:
        raise InputError(f"{job.log}: cannot be written ({error.strerror}); choose another --out") from None


def path_to(code: str | os.PathLike[str]) -> str:
    """The PYTHONPATH on which a checkout stands before all else."""
    return os.pathsep.join(filter(None, [os.fspath(code), os.environ.get("PYTHONPATH")]))


def _stop(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    running = list(processes)
    for process in running:
        process.terminate()
    end = time.monotonic() + _PATIENCE
    for process in running:
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        process.kill()  # nothing where it has ended
        process.wait()


def why_ended(code: int, said: str) -> str:
    """Why a process failed: the signal that ended it, or its last line.

    Args:
        code: how it ended, as subprocess tells; of a signal its negative number.
        said: all that it said.
    """
    if code >= 0:
        last = next((line.strip() for line in reversed(said.split("\n")) if line.strip()), "it said nothing")
        return last.removeprefix("dglsent: ")
    name = next((each.name for each in signal.Signals if each == -code), f"signal {-code}")
    memory = "; there may have been too little memory: fewer --jobs, or smaller batches" if name == "SIGKILL" else ""
    return f"it was ended by {name}{memory}"
