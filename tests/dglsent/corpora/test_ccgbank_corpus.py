from __future__ import annotations

import pytest

from dglsent.corpora.ccgbank import CCGbank
from dglsent.corpora.tagged import RARE
from graphs.errors import InputError


def auto(name: str, category: str, word: str) -> str:
    return f"ID={name} PARSER=GOLD NUMPARSE=1\n(<L {category} NN NNS {word} {category}>)\n"


@pytest.fixture
def derivations(tmp_path):
    for section in (*range(2, 22), 0, 1, 23):
        folder = tmp_path / "ccgbank_1_1" / "data" / "AUTO" / f"{section:02}"
        folder.mkdir(parents=True)
        for number in (1, 2):
            text = auto(f"wsj_{section:02}{number:02}.1", "NP" if section else "N", f"w{section}")
            (folder / f"wsj_{section:02}{number:02}.auto").write_text(text)
    return tmp_path


def test_sections_of_derivations(derivations):
    corpus = CCGbank()
    splits = corpus.load(derivations)
    assert {split: len(found) for split, found in splits.items()} == {"train": 40, "dev": 2, "test": 2}
    assert corpus.labels == ("NP", RARE)
    words = {split: [one.sentences[0].unparsed.words for one in found] for split, found in splits.items()}
    assert words["train"] == [[f"w{section}"] for section in range(2, 22) for _ in (1, 2)]
    assert words["dev"] == [["w0"]] * 2
    assert words["test"] == [["w23"]] * 2
    assert [one.sentences[0].labels for one in splits["dev"]] == [[1], [1]]
    assert splits["dev"][0].sentences[0].unparsed.columns == {"pos": ["NN"]}


def test_lines_of_tokens(tmp_path):
    folder = tmp_path / "ccgbank"
    folder.mkdir()
    for sections in ("02-21", "00", "23"):
        (folder / f"wsj{sections}.stagged").write_text("Dogs|NNS|N bark|VBP|S[dcl]\\NP .|.|.\nYes|UH|N\n")
    corpus = CCGbank()
    splits = corpus.load(tmp_path)
    assert corpus.labels == (".", "N", "S[dcl]\\NP", RARE)
    assert [[one.sentences[0].labels for one in found] for found in splits.values()] == [[[1, 2, 0], [1]]] * 3


def test_missing_files_are_said_with_the_layouts(tmp_path):
    with pytest.raises(
        InputError, match=r"CCGbank is missing; expected .*AUTO/.*auto or .*wsj\{02-21,00,23\}\.stagged"
    ):
        CCGbank().load(tmp_path)
