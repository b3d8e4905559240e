"""Files cut into parts: what is read of the parts is what a reader reads of the whole file."""

from __future__ import annotations

import gzip
import lzma
import random
from pathlib import Path

import pytest

from dglsent.building.files import Files
from dglsent.building.parts import Part
from dglsent.corpora.tables import Row, rows
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError
from graphs.formats.brackets import read_brackets
from graphs.formats.conllu import read_conllu

WORD = "1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"
TREES = {
    "one a line": "(S (NN a))\n(S (NN b))\n(S (NN c))\n",
    "a byte order mark": "\ufeff(S (NN a))\n(S (NN b))\n(S (NN c))\n",
    "indented": " (S (NN a))\n (S (NN b))\n\t(S (NN c))\n",
    "on several lines": "(S\n (NN a)\n (NN b))\n\n( (S\n\n  (NN c)))\n(S (NN d)\n)\n",
    "several a line": "(S (NN a)) (S (NN b))\n(S\n (NN c)) (S (NN d)) (S (NN e))\n(S (NN f))\n",
    "a mark within": "(S (NN a)\n\ufeff(NN b))\n(S (NN c))\n",
    "old line ends": "\ufeff(S (NN a))\r(S\r\n (NN b))\r\r (S (NN c))",
    "broken": "(S (NN a)\n(S (NN b))\n# text\n(S (NN c))) (S (NN d))\n()\n  (S (NN e))\n",
}


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_bytes(text.encode())
    return file


def read_in_parts(file: Path, size: int) -> tuple[list[Part], list[Constituency | Dependencies], list[str]]:
    """The parts of a file, their parses, and why others were left out."""
    source = Files("constituency", {"train": [str(file)]}, skip=True)
    parts = list(source.parts(size))
    parses: list[Constituency | Dependencies] = []
    skipped: list[str] = []
    for part in parts:
        read = source.read(part)
        assert part.count == len(read.examples) + len(read.skipped)
        numbers = [int(example.id.removeprefix("train-")) for example in read.examples]
        assert set(numbers) <= set(range(part.first, part.first + part.count))
        for example in read.examples:
            (one,) = example.sentences
            found = one.constituency or one.dependencies or one.unparsed
            assert isinstance(found, Constituency | Dependencies)
            parses.append(found)
        skipped += read.skipped
    return parts, parses, skipped


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize("text", TREES.values(), ids=TREES)
def test_trees(text: str, size: int, tmp_path: Path) -> None:
    file = written(tmp_path, "own.brackets", text)
    parts, parses, skipped = read_in_parts(file, size)
    whole = read_brackets(file, on_error="skip")
    assert [(one.word, one.origin) for one in parses] == [(one.word, one.origin) for one in whole]
    assert skipped == [str(error) for error in whole.skipped]
    assert size < 100 or len(parts) == 1


def test_trees_at_random(tmp_path: Path) -> None:
    dice = random.Random(5)
    pieces = ["(S (NN a))", "(S (NN b) ", "(", ")", "x", " ", "\t", "\n", "\r", "\r\n", "\n", "\xa0"]
    for number in range(300):
        file = written(tmp_path, f"{number}.brackets", "(S (NN c))" + "".join(dice.choices(pieces, k=12)))
        whole = read_brackets(file, on_error="skip")
        _, parses, skipped = read_in_parts(file, 1)
        assert [(one.word, one.origin) for one in parses] == [(one.word, one.origin) for one in whole]
        assert skipped == [str(error) for error in whole.skipped]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end: str, tmp_path: Path) -> None:
    text = f"\ufeff\n{WORD}\n# sent_id = x\n{WORD}{WORD.replace('1', '2', 1)} \n\n{WORD}".replace("\n", end)
    file = written(tmp_path, "own.conllu", text)
    parts, parses, skipped = read_in_parts(file, 1)
    whole = read_conllu(file)
    assert [part.line for part in parts] == [1, 4, 9]
    assert [(one.word, one.origin) for one in parses] == [(one.word, one.origin) for one in whole]
    assert (len(parses), skipped) == (3, [])

    table = written(tmp_path, "own.tsv", "\ufeff\ntext\tlabel\n\nA\x85b\tx\n\xa0\nB\ty\nC\n".replace("\n", end))
    source = Files("chain", {"train": [str(table)]}, skip=True)
    reads = [source.read(part) for part in source.parts(1)]
    found = [example.sentences[0].origin for read in reads for example in read.examples]
    assert found == [row.origin for row in rows(table) if isinstance(row, Row)]
    assert [origin.line for origin in found] == [4, 6]
    assert [reason for read in reads for reason in read.skipped] == [
        f"{table}:7, sentence 3: 1 cells, and 2 columns: text, label"
    ]


def test_a_line_of_spaces_ends_a_sentence(tmp_path: Path) -> None:
    file = written(tmp_path, "own.conllu", f"{WORD} \t\n{WORD}\t\n\n{WORD}")
    parts, parses, _ = read_in_parts(file, 1)
    assert [(part.line, part.count) for part in parts] == [(1, 1), (3, 1), (6, 1)]
    assert [one.origin for one in parses] == [one.origin for one in read_conllu(file)]


def test_sentences_are_numbered_through_all_files(tmp_path: Path) -> None:
    files = [str(written(tmp_path, name, "(S (NN a))\n" * 3)) for name in ("one.brackets", "two.brackets")]
    source = Files("constituency", {"train": files})
    parts = list(source.parts(2))
    assert [(part.number, part.first, part.count) for part in parts] == [(0, 1, 2), (1, 3, 1), (2, 4, 2), (3, 6, 1)]
    ids = [example.id for part in parts for example in source.read(part).examples]
    assert ids == [f"train-{number}" for number in range(1, 7)]


def test_a_file_without_sentences_is_told(tmp_path: Path) -> None:
    for name, text in (("own.brackets", "\ufeff \r\n\r"), ("own.tsv", "text\tlabel\r\r"), ("own.txt", "\xa0\n \r\n")):
        file = written(tmp_path, name, text)
        with pytest.raises(InputError, match=rf"{name}: holds no sentences; leave it out$"):
            list(Files("chain", {"train": [str(file)]}).parts(10))


def test_a_file_put_in_the_place_of_another_is_read_anew(tmp_path):
    """As editors save: the one that is open still has the old lines."""
    file = written(tmp_path, "a.brackets", "(S (NN a))\n")
    assert read_in_parts(file, 1)[1][0].words == ["a"]
    written(tmp_path, "new", "(S (NN b))\n").replace(file)
    assert read_in_parts(file, 1)[1][0].words == ["b"]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_cells_of_csv_go_on_in_the_next_line(size: int, tmp_path: Path) -> None:
    text = 'label,text\nx,"A\n\nb"\n\ny,"C ""c"""\nx,"D\n",\nz,E\n'
    file = written(tmp_path, "own.csv", text)
    source = Files("chain", {"train": [str(file)]}, skip=True)
    reads = [source.read(part) for part in source.parts(size)]
    found = [example.sentences[0] for read in reads for example in read.examples]
    assert [one.unparsed.words for one in found] == [["A", "b"], ["C", '"', "c", '"'], ["E"]]
    assert [one.origin for one in found] == [row.origin for row in rows(file) if isinstance(row, Row)]
    assert [reason for read in reads for reason in read.skipped] == [
        f"{file}:7, sentence 3: 3 cells, and 2 columns: label, text"
    ]


def test_csv_is_cut_where_its_reader_ends_a_row(tmp_path: Path) -> None:
    """Quotes open a cell at its beginning alone; elsewhere they are text, such as those of inches."""
    dice = random.Random(7)
    for number in range(300):
        text = "label,text\nx,y\n" + "".join(dice.choices(['"', ",", "a", "\n", '5"', '"b"', 'c,"', "\n \t\n"], k=14))
        file = written(tmp_path, f"{number}.csv", text)
        parts = list(Files("chain", {"train": [str(file)]}, skip=True).parts(1))
        assert [(part.line, part.count) for part in parts] == [(row.origin.line, 1) for row in rows(file)]


@pytest.mark.parametrize("name", ["own.tsv", "own.txt", "own.conllu"])
def test_a_packed_file_whose_name_does_not_say_so(name: str, tmp_path: Path) -> None:
    """It was said to have no sentences."""
    (tmp_path / name).write_bytes(gzip.compress(b"text\tlabel\na film\tgood\n"))
    with pytest.raises(InputError, match=rf"{name}: packed by gzip, and its name does not end in \.gz"):
        list(Files("chain", {"train": [str(tmp_path / name)]}).parts(10))
    (tmp_path / name).write_bytes(lzma.compress(b"text\tlabel\na film\tgood\n"))
    with pytest.raises(InputError, match=rf"{name}: packed by xz; unpack it, or pack it with gzip"):
        list(Files("chain", {"train": [str(tmp_path / name)]}).parts(10))


def test_a_packed_file_that_is_cut_after_it_was_looked_through(tmp_path: Path) -> None:
    file = tmp_path / "own.txt.gz"
    file.write_bytes(gzip.compress(random.Random(1).randbytes(20_000).hex().replace("7", "\n").encode()))
    source = Files("chain", {"train": [str(file)]})
    *_, last = source.parts(100)
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(InputError, match=r"own\.txt\.gz: changed while it was read; run the command again"):
        source.read(last)
