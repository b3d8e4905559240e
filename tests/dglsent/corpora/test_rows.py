from __future__ import annotations

import bz2
import gzip

import pytest

from dglsent.corpora.rows import binary_label, read_rows, read_text_lines, read_tokens, score
from graphs.errors import InputError


def test_lines_of_old_and_new_encodings(tmp_path):
    file = tmp_path / "lines"
    file.write_bytes("\ufeffcafé\r\nb\n\n".encode())
    assert read_text_lines(file) == ["café", "b"]
    # 0x85 is a line end to str.splitlines, and no UTF-8.
    file.write_bytes(b"caf\xe9 \x85 x\nb")
    assert read_text_lines(file) == ["café \x85 x", "b"]
    # One damaged line leaves the others as they are.
    file.write_bytes("naïve café\n".encode() + b"caf\xe9\n")
    assert read_text_lines(file) == ["naïve café", "café"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("a b\n".encode("utf-16"), r"lines: holds bytes that are 0, .* convert the file to UTF-8"),
        ("a b\n".encode("utf-16-le"), r"lines: holds bytes that are 0, .* convert the file to UTF-8"),
        (
            gzip.compress(b"a b\n", mtime=0),
            r"lines: packed by gzip, and its name does not end in .gz; rename or unpack it",
        ),
        (bz2.compress(b"a b\n"), r"lines: packed by bzip2; unpack it"),
    ],
)
def test_what_is_no_text_is_not_read_as_an_old_encoding(tmp_path, raw, message):
    file = tmp_path / "lines"
    file.write_bytes(raw)
    with pytest.raises(InputError, match=message):
        read_text_lines(file)


def test_tokens_stand_between_spaces(tmp_path):
    file = tmp_path / "tokens"
    file.write_text("a  b \nc\n")
    assert read_tokens(file) == [["a", "b"], ["c"]]
    file.write_text("a\n \nb\n")
    with pytest.raises(InputError, match=r"tokens:2: a blank line"):
        read_tokens(file)


def test_quotation_marks_are_text(tmp_path):
    file = tmp_path / "rows"
    file.write_text('n\ttext\n1\the said "no\n2\tand "yes"\n')
    assert read_rows(file, 2, sentences=[1], header="n\t") == [["1", 'he said "no'], ["2", 'and "yes"']]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("n\ttext\n1\ta\n2\n", r"rows:3: 1 column, expected 2"),
        ("n\ttext\n1\ta\tb\n", r"rows:2: 3 columns, expected 2"),
        ("n\ttext\n1\t \n", r"rows:2: a sentence without words"),
        ("1\ta\n", r"rows:1: the first line should start with 'n\\t'"),
        ("", r"rows:1: the first line should start"),
    ],
)
def test_broken_rows_are_named(tmp_path, text, message):
    file = tmp_path / "rows"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_rows(file, 2, sentences=[1], header="n\t")


def test_binary_label(tmp_path):
    assert [binary_label(text, tmp_path, 1) for text in "01"] == [0, 1]
    with pytest.raises(InputError, match=r":7: label '2', expected 0 or 1"):
        binary_label("2", tmp_path, 7)


def test_every_line_end_ends_a_line(tmp_path):
    file = tmp_path / "lines"
    file.write_bytes(b"a\rb\r\nc\n\r")
    assert read_text_lines(file) == ["a", "b", "c"]


def test_what_cannot_be_read_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"cannot be read \(Is a directory\)"):
        read_text_lines(tmp_path)


def test_scores_are_plain_numbers(tmp_path):
    assert score("4.5", tmp_path, 1, 1, 5) == 4.5
    for text in ("nan", "inf", "0_4", "\u0664", " 4", "0.5", "9" * 5000, ""):
        with pytest.raises(InputError, match=r":7: .* is not a score from 1 to 5"):
            score(text, tmp_path, 7, 1, 5)
