"""Sentences are found by letters and digits of any script."""

from __future__ import annotations

import pytest
from pandas import DataFrame

from dglsent.analysis.sentences import find_pairs, find_sentence
from graphs.errors import InputError

SINGLE = DataFrame(
    {"example": [4, 5, 6], "text": ["東京 は 大きい", "京都 は 小さい", "A Film ?"], "other": [None] * 3}
)
PAIRS = DataFrame({"example": [0, 1], "text": ["a dog", "a cat ."], "other": ["no dog", "!"]})


def test_scripts_punctuation_and_case():
    assert find_sentence(SINGLE, "京都は小さい") == (5, 0)
    assert find_sentence(SINGLE, "a film") == (6, 0)
    assert find_sentence(SINGLE, "", ["not there", "東京 は 大きい"]) == (4, 0)
    assert find_sentence(SINGLE, "", ["not there"]) == (4, 0)
    assert find_sentence(PAIRS, "!") == (1, 1)
    for absent in ("不存在", "?!", "film"):
        with pytest.raises(InputError, match="no such sentence"):
            find_sentence(SINGLE, absent)


def test_a_sentence_to_the_letter_comes_before_one_that_is_near():
    texts = ["we re here", "we're here", "यह लड़का है", "यह लड़की है"]
    examples = DataFrame({"example": range(4), "text": texts, "other": [texts[1], None, None, None]})
    assert [find_sentence(examples[1:], text) for text in texts[1:]] == [(1, 0), (2, 0), (3, 0)]
    assert find_sentence(examples, "we're here") == (1, 0)
    assert find_sentence(examples[:1], "we're here") == (0, 1)
    assert find_sentence(examples[2:], "यह लड़की है!") == (3, 0)


def test_a_sentence_stands_on_the_side_where_it_was_found():
    near = DataFrame({"example": [7], "text": ["we're here"], "other": ["we re here"]})
    assert find_sentence(near, "we're here") == (7, 0)
    assert find_sentence(near, "we re here") == (7, 1)
    assert find_sentence(near, "We're here!") == (7, 0)


def test_pairs_either_way_round():
    assert find_pairs(PAIRS, "A dog", "No dog.") == find_pairs(PAIRS, "no dog", "a dog") == [0]
    assert find_pairs(SINGLE, "A Film", "") == []
