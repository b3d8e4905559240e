"""Finding sentences in recordings by their words, whatever their case, punctuation and spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

from pandas import DataFrame

from graphs.errors import InputError

SIDES: Final = ("text", "other")  # columns of examples


def bare(text: str) -> str:
    """The letters and digits of a text, of whatever script, in lower case; of a text without any, what stands there."""
    return "".join(filter(_counts, text.lower())) or text.strip()


@cache
def _counts(char: str) -> bool:
    """Whether a character is a letter, a digit or part of one, such as a vowel sign."""
    return char.isalnum() or unicodedata.category(char).startswith("M")


def find_sentence(examples: DataFrame, named: str, usual: Sequence[str] = ()) -> tuple[int, int]:
    """The first example that has a sentence, of those that have it to the letter if there are such, and on which side.

    Args:
        examples: of a split.
        named: the sentence; "" for one of the usual.
        usual: sentences one of which is taken if it is there, else the first example.

    Returns:
        The example, and 0 where the sentence is its text or 1 where it is its other one.

    Raises:
        InputError: the named sentence is not there.
    """
    forms: tuple[Callable[[str], str], ...] = (str, bare)
    for sentence in [named] if named else usual:
        for form in forms:
            for side, column in enumerate(SIDES):
                found = examples.example[examples[column].map(form, na_action="ignore") == form(sentence)]
                if len(found):
                    return int(found.iloc[0]), side
    if named:
        raise InputError(
            f"--sentence {named!r}: no such sentence in the split; `dglsent predict RUN FILE --structure --draw DIR` "
            "shows what a model makes of your own"
        )
    return int(examples.example.iloc[0]), 0


def find_pairs(examples: DataFrame, one: str, other: str) -> list[int]:
    """The examples that are a pair of sentences, either way round."""
    sides = [examples[side].map(bare, na_action="ignore") for side in SIDES]
    a, b = bare(one), bare(other)
    here = ((sides[0] == a) & (sides[1] == b)) | ((sides[0] == b) & (sides[1] == a))
    return [int(number) for number in examples.example[here]]
