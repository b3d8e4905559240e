"""What commands say while they work, and when they are stopped."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dglsent.training.run import Run


# A terminal obeys some of them, and names in files of other people may hold them.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """Text whose control characters are written as in JSON, a backslash and their number; tabs and line ends stay."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def tell(text: object, *, end: str = "\n", flush: bool = False) -> None:
    """A result, on standard output; a program gets it as it is, a terminal what is printable."""
    print(printable(str(text)) if sys.stdout.isatty() else text, end=end, flush=flush)


def say(line: str) -> None:
    """A line about the work, apart from its results."""
    print(printable(line), file=sys.stderr, flush=True)


def complain(error: object) -> None:
    """What is wrong with all that is given or, where the others go on, with one of several inputs; in one line.

    Other spaces stay as they are: names of files have two of them in a row, and words U+00A0.
    """
    say("dglsent: " + re.sub(r"\s*[\r\n]\s*", " ", str(error).strip()))


def tell_unfinished(run: Run) -> None:
    """Says that a run whose weights are used is still to be trained, where it is."""
    if run.checkpoint.is_file() and not run.metrics_file.is_file():
        say(f"{run.path}: not finished; these are the weights of its best epoch so far")


@contextmanager
def resumed_by(command: str, how: str = "to go on") -> Iterator[None]:
    """Has Ctrl-C say by which command the work goes on."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; {how}: {command}") from None


class Progress:
    """A line on standard error: on a terminal it is written over, elsewhere a new one comes twice a minute."""

    def __init__(self, name: str) -> None:
        self._name = printable(name)
        self._terminal = sys.stderr.isatty()
        self._start: tuple[float, int] | None = None  # the first call counts what was in the cache
        self._shown = 0.0

    def __call__(self, done: int, total: int, failed: int) -> None:
        """So many of all sentences are done, of which some failed."""
        now = time.monotonic()
        self._start = self._start or (now, done)
        if done < total and now - self._shown < (0.1 if self._terminal else 30):
            return
        self._shown = now
        start, before = self._start
        rate = f", {(done - before) / (now - start):.0f}/s" if done > before else ""
        line = f"{self._name}: {done}/{total} sentences{rate}, {failed} failed"
        print(
            f"\r{line}\x1b[K" if self._terminal else line,
            end="" if self._terminal else "\n",
            file=sys.stderr,
            flush=True,
        )

    def end(self) -> None:
        """Leave the line as it is."""
        if self._terminal and self._start:
            print(file=sys.stderr)
