from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import InputError
from graphs.features import PADDING, UNKNOWN, Counts, Vocabularies, Vocabulary, relations, tag_column, tags
from graphs.vocabulary import read_json, write_json


def test_order_is_frequency_then_string():
    vocabulary = Vocabulary.of(["b", "c", "a", "c", "b", "d", "c"])
    assert list(vocabulary)[2:] == ["c", "b", "a", "d"]
    assert [vocabulary[word] for word in ["c", "b", "a", "d"]] == [2, 3, 4, 5]
    assert vocabulary["zebra"] == UNKNOWN
    assert len(vocabulary) == 6
    assert "c" in vocabulary
    assert "zebra" not in vocabulary
    assert Vocabulary.of({"d": 1, "c": 3, "b": 2, "a": 1}) == vocabulary


def test_ids_and_padding():
    vocabulary = Vocabulary.of(["a", "b", "a"])
    ids = vocabulary.ids(["b", None, "?", "a"])
    assert ids.dtype == np.int64
    assert ids.tolist() == [3, PADDING, UNKNOWN, 2]
    assert vocabulary.ids([]).shape == (0,)
    assert vocabulary.ids([]).dtype == np.int64


def test_names_of_special_ids_may_be_words_of_the_corpus():
    vocabulary = Vocabulary.of(["<unknown>", "<padding>"])
    assert sorted([vocabulary["<unknown>"], vocabulary["<padding>"]]) == [2, 3]
    assert "<unknown>" not in Vocabulary.of(["a"])


def test_min_count_counts_after_normalising():
    text = ["The", "the", "x1", "x2", "rare"]
    vocabulary = Vocabulary.of(text, min_count=2, lower=True, fold_digits=True)
    assert vocabulary.strings[2:] == ["the", "x9"]
    assert vocabulary["THE"] == vocabulary["the"] == 2
    assert vocabulary["X7"] == vocabulary["x٣"] == 3
    assert vocabulary["rare"] == UNKNOWN
    assert "X7" in vocabulary


def test_labels_without_special_ids():
    vocabulary = Vocabulary.of(["yes", "no", "no"], special=False)
    assert vocabulary.strings == ["no", "yes"]
    assert vocabulary.ids(["yes", "no"]).tolist() == [1, 0]
    with pytest.raises(InputError, match=r"'maybe'.*no, yes"):
        vocabulary["maybe"]
    with pytest.raises(InputError, match="'maybe'"):
        vocabulary.ids(["no", "maybe"])
    with pytest.raises(InputError, match="missing"):
        vocabulary.ids(["no", None])


def test_refuses_strings_that_lookup_cannot_find():
    with pytest.raises(InputError, match="'a' twice"):
        Vocabulary(["a", "b", "a"])
    with pytest.raises(InputError, match="'A'"):
        Vocabulary(["A"], lower=True)


@settings(derandomize=True, deadline=None)
@given(st.lists(st.text()), st.booleans(), st.booleans(), st.booleans())
def test_json_round_trip(strings, lower, fold_digits, special):
    vocabulary = Vocabulary.of(strings, lower=lower, fold_digits=fold_digits, special=special)
    again = Vocabulary.from_json(json.loads(json.dumps(vocabulary.to_json())))
    assert again == vocabulary
    assert again.ids(strings).tolist() == vocabulary.ids(strings).tolist()
    assert min(again.ids(strings), default=9) >= (2 if special else 0)
    assert pickle.loads(pickle.dumps(vocabulary)) == vocabulary


def load(path):
    return Vocabulary.from_json(read_json(path), file=path)


def test_saving_and_loading(tmp_path):
    path = tmp_path / "labels.json"
    vocabulary = Vocabulary.of(["é", "\u00a0", "\u2028", "a b"], special=False)
    write_json(vocabulary.to_json(), path)
    assert load(path) == vocabulary
    assert [file.name for file in tmp_path.iterdir()] == ["labels.json"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "something"}, "format is 'something'"),
        ({"version": 99}, "version 99"),
        ({"strings": "abc"}, "strings"),
        ({"strings": [1]}, "strings"),
        ({"strings": ["a", "a"]}, "twice"),
        ({"strings": ["a", "b", "b"]}, "holds 'b' twice"),
        ({"lower": "no"}, "true or false"),
    ],
)
def test_broken_files_are_named(tmp_path, change, message):
    path = tmp_path / "v.json"
    path.write_text(json.dumps(Vocabulary.of(["a"]).to_json() | change), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_a_file_without_a_version_is_none_of_this_one():
    data = Vocabulary.of(["a"]).to_json()
    del data["version"]
    with pytest.raises(InputError, match=r"^v\.json: dglsent vocabulary of version None, while this dglsent reads 1"):
        Vocabulary.from_json(data, file="v.json")


def test_missing_and_cut_files(tmp_path):
    with pytest.raises(InputError, match=r"none\.json: cannot be read \(No such file"):
        Vocabularies.load(tmp_path / "none.json")
    path = tmp_path / "cut.json"
    path.write_text('{"format": "dglsent voc', encoding="utf-8")
    with pytest.raises(InputError, match=r"cut\.json: not JSON"):
        Vocabularies.load(path)
    path.write_text("[1]", encoding="utf-8")
    with pytest.raises(InputError, match=r"cut\.json: .*its format is None"):
        Vocabularies.load(path)
    write_json(Vocabulary.of(["a"]).to_json(), path)
    with pytest.raises(InputError, match="its format is 'dglsent vocabulary'"):
        Vocabularies.load(path)


TREE = Constituency(["NP", "DT", "", "NN"], [None, "The", None, "cat"], np.array([-1, 0, 0, 2]))
SENTENCE = Dependencies(
    ["The", "dog", "barks"],
    np.array([1, 2, -1]),
    ["det", "nsubj", "root"],
    upos=["DET", "NOUN", "_"],
    xpos=["DT", "_", "_"],
)


def test_columns_of_sentences():
    assert tags(TREE) == ["NP", "DT", None, "NN"]
    assert relations(TREE) == [None] * 4
    assert tags(SENTENCE) == ["DT", "NOUN", None]
    assert relations(Dependencies(["a"], np.array([-1]), ["_"])) == [None]
    tagged = Tagged(["a", "b"], {"pos": ["DT", "_"], "chunk": ["B-NP", "I-NP"]})
    assert tags(tagged) == ["DT", None]
    assert tag_column(tags(tagged)) == tagged.columns["pos"]
    assert tag_column(["", "DT", None]) == ["_", "DT", "_"]
    assert tags(Tagged(["a", "b"])) == relations(tagged) == [None, None]


def test_vocabularies_of_sentences(tmp_path):
    vocabularies = Vocabularies.of(iter([TREE, SENTENCE]), lower=True)
    assert vocabularies.word.strings[2:] == ["the", "barks", "cat", "dog"]
    assert vocabularies.tag.strings[2:] == ["DT", "NN", "NOUN", "NP"]
    assert vocabularies.relation.strings[2:] == ["det", "nsubj", "root"]
    # A tag keeps its case whatever happens to words.
    assert not vocabularies.tag.lower
    assert vocabularies.word.ids(TREE.word).tolist() == [0, 2, 0, 4]
    path = tmp_path / "vocabularies.json"
    vocabularies.save(path)
    assert Vocabularies.load(path) == vocabularies
    frequent = Vocabularies.of([TREE, SENTENCE], min_count=2)
    assert frequent.word.strings[2:] == ["The"]
    assert (frequent.tag, frequent.relation) == (vocabularies.tag, vocabularies.relation)  # of these all are kept


def test_counts_add_up():
    once, twice = Counts.of([TREE, SENTENCE]), Counts.of([TREE, SENTENCE] * 2)
    once.add(Counts.of([TREE, SENTENCE]))
    assert once == twice
    assert twice.relation == {"det": 2, "nsubj": 2, "root": 2}


def test_hostile_json_is_one_line(tmp_path):
    path = tmp_path / "v.json"
    head = '{"format": "dglsent vocabulary", "version": 1, "lower": false, "fold_digits": false, "special": true, '
    for text in (
        "[" * 100_000,
        '{"format": ' + "[" * 300 + "]" * 300 + "}",
        '{"format": "dglsent vocabulary", "version": ' + "9" * 5000 + "}",
        '{"format": "dglsent vocabulary", "version": {"a": 1}}',
        head + '"strings": ["\\ud800"]}',
        head + '"strings": [NaN]}',
        "\x00",
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=r"v\.json: .*; ") as caught:
            load(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\)"):
        load(tmp_path)
