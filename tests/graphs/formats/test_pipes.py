from __future__ import annotations

import io

import pytest

from graphs.errors import InputError, SentenceError
from graphs.formats.pipes import read_pipes

TEXT = """\
# made by hand
#

She|PRP|NP slept|VBD|S[dcl]\\NP .|.|.
#|#|N/N 9|CD|N
"""


def test_words_tags_and_categories():
    sentences = read_pipes(io.StringIO(TEXT))
    assert [sentence.words for sentence in sentences] == [["She", "slept", "."], ["#", "9"]]
    assert sentences[0].columns == {"pos": ["PRP", "VBD", "."], "category": ["NP", "S[dcl]\\NP", "."]}
    assert [(sentence.origin.line, sentence.origin.sentence) for sentence in sentences] == [(4, "1"), (5, "2")]


def test_words_may_hold_the_separator():
    sentence = read_pipes(io.StringIO("a|b|NN ||SYM New\u00a0York|NNP\n"), ("word", "pos"))[0]
    assert sentence.words == ["a|b", "|", "New\u00a0York"]
    assert sentence.columns == {"pos": ["NN", "SYM", "NNP"]}
    assert read_pipes(io.StringIO("a|b|NN|N\n"))[0].words == ["a|b"]


def test_parts_without_a_name_are_left_out():
    assert read_pipes(io.StringIO("a|DT|x\n"), ("word", "pos", ""))[0].columns == {"pos": ["DT"]}


@pytest.mark.parametrize("token", ["b|NN", "b", "|NN|N", "b||N", "b|NN|"])
def test_broken_tokens_are_named(tmp_path, token):
    path = tmp_path / "f.stagged"
    path.write_text(f"x|X|X\na|DT|NP/N {token}\ny|Y|Y\n", encoding="utf-8")
    with pytest.raises(SentenceError) as caught:
        read_pipes(path)
    assert str(caught.value) == f"{path}:2, sentence 2: the token {token!r} is not of the form word|pos|category"
    sentences = read_pipes(path, on_error="skip")
    assert [sentence.words for sentence in sentences] == [["x"], ["y"]]
    assert [error.origin.line for error in sentences.skipped] == [2]


def test_the_word_comes_first():
    with pytest.raises(InputError, match='the first must be "word"'):
        read_pipes(io.StringIO(""), ("pos", "word"))
