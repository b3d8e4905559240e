"""Files that break: every reader says where in one line, and under "skip" keeps what stands before."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import re
import zipfile
from contextlib import contextmanager
from functools import partial

import pytest

from graphs.errors import BrokenFileError, InputError, SentenceError
from graphs.formats.brackets import read_brackets
from graphs.formats.ccgbank import read_auto, read_auto_trees
from graphs.formats.columns import read_columns, read_conll2000, read_conll2003, read_pmb
from graphs.formats.conllu import read_conllu
from graphs.formats.pipes import read_pipes
from graphs.formats.source import read_lines
from graphs.formats.tai import read_tai_constituency, read_tai_dependencies

_random = random.Random(0)
_NOBODY = 65534
WORDS = [f"w{_random.random()}" for _ in range(3000)]  # random, so that gzip cannot make little of them


def lines_of(form):
    return "".join(form.format(word) for word in WORDS).encode()


# A reader, and three thousand sentences for it.
READERS = {
    "brackets": (read_brackets, lines_of("(S (A {0}) (B b))\n")),
    "conllu": (read_conllu, lines_of("1\t{0}\t_\tX\tX\t_\t0\troot\t_\t_\n\n")),
    "columns": (partial(read_columns, columns=("word", "pos")), lines_of("{0} X\n\n")),
    "conll2000": (read_conll2000, lines_of("{0} X O\n\n")),
    "conll2003": (read_conll2003, lines_of("{0} X O O\n\n")),
    "pmb": (read_pmb, lines_of("{0}\ta\tb\tc\td\te\tf\n\n")),
    "pipes": (read_pipes, lines_of("{0}|X|N\n")),
    "auto": (read_auto, lines_of("ID={0} X=1\n(<L N X X {0} N>)\n")),
    "auto trees": (read_auto_trees, lines_of("(<T NP 0 1> (<L N X X {0} N>) )\n")),
    "tai dependencies": (lambda path, **options: read_tai_dependencies(path, ones(path), **options), lines_of("{0}\n")),
    "tai constituency": (lambda path, **options: read_tai_constituency(path, ones(path), **options), lines_of("{0}\n")),
}


def ones(path):
    other = path.parent / "ones"
    other.write_bytes(b"0\n" * 3000)
    return other


def flipped(packed):
    middle = len(packed) // 2
    return packed[:middle] + bytes(byte ^ 0xFF for byte in packed[middle : middle + 8]) + packed[middle + 8 :]


DAMAGE = {
    "truncated": lambda data: gzip.compress(data)[:-40],
    "flipped": lambda data: flipped(gzip.compress(data)),
    "trailing bytes": lambda data: gzip.compress(data) + b"garbage",
    "wrong sum": lambda data: gzip.compress(data)[:-8] + b"12345678",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_gzip_file_is_one_line_and_keeps_what_stands_before(tmp_path, reader, damage):
    read, data = READERS[reader]
    path = tmp_path / "file.gz"
    path.write_bytes(DAMAGE[damage](data))
    with pytest.raises(SentenceError, match=r"file\.gz:[0-9]+.*: ") as caught:
        read(path)
    assert "\n" not in str(caught.value)
    sentences = read(path, on_error="skip")
    # What flipped bits unpack to may be read as broken sentences for a while.
    assert str(sentences.skipped[0]) == str(caught.value)
    assert isinstance(sentences.skipped[-1], BrokenFileError)
    assert len(sentences) <= 3000
    if damage in ("trailing bytes", "wrong sum"):
        assert len(sentences) >= 2999  # the last one may have been open when the file broke


def test_whole_sentences_before_the_break_are_kept(tmp_path):
    path = tmp_path / "file.gz"
    read, data = READERS["brackets"]
    path.write_bytes(gzip.compress(data)[:-1000])
    sentences = read(path, on_error="skip")
    assert len(sentences) > 2000
    assert [tree.words[0] for tree in sentences] == WORDS[: len(sentences)]
    (broken,) = sentences.skipped
    assert broken.origin.line == len(sentences) + 1


def test_a_tree_that_is_open_where_the_file_breaks_is_lost(tmp_path):
    path = tmp_path / "file.brackets"
    for last, kept in ((b"(S (B b)\n", 1), (b"(S (B b)\n (C c))\n", 2), (b"(S (B b))) \n", 1)):
        path.write_bytes(b"(S (A a) (B b))\n" + last + b"\xff\n")
        sentences = read_brackets(path, on_error="skip")
        assert len(sentences) == kept
        assert isinstance(sentences.skipped[-1], BrokenFileError)


@pytest.mark.parametrize("policy", ["raise", "skip"])
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("content", [b"", b"no gzip at all", b"\x1f\x8b", gzip.compress(b"word", mtime=0)[:9]])
def test_a_file_without_a_first_line_is_raised_under_either_policy(tmp_path, reader, content, policy):
    path = tmp_path / "file.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"file\.gz: cannot be read \(.*(gzip|Compressed).*fetch it again") as caught:
        READERS[reader][0](path, on_error=policy)
    assert not isinstance(caught.value, BrokenFileError)


def test_an_empty_gzip_file_of_nothing_is_no_damage(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b""))
    assert read_brackets(path) == []


def test_open_gzip_files_are_judged_alike(tmp_path):
    path = tmp_path / "file.gz"
    path.write_bytes(DAMAGE["truncated"](READERS["conllu"][1]))
    with gzip.open(path) as opened, pytest.raises(BrokenFileError, match=r"file\.gz:[0-9]+: "):
        read_conllu(opened)


@pytest.mark.parametrize("reader", READERS)
def test_what_cannot_be_opened_is_one_line(tmp_path, reader):
    read = READERS[reader][0]
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    for name in ("none", "none.gz", "loop", "folder", "no\0name"):
        with pytest.raises(InputError, match="cannot be read") as caught:
            read(tmp_path / name, on_error="skip")
        assert "\n" not in str(caught.value)


@contextmanager
def without_privileges():
    """As somebody else, where tests run as the superuser: that one may read every file."""
    user = os.geteuid()
    os.seteuid(user or _NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def test_no_permission_is_one_line(tmp_path):
    path = tmp_path / "secret"
    path.write_text("(A a)")
    path.chmod(0)
    with without_privileges(), pytest.raises(InputError, match="secret: cannot be read"):
        read_brackets(path)


class Vanishing(io.RawIOBase):
    """A file whose disk goes away after the first bytes."""

    name = "disk.txt"

    def __init__(self, data):
        self.data = data

    def readable(self):
        return True

    def readinto(self, buffer):
        if not self.data:
            raise OSError(5, "Input/output error")
        size = min(len(buffer), len(self.data))
        buffer[:size], self.data = self.data[:size], self.data[size:]
        return size


def test_a_disk_that_goes_away_keeps_what_stands_before():
    sentences = read_brackets(io.BufferedReader(Vanishing(b"(A a)\n(B\n b)\n(C\n c")), on_error="skip")
    assert [tree.words for tree in sentences] == [["a"], ["b"]]
    (broken,) = sentences.skipped  # the tree of which half is there is no error of its own
    assert str(broken).startswith("disk.txt:5: ")
    assert "Input/output error" in str(broken)


def test_the_line_that_is_not_utf8_is_named(tmp_path):
    path = tmp_path / "t.txt"
    path.write_bytes(b"(A a)\n(B b)\n(C \xe9)\n(D d)\n")
    for source in (path, io.BytesIO(path.read_bytes())):
        with pytest.raises(InputError, match=r"3: not UTF-8 .*convert the file to UTF-8"):
            read_brackets(source)
        assert [tree.words for tree in read_brackets(path, on_error="skip")] == [["a"], ["b"]]
    with (
        open(path, encoding="utf-8") as text,
        pytest.raises(InputError, match=r"t\.txt:[0-9]+: not UTF-8"),
    ):
        read_brackets(text)


@pytest.mark.parametrize("wrap", [io.BytesIO, lambda data: io.StringIO(data.decode())])
def test_streams_are_cut_and_freed_of_their_mark_as_files_are(wrap):
    data = b"\xef\xbb\xbfa\rb\r\nc\r\r\n\xef\xbb\xbfd\n\r"
    assert list(read_lines(wrap(data))) == ["a", "b", "c", "", "\ufeffd", ""]


@pytest.mark.parametrize("first", [1, 2, 5, 6])
def test_marks_and_line_ends_may_come_in_two_pieces(first):
    data = b"\xef\xbb\xbfab\r\nc\r\n"
    # Of a file that was packed in two, gzip gives no more at a time than one of them.
    pieces = gzip.compress(data[:first]) + gzip.compress(data[first:])
    assert list(read_lines(gzip.GzipFile(fileobj=io.BytesIO(pieces)))) == ["ab", "c"]


def test_a_line_without_an_end_is_not_read_whole(tmp_path):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"(A a)\n" + b"x" * 40_000_000))
    with pytest.raises(BrokenFileError, match=r"bomb\.gz:2: .*no line end in 16 MiB"):
        read_brackets(path)


def test_a_packed_file_whose_name_does_not_say_so(tmp_path):
    """It was said not to be UTF-8."""
    path = tmp_path / "file.txt"
    path.write_bytes(gzip.compress("\n".join(WORDS).encode()))
    with pytest.raises(InputError, match=r"file\.txt: packed by gzip, .*; rename or unpack it"):
        list(read_lines(path))
    # What is open, as standard input is, was to be renamed.
    with pytest.raises(InputError, match=r"input: packed by gzip; .* `gunzip -c FILE \| \.\.\.`"):
        list(read_lines(io.BytesIO(path.read_bytes())))


def zipped(raw):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trees.brackets", raw)
    return file.getvalue()


@pytest.mark.parametrize(
    ("packer", "pack", "unpack"),
    [
        ("xz", lzma.compress, "xz -dc"),
        ("bzip2", bz2.compress, "bunzip2 -c"),
        ("zip", zipped, "unzip -p"),
        ("zstd", lambda raw: b"\x28\xb5\x2f\xfd" + raw, "zstd -dc"),
    ],
)
def test_files_packed_otherwise_than_by_gzip(packer, pack, unpack, tmp_path):
    path = tmp_path / "file.brackets"
    path.write_bytes(pack(b"(A a)\n" * 100))
    with pytest.raises(InputError, match=rf"file\.brackets: packed by {packer}; unpack it, or pack it with gzip$"):
        read_brackets(path)
    with pytest.raises(InputError, match=rf"^input: packed by {packer}; .* `{unpack} FILE \| \.\.\.`$"):
        list(read_lines(io.BytesIO(path.read_bytes())))


def test_a_damaged_file_that_comes_open_through_another_packer(tmp_path):
    path = tmp_path / "file.xz"
    path.write_bytes(lzma.compress(b"(A a)\n" * 100)[:-30] + b"\0" * 30)
    with pytest.raises(InputError, match=r"cannot be read \(Corrupt input data\)"), lzma.open(path) as opened:
        read_brackets(opened)


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_of_latin_letters_is_named_in_files_and_text(order, tmp_path):
    raw = "(S (A a))\n(S (B bc))\n".encode(f"utf-16-{order}")
    file = tmp_path / "trees.brackets"
    file.write_bytes(raw)
    said = f"every other byte is 0, as in UTF-16; convert .* `iconv -f UTF-16{order.upper()} -t UTF-8 FILE`$"
    with pytest.raises(InputError, match=f"^{re.escape(str(file))}: {said}"):
        read_brackets(file)
    with pytest.raises(InputError, match=f"^input: {said}"):
        read_brackets(io.StringIO(raw.decode()))
