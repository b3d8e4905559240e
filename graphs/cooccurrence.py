"""Which words stand near each other in a corpus, as buckets of their pointwise mutual information (PMI).

Church, Hanks 1990, "Word Association Norms, Mutual Information, and Lexicography"; here the order of two words does
not matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from graphs.columns import IntArray, Sentence, check_sentence, check_sentences
from graphs.errors import InputError, check_kind, check_whole
from graphs.vocabulary import SPECIAL, VERSION, Vocabulary, check_format

BOUNDS: Final = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0)
"""Lower bounds, in bits, of the buckets 2, 3, ..."""

BUCKETS: Final = len(BOUNDS) + 2
"""Bucket 0: the two were not seen together often enough to tell; 1: PMI below 0; 2: from 0 to 1; ...; 7: 6 and more."""

_FORMAT: Final = "dglsent co-occurrence"


class Cooccurrence:
    """The PMI bucket of every two words of a vocabulary; symmetric, and only buckets but 0 are stored.

    PMI(x, y) = log2 n(x, y) n / (n(x) n(y)), with n(x, y) the times that y stands within the window around x,
    n(x) their sum over y, and n over both.

    Args:
        words: number V of ids of the vocabulary; pairs with later ids are in bucket 0.
        keys: [K] pairs of ids x <= y as x V + y, ascending.
        buckets: [K] their buckets.
    """

    __slots__ = ("buckets", "keys", "words")

    def __init__(self, words: int, keys: IntArray, buckets: npt.NDArray[np.int8]) -> None:
        self.words, self.keys, self.buckets = words, keys, buckets

    @classmethod
    def of(
        cls, sentences: Iterable[Sentence], vocabulary: Vocabulary, *, window: int = 5, min_count: int = 2
    ) -> Cooccurrence:
        """Counts the words of a corpus, which should be its training part.

        Unknown words take no part, though they hold their places.

        Args:
            sentences: the corpus.
            vocabulary: V ids, of which the special ones are of no word.
            window: how many words two may stand apart at most; 1 for neighbours alone.
            min_count: pairs seen less often go to bucket 0; their PMI would be high by chance.

        Raises:
            InputError: `window` is no whole number from 1, or what was given is no sentences or no vocabulary.
        """
        check_whole(window=window)
        check_kind(vocabulary, Vocabulary, "of graphs.Vocabularies give .word")
        check_sentences(sentences)
        size = len(vocabulary)
        # A gap as wide as the window between sentences: nothing reaches from one into the next.
        gap = np.zeros(window, dtype=np.int64)
        running: list[IntArray] = []
        for sentence in sentences:
            check_sentence(sentence)
            running += (vocabulary.ids(sentence.words), gap)
        text = np.concatenate(running) if running else gap
        keys = np.empty(0, dtype=np.int64)
        counts = np.empty(0, dtype=np.int64)
        for distance in range(1, window + 1):
            left, right = text[:-distance], text[distance:]
            known = (left >= len(SPECIAL)) & (right >= len(SPECIAL))
            found, times = np.unique(_keys(left[known], right[known], size), return_counts=True)
            keys, place = np.unique(np.concatenate([keys, found]), return_inverse=True)
            counts = np.bincount(place, np.concatenate([counts, times])).astype(np.int64)
        x, y = keys // size, keys % size
        # Each is near the other, so a pair counts once for either order.
        ordered = counts * np.where(x == y, 2, 1)
        single = np.bincount(x, counts, size) + np.bincount(y, counts, size)
        frequent = counts >= min_count
        with np.errstate(divide="ignore"):
            pmi = np.log2(ordered) + np.log2(single.sum()) - np.log2(single)[x] - np.log2(single)[y]
        buckets = (np.digitize(pmi, BOUNDS) + 1).astype(np.int8)
        return cls(size, keys[frequent], buckets[frequent])

    def bucket(self, receiver: IntArray, sender: IntArray) -> IntArray:
        """The buckets of words by their ids, in arrays of shapes that broadcast to [...].

        Returns:
            [...] int64 in 0 .. `BUCKETS` - 1.
        """
        receiver, sender = np.broadcast_arrays(receiver, sender)
        if not len(self.keys):
            return np.zeros(receiver.shape, dtype=np.int64)
        keys = _keys(receiver, sender, self.words)
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = (self.keys[place] == keys) & (receiver < self.words) & (sender < self.words)
        return np.where(found, self.buckets[place], 0).astype(np.int64)

    def __len__(self) -> int:
        """The number of pairs whose bucket is not 0."""
        return len(self.keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cooccurrence) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def to_json(self) -> dict[str, Any]:
        """The buckets as plain JSON values: one string holds a digit a pair."""
        return {
            "format": _FORMAT,
            "version": VERSION,
            "words": self.words,
            "keys": self.keys.tolist(),
            "buckets": "".join(map(str, self.buckets.tolist())),
        }

    @classmethod
    def from_json(cls, data: Any, *, file: str | Path = "vocabularies") -> Cooccurrence:
        """Reads what `to_json` wrote, from `file`.

        Raises:
            InputError: the data are not buckets, or of another version.
        """
        check_format(data, _FORMAT, file)
        words, keys, buckets = data.get("words"), data.get("keys"), data.get("buckets")
        if (
            type(words) is not int
            or not 0 <= words < 1 << 31
            or not isinstance(keys, list)
            or not all(type(key) is int and 0 <= key < words * words for key in keys)
            or any(left >= right for left, right in pairwise(keys))
            or not isinstance(buckets, str)
            or not set(buckets) <= set(map(str, range(1, BUCKETS)))
            or len(buckets) != len(keys)
        ):
            raise InputError(f'{file}: "keys" and "buckets" of the co-occurrence do not fit; save them again')
        return cls(words, np.array(keys, dtype=np.int64), np.array(list(buckets), dtype=np.int8))


def _keys(left: IntArray, right: IntArray, size: int) -> IntArray:
    return np.minimum(left, right) * size + np.maximum(left, right)
