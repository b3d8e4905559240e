"""Finding sentences in recordings by their words, whatever their case, punctuation and spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pandas import DataFrame

STRANGERS = re.compile(r"[^a-z0-9]+")


def bare(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return STRANGERS.sub("", text.lower())


def find_sentence(examples: DataFrame, wanted: Sequence[str]) -> int:
    """The first example that has one of the wanted sentences on either side; the first of all where none has."""
    for sentence in wanted:
        for side in ("text", "other"):
            if side in examples:
                found = examples[examples[side].fillna("").map(bare) == bare(sentence)]
                if len(found):
                    return int(found.example.iloc[0])
    return int(examples.example.iloc[0])


def find_pairs(examples: DataFrame, one: str, other: str) -> list[int]:
    """The examples that are a pair of sentences, either way round."""
    sides = [examples[side].fillna("").map(bare) for side in ("text", "other")]
    a, b = bare(one), bare(other)
    here = ((sides[0] == a) & (sides[1] == b)) | ((sides[0] == b) & (sides[1] == a))
    return [int(number) for number in examples.example[here]]
