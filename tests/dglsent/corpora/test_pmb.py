from __future__ import annotations

import pytest

from dglsent.corpora.pmb import PMB
from dglsent.corpora.tagged import RARE
from graphs.errors import InputError


def line(word: str, category: str) -> str:
    return f"{word}\t{word}\t{word}\tSEM\t{category}\tO\t[]\n"


@pytest.fixture
def small(tmp_path):
    folder = tmp_path / "pmb"
    folder.mkdir()
    head = "# newdoc id = p1\n# tok:gold\ttok:gold\tsym:gold\tsem:gold\tcat:gold\tsns:gold\trol:gold\n"
    (folder / "train.conll").write_text(head + line("dogs", "np") + line("bark", "s:dcl\\np"))
    (folder / "dev.conll").write_text(head + line("cats", "np") + line("see", "(s:dcl\\np)/np"))
    (folder / "test.conll").write_text(head + line("cats", "np"))
    return tmp_path


def test_categories_of_training_and_a_rare_one(small):
    corpus = PMB()
    assert corpus.labels == ()
    splits = corpus.load(small)
    assert corpus.labels == ("np", "s:dcl\\np", RARE)
    assert splits["train"][0].sentences[0].labels == [0, 1]
    assert splits["dev"][0].sentences[0].labels == [0, 2]
    columns = splits["dev"][0].sentences[0].unparsed.columns
    assert columns["semantic"] == ["SEM", "SEM"]
    assert "category" not in columns


def test_missing_files_are_said_with_the_layout(small):
    (small / "pmb" / "dev.conll").unlink()
    with pytest.raises(InputError, match=r"Parallel Meaning Bank is missing; expected .*\{train,dev,test\}\.conll"):
        PMB().load(small)


def test_real_counts(data_dir):
    corpus = PMB()
    splits = corpus.load(data_dir)
    assert {split: len(found) for split, found in splits.items()} == {"train": 7745, "dev": 1174, "test": 1053}
    assert len(corpus.labels) == 294 + 1
    rare = corpus.labels.index(RARE)
    labels = {split: [label for one in found for label in one.sentences[0].labels] for split, found in splits.items()}
    assert {split: len(found) for split, found in labels.items()} == {"train": 50408, "dev": 7368, "test": 6821}
    assert {split: found.count(rare) for split, found in labels.items()} == {"train": 0, "dev": 13, "test": 8}
