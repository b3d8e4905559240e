from __future__ import annotations

from collections import Counter

import pytest
from test_parses import write

from dglsent.corpora.quora import Quora
from dglsent.corpora.splits import is_dev
from dglsent.training.graphs import shape
from graphs.errors import InputError, SentenceError

ROWS = "What 's\xa0this ?\tWho ?\t0\nWhy ?\tWhy so ?\t1\n"


@pytest.fixture
def small(tmp_path, no_parses):
    (tmp_path / "quora").mkdir()
    for name in ("dev", "test"):
        (tmp_path / "quora" / f"{name}.txt").write_text(ROWS)
    return tmp_path


def test_dev_is_trained_on_where_there_is_no_train(small):
    (small / "quora" / "dev.txt").write_text(ROWS * 20)
    splits = Quora().load(small)
    assert [one.id for one in splits["test"]] == ["test-1", "test-2"]
    assert [one.targets["label"] for one in splits["test"]] == [0, 1]
    assert all(is_dev(one.id) for one in splits["dev"])
    assert {one.id for one in splits["train"] + splits["dev"]} == {f"dev-{number}" for number in range(1, 41)}


def test_the_whole_corpus(small):
    (small / "quora" / "train.txt").write_text(ROWS * 2)
    splits = Quora().load(small)
    assert [one.id for one in splits["train"]] == ["train-1", "train-2", "train-3", "train-4"]
    assert [one.id for one in splits["dev"]] == ["dev-1", "dev-2"]
    assert "quora-train-b" in Quora().texts(small)


def test_chains_need_no_parses_and_trees_say_how_to_make_them(small):
    left, right = Quora().load(small)["test"][0].sentences
    assert shape("chain", left).words == ["What", "'s", "this", "?"]
    assert shape("chain", right).words == ["Who", "?"]
    with pytest.raises(SentenceError, match=r"quora-test-a, sentence 1: .*`dglsent parse quora "):
        shape("dependency", left)


def test_brackets_stand_in_questions_as_they_are_written(small):
    (small / "quora" / "test.txt").write_text("Who -LRB- he -RRB- ?\tWhy -LSB- \\/ ?\t0\n")
    (only,) = Quora().load(small)["test"]
    assert [one.unparsed.words for one in only.sentences] == [["Who", "(", "he", ")", "?"], ["Why", "[", "/", "?"]]
    assert Quora().texts(small)["quora-test-a"] == [["Who", "(", "he", ")", "?"]]


def test_parses_are_found(small):
    for name, text in Quora().texts(small).items():
        write(small / "parsed", name, text)
    sentences = [sentence for one in Quora().load(small)["test"] for sentence in one.sentences]
    words = [["What", "'s", "this", "?"], ["Who", "?"], ["Why", "?"], ["Why", "so", "?"]]
    assert [sentence.dependencies.words for sentence in sentences] == words
    assert [sentence.constituency.words for sentence in sentences] == words


@pytest.mark.parametrize(
    ("row", "saying"), [("a b\t1", "2 columns, expected 3"), ("a\tb\t2", "label '2', expected 0 or 1")]
)
def test_broken_row_is_named(small, row, saying):
    (small / "quora" / "test.txt").write_text(f"{ROWS}{row}\n")
    with pytest.raises(InputError, match=rf"test\.txt:3: {saying}"):
        Quora().load(small)


def test_missing_files_are_said_with_the_layout(small):
    (small / "quora" / "dev.txt").unlink()
    with pytest.raises(InputError, match=r"Quora is missing; expected .*quora/\{dev,test\}\.txt, .*docs/data\.md"):
        Quora().load(small)


def test_real_counts(data_dir, no_parses):
    splits = Quora().load(data_dir)
    assert {split: len(found) for split, found in splits.items()} == {"train": 9017, "dev": 983, "test": 10000}
    assert Counter(one.targets["label"] for one in splits["test"]) == {0: 5000, 1: 5000}
    assert Counter(one.targets["label"] for one in splits["train"] + splits["dev"]) == {0: 5000, 1: 5000}
