from __future__ import annotations

import json
from collections import Counter
from math import log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.columns import Tagged
from graphs.cooccurrence import BOUNDS, BUCKETS, Cooccurrence
from graphs.errors import InputError
from graphs.features import Vocabularies, Vocabulary


def counted(sentences, known, window, min_count):
    """The buckets by definition: a word at a time, its neighbours one by one."""
    near, alone = Counter(), Counter()
    for words in sentences:
        for i, x in enumerate(words):
            for j in range(max(0, i - window), min(len(words), i + window + 1)):
                if j != i and x in known and words[j] in known:
                    near[x, words[j]] += 1
                    alone[x] += 1
    total = sum(alone.values())
    buckets = {}
    for (x, y), count in near.items():
        if count // (2 if x == y else 1) >= min_count:
            pmi = log2(count) + log2(total) - log2(alone[x]) - log2(alone[y])
            buckets[x, y] = 1 + sum(pmi >= bound for bound in BOUNDS), min(abs(pmi - bound) for bound in BOUNDS)
    return buckets


@settings(derandomize=True, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefg"), max_size=9), max_size=8),
    st.integers(1, 6),
    st.integers(1, 3),
)
def test_buckets_by_definition(sentences, window, min_count):
    vocabulary = Vocabulary(list("abcdef"))  # g is unknown
    found = Cooccurrence.of(map(Tagged, sentences), vocabulary, window=window, min_count=min_count)
    ids = np.arange(len(vocabulary))
    table = found.bucket(ids[:, None], ids)
    assert table.dtype == np.int64
    assert (table == table.T).all()
    assert not table[:2].any()
    wanted = counted(sentences, set("abcdef"), window, min_count)
    for x in "abcdef":
        for y in "abcdef":
            bucket, margin = wanted.get((x, y), (0, 1))
            if margin > 1e-9:  # else the two ways to add up logarithms may round apart
                assert table[vocabulary[x], vocabulary[y]] == bucket
    assert len(found) == np.count_nonzero(np.triu(table))
    assert table.max() < BUCKETS


def test_words_of_other_sentences_and_far_ones_are_not_near():
    vocabulary = Vocabulary(list("ab"))
    sentences = [Tagged(["a"]), Tagged(["b"]), Tagged(["a", *"?????", "b"])] * 3
    assert len(Cooccurrence.of(sentences, vocabulary)) == 0
    assert len(Cooccurrence.of([Tagged(["a", *"????", "b"])] * 2, vocabulary)) == 1


def test_pairs_that_were_seen_once_tell_nothing_by_default():
    vocabulary = Vocabulary(list("abc"))
    found = Cooccurrence.of([Tagged(["a", "b"]), Tagged(["b", "c"]), Tagged(["a", "b"])], vocabulary)
    seen, once = found.bucket(vocabulary.ids(["a", "b"]), vocabulary.ids(["b", "c"]))
    assert seen > once == 0


@pytest.mark.parametrize(("pairs", "bucket"), [(3, 4), (6, 5), (12, 6), (24, 6), (40, 7)])
def test_the_last_bucket_but_one_is_of_two_bits(pairs, bucket):
    """Of words that stand in one pair alone the mutual information is log2(2 pairs)."""
    words = [[f"a{number}", f"b{number}"] for number in range(pairs)]
    vocabulary = Vocabulary([word for pair in words for word in pair])
    found = Cooccurrence.of(map(Tagged, words * 2), vocabulary)
    assert found.bucket(*vocabulary.ids(["a0", "b0"])).item() == bucket


def test_a_bound_belongs_to_the_bucket_above_it():
    vocabulary = Vocabulary(list("abcd"))
    found = Cooccurrence.of([Tagged(["a", "b"]), Tagged(["c", "d"])] * 2, vocabulary)
    pmi = log2(2 * 8 / (2 * 2))
    assert found.bucket(*vocabulary.ids(["a", "b"])).item() == 2 + BOUNDS.index(pmi)


def test_later_words_of_a_vocabulary_are_in_bucket_0():
    found = Cooccurrence.of([Tagged(["a", "b"])] * 2, Vocabulary(list("ab")))
    assert found.bucket(np.array([2, 2, 3, 9]), np.array([3, 4, 4, 2])).tolist() == [
        found.bucket(np.array(2), np.array(3)).item(),
        0,
        0,
        0,
    ]
    assert found.bucket(np.array([2]), np.array([3])).item() > 0
    # As numbers in base 4, the ids 1 and 7 are those of 2 and 3.
    assert found.bucket(np.array([1, 7]), np.array([7, 1])).tolist() == [0, 0]


def test_saving_and_loading(tmp_path):
    sentences = [Tagged(["the", "cat", "saw", "the", "dog"]), Tagged(["the", "dog", "saw", "it"])] * 3
    vocabularies = Vocabularies.of(sentences)
    vocabularies.cooccurrence = Cooccurrence.of(sentences, vocabularies.word)
    path = tmp_path / "vocabularies.json"
    vocabularies.save(path)
    again = Vocabularies.load(path)
    assert again == vocabularies
    assert len(again.cooccurrence) == len(vocabularies.cooccurrence) > 0
    ids = np.arange(len(vocabularies.word))
    pairs = ids[:, None], ids
    assert (again.cooccurrence.bucket(*pairs) == vocabularies.cooccurrence.bucket(*pairs)).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"buckets": "1"}, "do not fit"),
        ({"keys": "x"}, "do not fit"),
        ({"buckets": "x9"}, "do not fit"),
        ({"buckets": "10"}, "do not fit"),
        ({"buckets": f"1{BUCKETS}"}, "do not fit"),
        ({"keys": [11, 10]}, "do not fit"),
        ({"keys": [10, 10]}, "do not fit"),
        ({"keys": [10, 16]}, "do not fit"),
        ({"keys": [-1, 10]}, "do not fit"),
        ({"keys": [10.0, 11]}, "do not fit"),
        ({"words": 4.0}, "do not fit"),
        ({"words": 1 << 31}, "do not fit"),
        ({"version": 7}, "version 7"),
        ({"format": None}, "not a file of 'dglsent co-occurrence'"),
    ],
)
def test_broken_files_are_named(change, message):
    found = Cooccurrence.of([Tagged(["a", "b", "a"])] * 2, Vocabulary(list("ab")))
    assert len(found) == 2
    data = json.loads(json.dumps(found.to_json())) | change
    with pytest.raises(InputError, match=message) as caught:
        Cooccurrence.from_json(data, file="v.json")
    assert str(caught.value).startswith("v.json: ")
