from __future__ import annotations

import gzip
import zipfile
from collections import Counter

import numpy as np
import pytest
from little_memory import little_memory, on_linux

from graphs.errors import InputError
from graphs.features import Vocabulary
from graphs.vectors import read_vectors

GLOVE = "the 1 2 3\nCat 4 5 6\ncat -.5 1e-2 .25\nUnused x y z\n. . . 7 8 9\n"


def write(path, text):
    data = text.encode()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(data))
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("vectors.txt", data)
    else:
        path.write_bytes(data)
    return path


def vector(vectors, word):
    return vectors.matrix[vectors.vocabulary[word]].tolist()


@pytest.mark.parametrize("name", ["v.txt", "v.txt.gz", "v.zip"])
@pytest.mark.parametrize("header", ["", "5 3\n"])
@pytest.mark.parametrize("ending", ["\n", " \n", "\r\n"])
def test_formats(tmp_path, name, header, ending):
    path = write(tmp_path / name, (header + GLOVE).replace("\n", ending))
    vectors = read_vectors(path, Vocabulary(["THE", "cat", "Cat", "dog", ". . ."]))
    assert vectors.matrix.dtype == np.float32
    assert vectors.matrix.shape == (7, 3)
    assert vectors.found.tolist() == [False, False, True, True, True, False, True]
    assert vector(vectors, "THE") == [1, 2, 3]
    assert vector(vectors, "cat") == [-0.5, np.float32(0.01), 0.25]
    assert vector(vectors, "Cat") == [4, 5, 6]
    assert vector(vectors, ". . .") == [7, 8, 9]
    assert not vectors.matrix[~vectors.found].any()


def test_own_form_goes_before_lower_case_in_either_order(tmp_path):
    for text in ("Cat 1 1\ncat 2 2\n", "cat 2 2\nCat 1 1\n"):
        vectors = read_vectors(write(tmp_path / "v.txt", text), Vocabulary(["Cat", "CAT", "cat"]))
        assert [vector(vectors, word) for word in ("Cat", "CAT", "cat")] == [[1, 1], [2, 2], [2, 2]]


def test_those_of_some_words_alone(tmp_path):
    vectors = read_vectors(write(tmp_path / "v.txt", GLOVE), Vocabulary(["the", "cat", "dog"]))
    with pytest.raises(
        InputError, match=r"^Vocabulary is wanted, and list was given; of graphs\.Vocabularies give \.word$"
    ):
        vectors.take(["dog"])
    taken = vectors.take(Vocabulary(["dog", "new", "the"]))
    assert taken.found.tolist() == [False, False, False, False, True]
    assert vector(taken, "the") == [1, 2, 3]
    assert taken.matrix.shape == (5, 3)
    assert not taken.matrix[:4].any()


def test_first_of_two_lines_counts(tmp_path):
    path = write(tmp_path / "v.txt", "a 1 1\na 2 2\nb 3 3\n")
    vectors = read_vectors(path, Vocabulary(["a", "A"]))
    assert (vector(vectors, "a"), vector(vectors, "A")) == ([1, 1], [1, 1])


def test_words_break_at_plain_spaces_alone(tmp_path):
    path = write(tmp_path / "v.txt", "8\u00a01 1 2\nx\u0085y 3 4\n\u2028 5 6\n")
    vectors = read_vectors(path, Vocabulary(["8\u00a01", "x\u0085y", "\u2028"], special=False))
    assert vectors.matrix.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_a_spaced_token_does_not_pass_for_its_first_part(tmp_path):
    path = write(tmp_path / "v.txt", "a 1 2\n. . 3 4\nb 5 6\n")
    vectors = read_vectors(path, Vocabulary(["a", "."]))
    assert vectors.found.tolist() == [False, False, True, False]


def test_one_dimension(tmp_path):
    vectors = read_vectors(write(tmp_path / "v.txt", "5 3\na 1\n"), Vocabulary(["5", "a"]))
    assert vectors.matrix.ravel().tolist() == [0, 0, 3, 1]
    vectors = read_vectors(write(tmp_path / "v.txt", "2 1\na 1\nb 2\n"), Vocabulary(["2", "a"]))
    assert vectors.found.tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ": holds no word vectors"),
        ("\n", ": holds no word vectors"),
        ("The film fails\nThe plot works\n", ": holds no word vectors"),
        ("The film of 1999 fails\nThe plot works\n", ": holds no word vectors"),
        ("10 300\n", ": holds no word vectors"),
        ("word\nother\n", ":1: no numbers after the word"),
        ("a 1 2 3\nb 1 2\n", ":2: 2 numbers after the word, not 3"),
        ("a 1 2 3\nzz 1 2\n", ":2: 2 numbers after the word, not 3"),
        ("a 1 2\nc 1 2\nb 1 2 3\n", ":3: 3 numbers after the word, not 2"),
        ("3 2\na 1 2\nb 1\n", ":3: 1 numbers after the word, not 2"),
        ("a 1 2\nb 1 two\n", ":2: 'two' is not a number"),
        ("a 1 2\nb 1 nan\n", ":2: 'nan' is not a number"),
        ("a 1 2\nb 1 1e300\n", ":2: '1e300' is not a number"),
        ("a 1 2\n\nb 1 2\n", ":2: empty line"),
        ("3 2\na 1 2\n", ": ends after 1 of the 3 vectors"),
        ("3 2\na 1 2\nb 1 2\n", ": ends after 2 of the 3 vectors"),
        ("3 1000000000000\na 1 2\n", ":2: 2 numbers after the word, not 1000000000000"),
        ("1000000000000 2\na 1 2\n", ": ends after 1 of the 1000000000000 vectors"),
        ("3 " + "9" * 5000 + "\na 1 2\n", ":2: 2 numbers after the word, not 1000000000000000000"),
        ("9" * 5000 + " 2\na 1 2\n", ": ends after 1 of the 1000000000000000000 vectors"),
        ("3 0\na 1 2\n", ":2: 2 numbers after the word, not 0"),
        ("a 1 2\nb 1 1_0\n", ":2: '1_0' is not a number"),
        ("a 1 2\nb 1 inf\n", ":2: 'inf' is not a number"),
        ("a 1 2\nb 1 \t2\n", ":2: '\\t2' is not a number"),
    ],
)
def test_broken_files(tmp_path, text, message):
    path = write(tmp_path / "v.txt", text)
    with pytest.raises(InputError) as caught:
        read_vectors(path, Vocabulary(["a", "b"]))
    assert str(caught.value).startswith(f"{path}{message}")
    assert "\n" not in str(caught.value)
    assert ";" in str(caught.value)  # what to do


def test_a_broken_line_far_down_is_named(tmp_path):
    lines = [f"w{number} 1 2 3\n" for number in range(500)]
    lines[321] = "w321 1 2\n"
    with pytest.raises(InputError, match=r"v\.txt:322: 2 numbers"):
        read_vectors(write(tmp_path / "v.txt", "".join(lines)), Vocabulary(["w1"]))


def test_files_that_do_not_open(tmp_path):
    vocabulary = Vocabulary(["a"])
    with pytest.raises(InputError, match=r"none\.txt: .*\(No such file or directory\); check"):
        read_vectors(tmp_path / "none.txt", vocabulary)
    (tmp_path / "v.gz").write_bytes(gzip.compress(GLOVE.encode() * 99)[:-20])
    with pytest.raises(InputError, match=r"v\.gz:[0-9]+: .*fetch again"):
        read_vectors(tmp_path / "v.gz", vocabulary)
    (tmp_path / "v.gz").write_bytes(b"")
    with pytest.raises(InputError, match=r"v\.gz: holds no word vectors"):
        read_vectors(tmp_path / "v.gz", vocabulary)
    with zipfile.ZipFile(tmp_path / "v.zip", "w") as archive:
        archive.writestr("v.txt", GLOVE * 99)
    damaged = (tmp_path / "v.zip").read_bytes().replace(b"Cat 4", b"Dog 4", 1)
    (tmp_path / "v.zip").write_bytes(damaged)
    with pytest.raises(InputError, match=r"v\.zip(:[0-9]+)?: .*fetch again"):
        read_vectors(tmp_path / "v.zip", vocabulary)
    (tmp_path / "v.zip").write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"v\.zip: .*\(File is not a zip file\)"):
        read_vectors(tmp_path / "v.zip", vocabulary)
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("50d.txt", "a 1")
        archive.writestr("100d.txt", "a 1")
    with pytest.raises(InputError, match=r"two\.zip: holds 2 files \(50d\.txt, 100d\.txt\); unpack"):
        read_vectors(tmp_path / "two.zip", vocabulary)


def test_a_mark_at_the_start_is_dropped_and_every_line_end_ends_a_line(tmp_path):
    path = tmp_path / "v.txt"
    path.write_bytes(b"\xef\xbb\xbfa 1 2\rb 3 4\r\n\xef\xbb\xbfc 5 6\n")
    vectors = read_vectors(path, Vocabulary(["a", "b", "c", "\ufeffc"], special=False))
    assert vectors.matrix.tolist() == [[1, 2], [3, 4], [0, 0], [5, 6]]


@on_linux
def test_an_archive_that_asks_for_more_memory_than_there_is(tmp_path):
    path = tmp_path / "v.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("v.txt", GLOVE)
    packed = path.read_bytes()
    start = packed.index(b"v.txt") + 5 + 4  # past the name, and the version and size of LZMA's properties
    path.write_bytes(packed[: start + 1] + b"\xff\xff\xff\xff" + packed[start + 5 :])  # a dictionary of 4 GiB
    with little_memory(1 << 30), pytest.raises(InputError, match=r"v\.zip: .*\(not enough memory\)"):
        read_vectors(path, Vocabulary(["the"]))


def test_an_archive_of_a_file_without_a_name(tmp_path):
    path = tmp_path / "v.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("v", GLOVE)
    path.write_bytes(path.read_bytes().replace(b"v", b"\0"))  # which `zipfile` takes for its end
    assert read_vectors(path, Vocabulary(["the"])).found.tolist() == [False, False, True]


def test_progress_goes_to_stderr(tmp_path, capsys):
    path = write(tmp_path / "v.txt", "".join(f"w{number} 1\n" for number in range(20_001)))
    read_vectors(path, Vocabulary(["a"]), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "20,000 lines\rv.txt: 20,001 lines\n" in err


@pytest.mark.parametrize(
    ("name", "types", "tokens"),
    [
        ("glove.840B.300d.sick", "0.998", "0.9999"),
        ("glove.6B.50d.subset", "0.299", "0.7911"),
        ("imdb_sgns.300d", "0.929", "0.9918"),
    ],
)
def test_coverage_of_sick(data_dir, name, types, tokens):
    counts = Counter(
        word
        for part in ("train", "dev", "test")
        for side in "ab"
        for line in (data_dir / "sick/parsed" / part / f"{side}.toks").read_text("utf-8").split("\n")
        for word in line.split(" ")
        if word
    )
    vectors = read_vectors(data_dir / "vectors" / f"{name}.txt.gz", Vocabulary.of(counts))
    known = [word for word in counts if vectors.found[vectors.vocabulary[word]]]
    shares = len(known) / len(counts), sum(counts[word] for word in known) / counts.total()
    assert (f"{shares[0]:.3f}", f"{shares[1]:.4f}") == (types, tokens)
