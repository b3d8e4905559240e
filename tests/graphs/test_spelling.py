from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphs
from graphs.columns import Tagged
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.spelling import CAPITALS, Spelling, affixes, capitals, shape

TEXT = ["The", "cat", "unseen", "B-52", "the", "cat", "unseen", "B-52", "The", "all", "internationalisation", "zebra"]
SPELLING = Spelling.of(TEXT)
WORDS = st.lists(st.none() | st.text(min_size=1, max_size=30), max_size=6)


def strings(vocabulary, ids):
    return [None if each == 0 else vocabulary.strings[each] for each in ids]


def test_both_ends_of_a_word():
    char = SPELLING.node_fields(["cat", "unseen"])["char"]
    assert char.shape == (2, 10)
    assert strings(SPELLING.character, char[0]) == ["c", "a", "t", None, None, None, None, "c", "a", "t"]
    assert strings(SPELLING.character, char[1]) == [*"unsee", *"nseen"]


def test_all_characters_up_to_the_twentieth():
    characters = SPELLING.node_fields(["internationalisations", "cat"])["characters"]
    assert characters.shape == (2, 20)
    assert "".join(strings(SPELLING.character, characters[0])) == "internationalisation"
    assert strings(SPELLING.character, characters[1]) == ["c", "a", "t", *[None] * 17]


def test_what_was_seen_once_is_unknown():
    assert "z" not in SPELLING.character
    assert strings(SPELLING.character, SPELLING.node_fields(["zebra"])["char"][0])[0] == "<unknown>"
    assert "ze-" not in SPELLING.affix
    assert "un-" in SPELLING.affix


def test_affixes():
    assert affixes("unseen") == ["un-", "uns-", "unse-", "-en", "-een", "-seen"]
    assert affixes("cat") == ["ca-", None, None, "-at", None, None]
    assert affixes("a") == [None] * 6
    affix = SPELLING.node_fields(["unseen", "cat"])["affix"]
    assert strings(SPELLING.affix, affix[0]) == affixes("unseen")
    assert strings(SPELLING.affix, affix[1]) == affixes("cat")


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("Xylo-1984", "Xx-9"),
        ("the", "x"),
        ("U.S.", "X.X."),
        ("...", "."),
        ("3,000.5", "9,9.9"),
        ("Äß", "Xx"),
        ("猫2", "x9"),
        ("٣٤", "9"),
        ("\n\n", "\n"),
        ("", ""),
    ],
)
def test_shapes(word, wanted):
    assert shape(word) == wanted


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("cat", "lower"),
        ("don't", "lower"),
        ("Cat", "first upper"),
        ("A", "first upper"),
        ("'Tis", "first upper"),
        ("U.S.", "upper"),
        ("B-52", "first upper"),
        ("McCoy", "mixed"),
        ("iPhone", "mixed"),
        ("52", "no letters"),
        ("--", "no letters"),
        ("猫", "no letters"),
    ],
)
def test_capitals(word, wanted):
    assert capitals(word) == wanted
    assert CAPITALS[SPELLING.node_fields([word])["cap"][0]] == wanted


def test_marks():
    assert SPELLING.node_fields(["cat", "B-52", "52", "$", "..."])["marks"].tolist() == [
        [0, 0],
        [1, 1],
        [1, 0],
        [0, 1],
        [0, 1],
    ]


@settings(derandomize=True, deadline=None)
@given(WORDS)
def test_any_words(words):
    """Any text has ids, a node without a word is 0, and each row is the word's own."""
    found = SPELLING.node_fields(words)
    for name, width in {"char": 10, "characters": 20, "affix": 6, "marks": 2}.items():
        assert found[name].shape == (len(words), width)
        assert found[name].dtype == np.int64
    for i, word in enumerate(words):
        alone = replace(SPELLING).node_fields([word])  # by one that keeps no rows of words as yet
        for name, column in found.items():
            assert np.array_equal(column[i], alone[name][0])
            if word is None:
                assert not column[i].any()
    for name, vocabulary in {
        "char": "character",
        "characters": "character",
        "affix": "affix",
        "shape": "shape",
    }.items():
        assert found[name].max(initial=0) < len(getattr(SPELLING, vocabulary))


def test_fields_are_the_callers_own():
    spelling = Spelling.of(TEXT)
    for column in spelling.node_fields(["The", None]).values():
        column += 1
    found, wanted = (each.node_fields(["The", None]) for each in (spelling, Spelling.of(TEXT)))
    assert all(np.array_equal(found[name], wanted[name]) for name in wanted)
    assert spelling == SPELLING


def test_no_more_words_are_kept_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr("graphs.spelling._KEPT", 2)
    spelling, kept = Spelling.of(TEXT), []
    for words in (["The", "cat"], ["cat", "unseen", "The"], ["The"]):
        found, wanted = (each.node_fields(words) for each in (spelling, SPELLING))
        assert all(np.array_equal(found[name], wanted[name]) for name in wanted)
        kept.append(len(spelling._known))
    assert kept == [2, 0, 1]


def test_graphs_carry_spelling_where_the_vocabularies_have_it():
    sentence = Tagged(["The", "cat"])
    tree = graphs.parse_brackets("(S (NP (DT The) (NN cat)) (VBD ran))")[0]
    vocabularies = Vocabularies.of([sentence, tree], lower=True, spelling=True)
    names = {"char", "characters", "cap", "shape", "affix", "marks"}
    assert names.isdisjoint(graphs.chain(sentence, Vocabularies.of([sentence])).nodes)
    for built in (graphs.chain, graphs.complete):
        nodes = built(sentence, vocabularies).nodes
        assert names <= nodes.keys()
        assert nodes["cap"].tolist() == [CAPITALS.index("first upper"), CAPITALS.index("lower")]
    window = graphs.window(sentence, vocabularies, 1).nodes
    assert window["char"].shape == (3, 10)
    assert not any(window[name][2].any() for name in names)
    phrases = graphs.constituency(tree, vocabularies).nodes["cap"].tolist()
    assert [CAPITALS[each] for each in phrases] == ["<padding>", "<padding>", "first upper", "lower", "lower"]
    assert graphs.batch([graphs.chain(each, vocabularies) for each in (sentence, tree)]).ndata["char"].shape == (5, 10)


def test_saving_and_loading(tmp_path):
    path = tmp_path / "vocabularies.json"
    vocabularies = Vocabularies.of([Tagged(TEXT)], spelling=True)
    assert vocabularies.spelling == SPELLING
    vocabularies.save(path)
    assert Vocabularies.load(path) == vocabularies
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(data | {"spelling": ["x"]}), encoding="utf-8")
    with pytest.raises(InputError, match=r'vocabularies\.json: "spelling" is not an object'):
        Vocabularies.load(path)
    # A file of before there was spelling.
    del data["spelling"]
    path.write_text(json.dumps(data), encoding="utf-8")
    assert Vocabularies.load(path) == Vocabularies.of([Tagged(TEXT)])
