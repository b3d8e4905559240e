"""Processes forked from one that has imported everything: no imports to pay for.

That one (multiprocessing's fork server) has run nothing but `found_out`, so that a fork of it is as good as a new
process.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(
    [
        "lightning.pytorch.loggers",
        "torch.utils.tensorboard",
        "dglsent.cli.parse",
        "dglsent.reproduction.reproduction",
        "dglsent.training.callbacks",
        "found_out",
    ]
)


def _process(target: Callable[..., None], args: Sequence[Any]) -> BaseProcess:
    """A fork that has not started; the server that makes it finds `found_out`."""
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(Path(__file__).parent), before)))
    try:
        forkserver.ensure_running()
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before
    return _context.Process(target=target, args=args)


def forked(target: Callable[..., None], args: Sequence[Any] = ()) -> BaseProcess:
    """A process that is to call a function in the environment of this one."""
    return _process(_call, (dict(os.environ), target, args))


class Forks:
    """What multiprocessing's contexts are to the training of several processes: helpers are forks."""

    Pipe = staticmethod(_context.Pipe)
    Process = staticmethod(forked)


class Background:
    """A command at work, in a process group of its own.

    Args:
        arguments: what `dglsent` is told.
        log: where it writes what it says on standard output and standard error.
        folder: where it runs; by default here.
        environment: variables beside those of this process.
    """

    def __init__(
        self,
        arguments: Sequence[object],
        log: Path,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.log = log
        self._open(log)
        variables = {**os.environ, **(environment or {})}
        self._process = _process(
            _be_the_command, (list(map(str, arguments)), str(log), str(folder or Path.cwd()), variables)
        )
        self._process.start()
        self.pid: int = self._process.pid or 0
        self._until_it_is_the_command()

    def _open(self, log: Path) -> None:
        log.write_bytes(b"")

    def _until_it_is_the_command(self) -> None:
        """A signal before that would meet multiprocessing, and it has its own answer."""
        with suppress(ProcessLookupError):
            while os.getpgid(self.pid) != self.pid:
                time.sleep(0.002)

    @property
    def code(self) -> int | None:
        """Its exit code, that of a signal negative; None while it runs."""
        return self._process.exitcode

    @property
    def said(self) -> str:
        """What it has said up to now."""
        return self.log.read_text(errors="replace")

    def poll(self) -> int | None:
        """As subprocess has it."""
        return self.code

    @property
    def returncode(self) -> int | None:
        """As subprocess has it."""
        return self.code

    def strike(self, how: signal.Signals) -> None:
        """Sends it, and none of its children, a signal."""
        if self.code is None:
            os.kill(self.pid, how)

    def wait(self, seconds: float = 300) -> int:
        """Its exit code.

        Raises:
            TimeoutError: it has not ended after so many seconds; then its group is killed.
        """
        self._process.join(seconds)
        if self.code is None:
            os.killpg(self.pid, signal.SIGKILL)
            raise TimeoutError(f"process {self.pid} hangs\n{self.said}")
        return self.code


class Training(Background):
    """One that its parent may stop, and whose log goes on."""

    def _open(self, log: Path) -> None:
        log.touch()

    def terminate(self) -> None:
        """As subprocess has it."""
        self.strike(signal.SIGTERM)

    def kill(self) -> None:
        """As subprocess has it."""
        self.strike(signal.SIGKILL)


def fork(job: Any, options: Sequence[str]) -> Training:
    """Trains a job of `dglsent reproduce`, as `dglsent.reproduction.jobs._start` does, by a fork."""
    job.log.parent.mkdir(parents=True, exist_ok=True)
    return Training(job.command(options)[4:], job.log)


def group_lives(group: int) -> bool:
    """Whether a process of a group is left; a zombie that nobody waits for is none."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    listed = subprocess.run(["ps", "-e", "-o", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    return any(line.split()[0] == str(group) and line.split()[1][0] != "Z" for line in listed.splitlines())


def _call(variables: dict[str, str], target: Callable[..., None], args: Sequence[Any]) -> None:
    os.environ.clear()
    os.environ.update(variables)
    target(*args)


def _be_the_command(arguments: list[str], log: str, folder: str, variables: dict[str, str]) -> None:
    code = 70
    try:
        os.setsid()
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(variables)
        for number in (1, 2):
            os.dup2(os.open(log, os.O_WRONLY | os.O_APPEND), number)
        # A shell's background jobs ignore Ctrl-C, and so would what they start.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        from dglsent.cli.main import main

        code = main(arguments)
    except KeyboardInterrupt:  # before main could answer it
        code = 128 + signal.SIGINT
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
