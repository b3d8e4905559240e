from __future__ import annotations

from collections import Counter

import pytest
from real_graphs import check_graphs
from test_parses import write

from dglsent.corpora.msrp import MSRP
from graphs.errors import InputError

HEADER = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\r\n"
ROWS = '1\t10\t11\tHe said "no.\tHe said no.\r\n0\t12\t13\tYes.\tMaybe.\r\n'


@pytest.fixture
def small(tmp_path, no_parses):
    (tmp_path / "msrp").mkdir()
    for split in ("train", "test"):
        text = "\ufeff" + HEADER + ROWS
        (tmp_path / "msrp" / f"msr_paraphrase_{split}.txt").write_bytes(text.encode())
        write(tmp_path / "parsed", f"msrp-{split}-a", [["He", "said", '"', "no", "."], ["Yes", "."]])
        write(tmp_path / "parsed", f"msrp-{split}-b", [["He", "said", "no", "."], ["Maybe", "."]])
    return tmp_path


def test_pairs(small):
    first, second = MSRP().load(small)["test"]
    assert (first.id, first.targets, second.targets) == ("test-1", {"label": 1}, {"label": 0})
    left, right = first.sentences
    assert left.dependencies.words == ["He", "said", '"', "no", "."]
    assert right.constituency.words == ["He", "said", "no", "."]


def test_texts_are_raw(small):
    assert MSRP().texts(small)["msrp-train-a"] == ['He said "no.', "Yes."]
    assert list(MSRP().texts(small)) == ["msrp-train-a", "msrp-train-b", "msrp-test-a", "msrp-test-b"]


def test_parses_are_needed(small):
    (small / "parsed" / "msrp-test-b.conllu").unlink()
    (small / "parsed" / "msrp-test-b.brackets").unlink()
    with pytest.raises(InputError, match=r"msrp-test-b has no parses, msrp-test-a has .*dglsent parse msrp"):
        MSRP().load(small)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ROWS, r"msr_paraphrase_test\.txt:1: the first line should start with 'Quality"),
        (HEADER + "1\t10\t11\tHe\r\n", r"test\.txt:2: 4 columns, expected 5"),
        (HEADER + "2\t10\t11\tHe\tHe\r\n" * 2, r"test\.txt:2: label '2', expected 0 or 1"),
        (HEADER + "1\t10\t11\tHe\t\r\n", r"test\.txt:2: a sentence without words"),
    ],
)
def test_broken_files_are_named(small, text, message):
    (small / "msrp" / "msr_paraphrase_test.txt").write_bytes(text.encode())
    (small / "parsed" / "msrp-test-a.conllu").unlink()
    write(small / "parsed", "msrp-test-a", [["He"], ["He"]])
    with pytest.raises(InputError, match=message):
        MSRP().load(small)


def test_missing_files_are_said_with_the_layout(tmp_path):
    with pytest.raises(
        InputError,
        match=r"MSRP is missing; expected .*msr_paraphrase_train\.txt msr_paraphrase_test\.txt \(docs/data\.md",
    ):
        MSRP().load(tmp_path)


def test_real_graphs(load_real):
    check_graphs(load_real(MSRP))


def test_real_counts(load_real):
    splits = load_real(MSRP)
    assert {split: len(found) for split, found in splits.items()} == {"train": 3668, "dev": 408, "test": 1725}
    assert Counter(one.targets["label"] for one in splits["train"] + splits["dev"]) == {1: 2753, 0: 1323}
    assert Counter(one.targets["label"] for one in splits["test"]) == {1: 1147, 0: 578}
    for one in splits["test"]:
        for sentence in one.sentences:
            assert sentence.dependencies.words == sentence.constituency.words
