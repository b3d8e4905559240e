"""Pairs whose sentences stand one after the other, where some of them are missing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from dglsent.inference.given import Given
from graphs.errors import InputError, Origin, SentenceError


def in_twos(
    sentences: Sequence[Given], places: Sequence[int] | None, name: str, *, numbered: bool = False
) -> list[tuple[Given, ...]]:
    """Sentences as pairs of two in a row.

    Where numbers are left out, either they part the pairs, or the sentences that had them are missing: then a pair is
    that of numbers 2 k - 1 and 2 k, and it is an error where it lacks one.

    Args:
        sentences: in the order of their file.
        places: the number of each, from 1, such as that of its line; None where it is not known.
        name: the file, for messages.
        numbered: the places are numbers that sentences have of their own, where nothing parts pairs.

    Raises:
        InputError: numbers are left out, and it can be either.
    """
    places = range(1, len(sentences) + 1) if places is None else places
    ends = [0, *(i for i, (one, other) in enumerate(pairwise(places), 1) if other != one + 1), len(places)]
    sizes = [end - start for start, end in pairwise(ends)]
    even = next((places[start] for start in ends[:-1] if not places[start] % 2), None)
    if numbered and even and not any(size % 2 for size in sizes):
        raise InputError(
            f"{name or 'input'}: sentence {even - 1} is not there, and whether it is missing, or a pair begins with "
            f"sentence {even}, cannot be known; write each pair in one line, with a tab between its sentences"
        )
    if set(sizes) == {2} or (len(sizes) == 1 and not sizes[0] % 2):
        return [_pair(sentences[i : i + 2]) for i in range(0, len(sentences), 2)]
    if not any(size % 2 for size in sizes):
        raise InputError(
            f"{name or 'input'}: something is missing between {places[ends[1] - 1]} and {places[ends[1]]}, and whether "
            "a sentence or nothing cannot be known; write each pair in one line, with a tab between its sentences"
        )
    known = dict(zip(places, sentences, strict=True))
    found: list[tuple[Given, ...]] = []
    for number in range((places[0] - 1) // 2, (places[-1] + 1) // 2):
        pair = [known[place] for place in (2 * number + 1, 2 * number + 2) if place in known]
        found.append(_pair(pair) if pair else (SentenceError("both sentences are missing", Origin(name)),))
    return found


def _pair(sentences: Sequence[Given]) -> tuple[Given, ...]:
    if len(sentences) == 2:
        return tuple(sentences)
    (alone,) = sentences
    return (SentenceError("the other sentence of the pair is missing", alone.origin),)
