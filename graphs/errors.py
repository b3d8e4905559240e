"""What goes wrong with a sentence, said in one line: file, line, sentence, reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a sentence was read.

    Attributes:
        file: path of the file, "" for a sentence made in memory.
        line: line on which the sentence starts, counted from 1; 0 where unknown.
        sentence: its id where the file gives one, else its ordinal from 1.
    """

    file: str = ""
    line: int = 0
    sentence: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.file and self.line else self.file
        if self.line and not self.file:
            place = f"line {self.line}"
        name = f"sentence {self.sentence}" if self.sentence else ""
        return ", ".join(part for part in (place, name) if part)


class InputError(ValueError):
    """Input that cannot be used. The message is one line that says what to do; programs print it bare."""


class SentenceError(InputError):
    """A sentence that cannot become the wanted graph.

    Attributes:
        origin: where the sentence stands.
        reason: what is wrong with it.
    """

    def __init__(self, reason: str, origin: Origin | None = None) -> None:
        self.origin = origin or Origin()
        self.reason = reason
        where = str(self.origin)
        # Of a fault on the line on which the sentence starts, `where` has the line.
        super().__init__(f"{where}: {reason.removeprefix(f'line {self.origin.line}: ')}" if where else reason)


class BrokenFileError(SentenceError):
    """A file that cannot be read beyond a line, which `origin` names; what stands before has been read."""


def counted(number: int, what: str) -> str:
    """So many of something, as in "1 column" and "2 columns"."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def one_line(error: BaseException, longest: int | None = None) -> str:
    """What an error of a library says, in one line of so many characters; its class where it says nothing."""
    return " ".join(str(error).split())[:longest] or type(error).__name__


def check_kind(given: object, wanted: type | tuple[type, ...], hint: str) -> None:
    """Refuse what is of another type than those that a function is for.

    Raises:
        InputError: it is; `hint` says what to do, and more is said where a list of what is wanted was given.
    """
    if not isinstance(given, wanted):
        if isinstance(given, list | tuple) and given and isinstance(given[0], wanted):
            hint += "; of several give one at a time, as in [made_of(each) for each in given]"
        names = " or ".join(kind.__name__ for kind in (wanted if isinstance(wanted, tuple) else (wanted,)))
        raise InputError(f"{names} is wanted, and {type(given).__name__} was given; {hint}")


def check_size(what: str, given: int, wanted: int, hint: str = "") -> None:
    """Refuse vectors or states of another size than a layer was made for; `what` they are is said in the plural.

    Raises:
        InputError: they have; `hint` says what to do.
    """
    if given != wanted:
        raise InputError(f"{what} have {counted(given, 'dimension')}; {wanted} are wanted{hint and f'; {hint}'}")


def check_choice(name: str, given: object, choices: Sequence[object]) -> None:
    """Refuse a value of an option that is none of its choices.

    Raises:
        InputError: it is not; the line names them.
    """
    if given not in choices:
        raise InputError(f"{name} is {given!r}; use {' or '.join(map(repr, choices))}")


def check_whole(least: int = 1, /, **given: object) -> None:
    """Refuse values of options, by their names, that are no whole numbers from the least one.

    Raises:
        InputError: one is none.
    """
    for name, value in given.items():
        if not isinstance(value, Integral) or value < least:
            raise InputError(f"{name} is {value!r}; give a whole number from {least}")


def check_share(**given: object) -> None:
    """Refuse values of options, by their names, that are no shares, such as that which dropout drops.

    Raises:
        InputError: one is none.
    """
    for name, value in given.items():
        if not isinstance(value, Real) or not 0 <= float(value) <= 1:
            raise InputError(f"{name} is {value!r}; give a number from 0 to 1")
