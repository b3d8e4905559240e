from __future__ import annotations

import pytest

from graphs.errors import InputError, Origin, SentenceError, check_size, counted, one_line


def test_an_error_in_one_line():
    assert one_line(ValueError("first\n  and second")) == "first and second"
    assert one_line(ValueError("first"), 3) == "fir"
    assert one_line(AssertionError()) == "AssertionError"


def test_the_line_on_which_a_sentence_starts_is_named_once():
    origin = Origin("a.txt", 3, "2")
    assert str(SentenceError("line 3: no words", origin)) == "a.txt:3, sentence 2: no words"
    assert str(SentenceError("line 4: no words", origin)) == "a.txt:3, sentence 2: line 4: no words"
    assert str(SentenceError("line 30: no words", origin)) == "a.txt:3, sentence 2: line 30: no words"


def test_vectors_of_another_size():
    check_size("the vectors", 3, 3)
    with pytest.raises(InputError, match=r"^the vectors have 1 dimension; 3 are wanted$"):
        check_size("the vectors", 1, 3)
    with pytest.raises(InputError, match=r"^the vectors have 2 dimensions; 3 are wanted; take others$"):
        check_size("the vectors", 2, 3, "take others")


def test_one_of_something_is_no_several():
    assert [counted(number, "column") for number in (0, 1, 2)] == ["0 columns", "1 column", "2 columns"]
