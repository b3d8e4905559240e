"""How wide letters are, in cells of a terminal, and long names cut by that."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import accumulate


def cells(character: str) -> int:
    """How many cells of a terminal it takes: two a Chinese letter or an emoji, none an accent put on a letter."""
    # Of a Korean syllable in parts, the vowel and the last consonants join the first one.
    if unicodedata.category(character) in ("Mn", "Me", "Cf") or "\u1160" <= character <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def shortened(text: str, most: int) -> str:
    """A text of so many cells at most: of a longer one its ends, whose letters keep their accents."""
    if sum(map(cells, text)) <= most:
        return text
    letters: list[str] = []
    for character in text:
        if letters and not cells(character):
            letters[-1] += character
        else:
            letters.append(character)
    tail = (most - 1) // 3
    return "".join([*_fitting(letters, most - 1 - tail), "…", *_fitting(letters[::-1], tail)[::-1]])


def _fitting(letters: Sequence[str], room: int) -> list[str]:
    """The first letters, as many as so many cells hold."""
    ends = accumulate(sum(map(cells, letter)) for letter in letters)
    return [letter for letter, end in zip(letters, ends, strict=True) if end <= room]
