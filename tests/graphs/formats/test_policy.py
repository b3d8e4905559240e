from __future__ import annotations

import gzip
import io

import pytest

from graphs.columns import Constituency
from graphs.errors import BrokenFileError, InputError, Origin, SentenceError
from graphs.formats.brackets import read_brackets
from graphs.formats.policy import collect
from graphs.formats.source import read_lines, source_name

BAD = SentenceError("no verb", Origin("f.txt", 3, "2"))


def test_skip_keeps_the_rest_and_says_what_went():
    sentences = collect(["a", BAD, "b"], "skip")
    assert sentences == ["a", "b"]
    assert sentences.skipped == [BAD]
    assert str(sentences.skipped[0]) == "f.txt:3, sentence 2: no verb"


def test_raise_stops_at_the_first_error():
    rest = [SentenceError("no noun"), "b"]
    results = iter(["a", BAD, *rest])
    with pytest.raises(SentenceError, match="no verb"):
        collect(results)
    assert list(results) == rest


def test_an_unknown_policy_is_refused_before_reading():
    with pytest.raises(InputError, match="'raise' or 'skip'"):
        collect([], "ignore")


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_end_at_line_ends_only(tmp_path, ends):
    text = ends.join(["a\u2028b\u2029", "", "c\x85d\xa0e\x0b\x0c\x1c\x1d\x1e", ""])
    path = tmp_path / "t.txt"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert list(read_lines(path)) == ["a\u2028b\u2029", "", "c\x85d\xa0e\x0b\x0c\x1c\x1d\x1e"]


def test_gzip_and_open_files_are_read_alike(tmp_path):
    path = tmp_path / "t.txt.gz"
    path.write_bytes(gzip.compress("é\nb".encode()))
    assert list(read_lines(path)) == ["é", "b"]
    assert list(read_lines(io.BytesIO("é\r\nb\n".encode()))) == ["é", "b"]
    assert list(read_lines(io.StringIO("é\nb\n"))) == ["é", "b"]
    assert source_name(path) == str(path)
    assert source_name(io.StringIO()) == ""


def test_other_encodings_are_named(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes("é".encode("latin-1"))
    with pytest.raises(InputError, match=r"t\.txt:1: not UTF-8"):
        list(read_lines(path))


def test_a_break_is_raised_or_listed_last():
    def results():
        yield "a"
        yield BAD
        raise BrokenFileError("no disk", Origin("f.txt", 9))

    sentences = collect(results(), "skip")
    assert sentences == ["a"]
    assert list(map(str, sentences.skipped)) == [str(BAD), "f.txt:9: no disk"]
    with pytest.raises(BrokenFileError, match="no disk"):
        collect((result for result in results() if result != BAD), "raise")


def test_sentences_and_broken_ones_stand_in_the_order_of_their_file():
    read = read_brackets(io.StringIO("(A a) (B b)\n(C\n(D d)\n"), on_error="skip")
    assert [one.label[0] if isinstance(one, Constituency) else "broken" for one in read.in_order()] == [
        "A", "B", "broken", "D",
    ]  # fmt: skip
    many = read_brackets(io.StringIO("(A a)\n(C\n" + "(A a)\n" * 10), on_error="skip").in_order()
    assert [place for place, one in enumerate(many) if isinstance(one, SentenceError)] == [1]
