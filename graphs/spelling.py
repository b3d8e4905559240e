"""How words are written, as ids: characters, capitalisation, shape, affixes."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from graphs import fields
from graphs.columns import IntArray
from graphs.errors import InputError
from graphs.vocabulary import PADDING, Vocabulary

ENDS: Final = 5  # characters of a word at either end, as in dynamic window supertagging
LONGEST: Final = 20  # characters of a word in the field `characters`; later ones are left out
CAPITALS: Final = ("<padding>", "lower", "first upper", "upper", "mixed", "no letters")
"""The classes of capitalisation, by id."""

_AFFIXES: Final = (2, 3, 4)
_MIN_COUNT: Final = 2  # what was seen once is left out, so that training meets unknown affixes and shapes
_NO_CHARACTER: Final = "\0"
_KEPT: Final = 1 << 16  # most words whose fields are kept
_FIELDS: Final = np.dtype(
    [
        (fields.CHAR, np.int64, (2 * ENDS,)),
        (fields.CHARACTERS, np.int64, (LONGEST,)),
        (fields.CAP, np.int64),
        (fields.SHAPE, np.int64),
        (fields.AFFIX, np.int64, (2 * len(_AFFIXES),)),
        (fields.MARKS, np.int64, (2,)),
    ]
)
_RUN = re.compile(r"(.)\1+", re.DOTALL)


@dataclass(slots=True)
class Spelling:
    """The vocabularies of spelling.

    Attributes:
        character: characters.
        affix: prefixes, such as "un-", and suffixes, such as "-ing", of two to four characters.
        shape: shapes, such as "Xx-9".
    """

    character: Vocabulary
    affix: Vocabulary
    shape: Vocabulary
    _known: dict[str | None, IntArray] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, words: Iterable[str] | Mapping[str, int]) -> Spelling:
        """Counts what occurs at least twice in running words, or in words with their counts."""
        counts: tuple[Counter[str], Counter[str], Counter[str]] = (Counter(), Counter(), Counter())
        for word, count in (words if isinstance(words, Mapping) else Counter(words)).items():
            for counter, strings in zip(counts, (word, affixes(word), (shape(word),)), strict=True):
                for string in strings:
                    if string is not None:
                        counter[string] += count
        return cls(*(Vocabulary.of(counter, min_count=_MIN_COUNT) for counter in counts))

    def node_fields(self, words: Sequence[str | None]) -> dict[str, IntArray]:
        """Node fields of N words; None, a node without a word, is 0 throughout.

        Returns:
            char [N, 10], characters [N, 20], cap [N], shape [N], affix [N, 6] and marks [N, 2]. `cap` is an index
            of `CAPITALS`; char and affix are 0 where a word is too short for them.
        """
        known = self._known
        # In running text most words have been met before.
        for word in words:
            if word not in known:
                known[word] = self._row(word)
        rows = np.array([known[word] for word in words], dtype=np.int64).view(_FIELDS).reshape(len(words))
        if len(known) > _KEPT:
            self._known = {}
        return {name: np.ascontiguousarray(rows[name]) for name in _FIELDS.fields or ()}

    def _row(self, word: str | None) -> IntArray:
        """The fields of a word one after the other, as `_FIELDS` has them."""
        if word is None:
            return np.full(_FIELDS.itemsize // 8, PADDING)
        ends = word[:ENDS].ljust(ENDS, _NO_CHARACTER) + word[-ENDS:].rjust(ENDS, _NO_CHARACTER)
        whole = word[:LONGEST].ljust(LONGEST, _NO_CHARACTER)
        return np.concatenate(
            [
                self.character.ids(None if each == _NO_CHARACTER else each for each in ends + whole),
                [CAPITALS.index(capitals(word))],
                self.shape.ids([shape(word)]),
                self.affix.ids(affixes(word)),
                _marks(word),
            ]
        )

    def to_json(self) -> dict[str, Any]:
        """The vocabularies as plain JSON values."""
        return {name: getattr(self, name).to_json() for name in ("character", "affix", "shape")}

    @classmethod
    def from_json(cls, data: Any, *, file: str | Path = "vocabularies") -> Spelling:
        """Reads what `to_json` wrote, from `file`.

        Raises:
            InputError: the data are not vocabularies of spelling.
        """
        if not isinstance(data, dict):
            raise InputError(f'{file}: "spelling" is not an object; save the vocabularies again')
        return cls(*(Vocabulary.from_json(data.get(name), file=file) for name in ("character", "affix", "shape")))


def affixes(word: str) -> list[str | None]:
    """Prefixes of two, three and four characters, then suffixes of so many; None where the word is no longer."""
    before = [f"{word[:size]}-" if len(word) > size else None for size in _AFFIXES]
    after = [f"-{word[-size:]}" if len(word) > size else None for size in _AFFIXES]
    return before + after


def shape(word: str) -> str:
    """A word with X for capitals, x for other letters, 9 for digits, and every run written once: "Xx-9"."""
    return _RUN.sub(r"\1", "".join(map(_kind, word)))


def capitals(word: str) -> str:
    """The class of capitalisation, one of `CAPITALS`.

    Characters without case are passed over. A single capital letter is "first upper".
    """
    letters = [character for character in word if character.lower() != character.upper()]
    if not letters:
        return "no letters"
    upper = [character.isupper() for character in letters]
    if not any(upper):
        return "lower"
    if upper[0] and not any(upper[1:]):
        return "first upper"
    return "upper" if all(upper) else "mixed"


def _marks(word: str) -> tuple[bool, bool]:
    return any(map(str.isdigit, word)), any(unicodedata.category(character)[0] in "PS" for character in word)


def _kind(character: str) -> str:
    if character.isdigit():
        return "9"
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return character
