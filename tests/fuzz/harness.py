"""Runs cases: each is read or raises InputError; everything else is a failure, told once with its smallest input."""

from __future__ import annotations

import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from pathlib import Path
from random import Random

from graphs.errors import InputError

_ROOT = Path(__file__).resolve().parents[2]
_SHRINKS = 400  # tries to make an input smaller
_SHRINKING = 20.0  # seconds that they may take
_POOL = 200  # whole inputs of a target, from which its cases are made


@dataclass(frozen=True, slots=True)
class Target:
    """Something that reads files.

    Attributes:
        name: what failures are listed under.
        make: a whole file.
        damage: what makes a case of it.
        use: reads a case and checks what it gave.
        share: how many cases it gets, beside other targets.
    """

    name: str
    make: Callable[[Random], bytes]
    damage: Callable[[bytes, Random], bytes]
    use: Callable[[bytes], None]
    share: float = 1.0


@dataclass(slots=True)
class Failure:
    """A distinct failure: of one kind of error at one place.

    Attributes:
        target: what read.
        kind: the error's class.
        place: the innermost line of the project that it passed through.
        message: what it said.
        data: the smallest input.
        case: the first case, by number.
        times: how many cases failed so.
    """

    target: str
    kind: str
    place: str
    message: str
    data: bytes
    case: int
    times: int = 1

    def __str__(self) -> str:
        shown = repr(self.data if len(self.data) <= 600 else self.data[:600]) + " ..." * (len(self.data) > 600)
        return (
            f"{self.target}: {self.kind} at {self.place} (case {self.case})\n"
            f"    {self.message[:200]}\n    smallest input ({len(self.data)} bytes): {shown}"
        )


@dataclass(slots=True)
class Tally:
    """What came of cases.

    Attributes:
        cases: cases by target.
        accepted: those that were read without an error.
        seconds: time by target.
        failures: distinct failures by target, kind and place.
    """

    cases: Counter[str] = field(default_factory=Counter)
    accepted: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    failures: dict[tuple[str, str, str], Failure] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Adds what came of other cases."""
        for mine, theirs in zip((self.cases, self.accepted), (other.cases, other.accepted), strict=True):
            mine.update(theirs)
        for name, seconds in other.seconds.items():
            self.seconds[name] += seconds
        for key, failure in other.failures.items():
            known = self.failures.setdefault(key, failure)
            if known is not failure:
                known.times += failure.times
                known.data = min(known.data, failure.data, key=len)


class SlowError(BaseException):
    """A case took too long. No Exception, so that no reader takes it for one of its own."""


def run(targets: Sequence[Target], cases: Iterable[int], seed: int, seconds: float | None = None) -> Tally:
    """Runs cases by their numbers; a case depends on the seed and its number alone.

    Args:
        targets: what reads; each gets its share of the cases.
        cases: the numbers.
        seed: the seed.
        seconds: processor time that a case may take; any by default.
    """
    tally = Tally()
    shares = list(accumulate(target.share for target in targets))
    for case in cases:
        random = Random(seed * 1_000_000_007 + case)
        (target,) = random.choices(targets, cum_weights=shares)
        data = target.damage(_whole(target, seed, random.randrange(_POOL)), random)
        start = time.perf_counter()
        wrong = attempt(target, data, seconds)
        tally.seconds[target.name] += time.perf_counter() - start
        tally.cases[target.name] += 1
        if wrong is None:
            tally.accepted[target.name] += 1
        elif not isinstance(wrong, InputError):
            kind, place = _where(wrong)
            key = (target.name, kind, place)
            if key in tally.failures:
                tally.failures[key].times += 1
            else:
                small = shrink(target, data, (kind, place), seconds)
                tally.failures[key] = Failure(target.name, kind, place, str(wrong), small, case)
    return tally


@cache
def _whole(target: Target, seed: int, number: int) -> bytes:
    return target.make(Random(f"{seed} {target.name} {number}"))


def attempt(target: Target, data: bytes, seconds: float | None = None) -> BaseException | None:
    """What a case raises; None where it is read and all that must hold does."""
    try:
        with _limit(seconds):
            target.use(data)
    except InputError as error:
        if "\n" in str(error) or not str(error):
            return AssertionError(f"an error that is not one line: {error}")
        return error
    except (Exception, SlowError) as error:
        return error
    return None


def shrink(target: Target, data: bytes, failure: tuple[str, str], seconds: float | None = None) -> bytes:
    """A small input that fails alike: lines go, then runs of bytes, as long as the failure stays."""
    left, end = _SHRINKS, time.monotonic() + _SHRINKING

    def fails(smaller: bytes) -> bool:
        nonlocal left
        left = left - 1 if time.monotonic() < end else 0
        wrong = attempt(target, smaller, seconds)
        return wrong is not None and not isinstance(wrong, InputError) and _where(wrong) == failure

    for split, joint in ((lambda text: text.split(b"\n"), b"\n"), (lambda text: [bytes([byte]) for byte in text], b"")):
        parts = split(data)
        size = max(1, len(parts) // 2)
        while size and left > 0:
            for start in range(0, len(parts), size):
                fewer = parts[:start] + parts[start + size :]
                if left > 0 and fails(joint.join(fewer)):
                    parts = fewer
                    break
            else:
                size //= 2
        data = joint.join(parts)
    return data


def _where(error: BaseException) -> tuple[str, str]:
    """The kind of an error, and the innermost line of the project that it passed through."""
    place = "?"
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        if file.is_relative_to(_ROOT) and file.name != "harness.py" and ".venv" not in file.parts:
            place = f"{file.relative_to(_ROOT)}:{frame.lineno}, {frame.name}"
    return type(error).__name__, place


@contextmanager
def _limit(seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return

    def late(signal: int, frame: object) -> None:
        raise SlowError(f"took more than {seconds} s")

    # Processor time, so that a busy machine makes nobody slow.
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
