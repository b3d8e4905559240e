"""Strings to ids, and their JSON files."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from numbers import Real
from pathlib import Path
from typing import Any, Final

import numpy as np

from graphs.columns import IntArray
from graphs.errors import InputError, check_kind
from graphs.files import replacing

PADDING: Final = 0
UNKNOWN: Final = 1
SPECIAL: Final = ("<padding>", "<unknown>")

VERSION: Final = 1
_FORMAT: Final = "dglsent vocabulary"
_DIGIT = re.compile(r"\d")
_REMEDY: Final = "put back the file as it was saved, or make it again"
_A_TEXT = "a text is given where strings are wanted; cut it, as by text.split()"


class Vocabulary:
    """Strings and their ids.

    With `special`, id 0 is padding (no string at all) and id 1 stands for every string that is not known.
    Without, as for labels, ids start at the first string, and an unknown string is an error.

    Attributes:
        strings: [V] the string of each id; `SPECIAL` stands at ids 0 and 1 where there are special ids.
        lower: whether strings are lower-cased, here and on lookup.
        fold_digits: whether every digit becomes 9, here and on lookup.
        special: whether ids 0 and 1 are padding and unknown.
    """

    __slots__ = ("_ids", "fold_digits", "lower", "special", "strings")

    def __init__(
        self, strings: Iterable[str], *, lower: bool = False, fold_digits: bool = False, special: bool = True
    ) -> None:
        """Gives ids to `strings` in the order given, special ids first.

        `strings` of another vocabulary begins with those already, so that `strings[len(SPECIAL):]` is what to give.

        Raises:
            InputError: one is no string, stands twice, or would never be found because lookup changes it; or a text was
                given in place of its strings.
        """
        self.lower = lower
        self.fold_digits = fold_digits
        self.special = special
        known = _strings(strings)
        first = len(SPECIAL) if special else 0
        # The names of the special ids stay out of the index: a corpus may hold "<unknown>" as its own word.
        self._ids = {string: number for number, string in enumerate(known, first)}
        self.strings = [*SPECIAL, *known] if special else known
        if len(self._ids) != len(known):
            twice = next(string for string, count in Counter(known).items() if count > 1)
            raise InputError(f"vocabulary holds {twice!r} twice; give every string once")
        for string in known:
            if self.normalise(string) != string:
                raise InputError(
                    f"vocabulary holds {string!r}, which lookup turns into {self.normalise(string)!r}; "
                    "build it with Vocabulary.of, or without lower and fold_digits"
                )

    @classmethod
    def of(
        cls,
        strings: Iterable[str] | Mapping[str, int],
        *,
        min_count: int = 1,
        lower: bool = False,
        fold_digits: bool = False,
        special: bool = True,
    ) -> Vocabulary:
        """Builds a vocabulary from running text: most frequent string first, equal counts in string order.

        Args:
            strings: strings as often as they occur, or their counts.
            min_count: strings seen less often than this (after lower-casing and folding) are left out.
            lower: lower-case every string.
            fold_digits: turn every digit into 9.
            special: give id 0 to padding and id 1 to unknown strings.

        Raises:
            InputError: one is no string, a text was given in place of its strings, or `min_count` is no number.
        """
        check_kind(min_count, Real, "min_count is how often a string is seen, such as 2")
        vocabulary = cls((), lower=lower, fold_digits=fold_digits, special=special)
        counts: Counter[str] = Counter()
        try:
            given = strings if isinstance(strings, Mapping) else Counter(_no_text(strings))
        except TypeError as error:  # of lists, as those of the words of each sentence, of which Counter has no hash
            raise InputError(f"a vocabulary is made of strings alone, one after the other ({error})") from None
        _strings(given)
        for string, count in given.items():
            counts[vocabulary.normalise(string)] += count
        kept = sorted((-count, string) for string, count in counts.items() if count >= min_count)
        return cls((string for _, string in kept), lower=lower, fold_digits=fold_digits, special=special)

    def normalise(self, string: str) -> str:
        """The form under which a string is kept."""
        if self.lower:
            string = string.lower()
        if self.fold_digits:
            string = _DIGIT.sub("9", string)
        return string

    def __getitem__(self, string: str) -> int:
        """The id of a string, that of unknown ones if it is not known.

        Raises:
            InputError: it is not known, without special ids.
        """
        number = self._ids.get(self.normalise(string))
        if number is not None:
            return number
        if self.special:
            return UNKNOWN
        known = ", ".join(self.strings[:8]) + (", ..." if len(self.strings) > 8 else "")
        raise InputError(f"unknown label {string!r}; known are: {known or 'none'}")

    def ids(self, strings: Iterable[str | None]) -> IntArray:
        """The ids of N strings; None (a node without a word) is padding.

        Returns:
            [N] int64.

        Raises:
            InputError: a text was given in place of its strings; or a string is not known, or is None, without special
                ids.
        """
        if isinstance(strings, str):
            raise InputError(_A_TEXT)
        if not self.special:
            if None in (strings := list(strings)):
                raise InputError("a label is missing, and this vocabulary has no padding; give every label")
            return np.array([self[string] for string in strings if string is not None], dtype=np.int64)
        get, normalise = self._ids.get, self.normalise
        numbers = [PADDING if string is None else get(normalise(string), UNKNOWN) for string in strings]
        return np.array(numbers, dtype=np.int64)

    def __contains__(self, string: object) -> bool:
        return isinstance(string, str) and self.normalise(string) in self._ids

    def __len__(self) -> int:
        """The number of ids, special ones included."""
        return len(self.strings)

    def __iter__(self) -> Iterator[str]:
        return iter(self.strings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        flags = ", ".join(name for name in ("lower", "fold_digits", "special") if getattr(self, name))
        return f"<Vocabulary of {len(self)} ids{flags and ': '}{flags}>"

    def to_json(self) -> dict[str, Any]:
        """The vocabulary as plain JSON values."""
        return {
            "format": _FORMAT,
            "version": VERSION,
            "lower": self.lower,
            "fold_digits": self.fold_digits,
            "special": self.special,
            "strings": list(self._ids),
        }

    @classmethod
    def from_json(cls, data: Any, *, file: str | Path = "vocabulary") -> Vocabulary:
        """Reads what `to_json` wrote.

        Args:
            data: parsed JSON.
            file: where it was read, for the error message.

        Raises:
            InputError: the data are not a vocabulary, or one of another version.
        """
        check_format(data, _FORMAT, file)
        strings = data.get("strings")
        flags = {name: data.get(name) for name in ("lower", "fold_digits", "special")}
        if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
            raise InputError(f'{file}: "strings" is not a list of strings; {_REMEDY}')
        try:
            "".join(strings).encode()
        except UnicodeEncodeError:
            raise InputError(f'{file}: "strings" holds half a character; {_REMEDY}') from None
        if not all(isinstance(flag, bool) for flag in flags.values()):
            raise InputError(f"{file}: {', '.join(flags)} must be true or false; {_REMEDY}")
        try:
            return cls(strings, **flags)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None


def _strings(given: Iterable[str]) -> list[str]:
    """Strings as a list, if each is one."""
    strings = list(_no_text(given))
    strange = next((one for one in strings if not isinstance(one, str)), "")
    if strange != "":
        raise InputError(f"vocabulary holds {strange!r}, which is no string; give strings alone")
    return strings


def _no_text(given: Iterable[str]) -> Iterable[str]:
    """The same, unless it is a text, whose letters would be the strings, or not several of anything."""
    if isinstance(given, str):
        raise InputError(_A_TEXT)
    if not isinstance(given, Iterable):
        raise InputError(f"a value of type {type(given).__name__} is given where strings are wanted; give a list")
    return given


def check_format(data: Any, wanted: str, file: str | Path) -> None:
    """Refuses parsed JSON of `file` that does not say that it is of the wanted format and of this version.

    Raises:
        InputError: it does not.
    """
    found = data.get("format") if isinstance(data, dict) else None
    found = found if isinstance(found, str | int | None) else type(found).__name__  # not what may be nested deeply
    if found != wanted:
        raise InputError(f"{file}: not a file of {wanted!r} (its format is {found!r}); give one that dglsent saved")
    if data.get("version") != VERSION:
        version = data.get("version")
        version = version if isinstance(version, str | int | None) else type(version).__name__
        raise InputError(
            f"{file}: {wanted} of version {version!r}, while this dglsent reads {VERSION}; "
            "use the dglsent that wrote it, or make the file again"
        )


def write_json(data: dict[str, Any], path: str | Path) -> None:
    """Writes JSON; the file is never half written.

    Raises:
        OSError: it cannot be written.
    """
    with replacing(path) as beside:
        beside.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def read_json(path: str | Path, remedy: str = _REMEDY) -> Any:
    """Reads JSON; `remedy` is what to do where that fails.

    Raises:
        InputError: the file cannot be read, or is no JSON.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); {remedy}") from None
    except ValueError as error:
        raise InputError(f"{path}: not JSON ({error}); {remedy}") from None
    except RecursionError:
        raise InputError(f"{path}: JSON nested too deeply; {remedy}") from None
