"""The files of `dglsent parse` belong together: all of them are of one input."""

from __future__ import annotations

import random

import pytest
from full_disk import full_disk

import graphs
from dglsent.cli.parse_files import write
from graphs.errors import SentenceError
from graphs.parsing import Parse


def parses(count: int, seed: int) -> list[Parse]:
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        word, lemma = f"w{draw.getrandbits(60)}", f"l{draw.getrandbits(60)}"
        (sentence,) = graphs.parse_conllu(f"1\t{word}\t{lemma}\t_\t_\t_\t0\troot\t_\t_\n\n")
        (tree,) = graphs.parse_brackets(f"(UH {word})")
        found.append(Parse(sentence, tree))
    return found


@pytest.mark.parametrize("room", [0, 400, 1500])
def test_a_full_disk_leaves_all_files_as_they_were(room, tmp_path):
    """There may be room for brackets alone, which are smaller than CoNLL-U."""
    files, listed = [str(tmp_path / f"x.{kind}.gz") for kind in ("conllu", "brackets")], tmp_path / "x.failed.txt"
    assert write([*parses(2, seed=1), SentenceError("of before")], files, listed) == 1
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with full_disk(room), pytest.raises(OSError, match=r"x\.conllu\.gz") as raised:
        write([*parses(100, seed=2), SentenceError("of now")], files, listed)
    assert raised.value.filename == files[0]
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert write(parses(100, seed=2), files, listed) == 0
    sizes = [(tmp_path / f"x.{kind}.gz").stat().st_size for kind in ("brackets", "conllu")]
    assert sizes[0] < 1500 < sizes[1]
