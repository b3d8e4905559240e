"""One error policy for every reader: stop at a bad sentence, or leave it out and say which and why.

A file may break in the middle: damaged gzip, a disk that goes away, a line that is not UTF-8. With "skip" the
sentences before are kept, the one that was being read is lost, and the last entry of `skipped` is a BrokenFileError
that names the line. A file that cannot be opened, or breaks before its first line is read, raises either way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, TypeVar

from graphs.errors import BrokenFileError, SentenceError, check_choice

T = TypeVar("T")
OnError: TypeAlias = Literal["raise", "skip"]


class Sentences(list[T]):
    """The sentences of a file, in file order.

    Attributes:
        skipped: what was left out; each entry has its `reason` and its `origin` (file, line, sentence). A
            BrokenFileError at the end: nothing from that line on was read.
    """

    def __init__(self, sentences: Iterable[T] = (), skipped: Iterable[SentenceError] = ()) -> None:
        super().__init__(sentences)
        self.skipped: list[SentenceError] = list(skipped)

    def in_order(self) -> list[T | SentenceError]:
        """The sentences, and in the places of those that were left out why, as they stand in the file."""
        both: list[Any] = [*self, *self.skipped]
        return sorted(both, key=lambda one: one.origin.line)  # several may share a line, and keep their order


def collect(results: Iterable[T | SentenceError], on_error: OnError = "raise") -> Sentences[T]:
    """Gathers what a reader makes of its sentences: a sentence, or the error that it met instead.

    Args:
        results: sentences and errors in file order; errors are values here, so that reading can go on.
            A BrokenFileError that they raise ends them.
        on_error: "raise" stops at the first error, "skip" lists it in `skipped`.

    Raises:
        SentenceError: for the first bad sentence, with `on_error="raise"`.
        InputError: if `on_error` is neither word.
    """
    check_choice("on_error", on_error, ("raise", "skip"))
    sentences: Sentences[T] = Sentences()
    try:
        for result in results:
            if not isinstance(result, SentenceError):
                sentences.append(result)
            elif on_error == "skip":
                sentences.skipped.append(result)
            else:
                raise result
    except BrokenFileError as broken:
        if on_error == "raise":
            raise
        sentences.skipped.append(broken)
    return sentences
