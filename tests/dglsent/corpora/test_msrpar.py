from __future__ import annotations

import pytest
from real_graphs import check_graphs
from test_parses import write

from dglsent.corpora.msrpar import MSRpar
from graphs.errors import InputError


@pytest.fixture
def small(tmp_path, no_parses):
    (tmp_path / "msrpar").mkdir()
    for split in ("train", "test"):
        (tmp_path / "msrpar" / f"MSRpar.{split}.tsv").write_text("4.250\tHe said no.\tNo.\n0\tYes.\tMaybe.\n")
        write(tmp_path / "parsed", f"msrpar-{split}-a", [["He", "said", "no", "."], ["Yes", "."]])
        write(tmp_path / "parsed", f"msrpar-{split}-b", [["No", "."], ["Maybe", "."]])
    return tmp_path


def test_pairs(small):
    first, second = MSRpar().load(small)["test"]
    assert (first.id, first.targets, second.targets) == ("test-1", {"score": 4.25}, {"score": 0.0})
    assert [sentence.dependencies.words for sentence in first.sentences] == [["He", "said", "no", "."], ["No", "."]]
    assert MSRpar().texts(small)["msrpar-test-b"] == ["No.", "Maybe."]


def test_scores_are_brought_to_1_to_5(small):
    first, second = MSRpar("1-5").load(small)["test"]
    assert (first.targets, second.targets) == ({"score": 4.4}, {"score": 1.0})
    with pytest.raises(InputError, match="score_range"):
        MSRpar("0-1")


@pytest.mark.parametrize("score", ["high", "5.1", "-1", "nan"])
def test_wrong_score_is_named(small, score):
    (small / "msrpar" / "MSRpar.train.tsv").write_text(f"1\tHe said no.\tNo.\n{score}\tYes.\tMaybe.\n")
    with pytest.raises(InputError, match=rf"MSRpar\.train\.tsv:2: '{score}' is not a score from 0 to 5"):
        MSRpar().load(small)


def test_missing_files_are_said_with_the_layout(tmp_path):
    with pytest.raises(
        InputError, match=r"MSRpar is missing; expected .*MSRpar\.train\.tsv MSRpar\.test\.tsv \(docs/data\.md\)"
    ):
        MSRpar().load(tmp_path)


def test_real_graphs(load_real):
    check_graphs(load_real(MSRpar))


def test_real_counts(load_real):
    splits = load_real(MSRpar)
    assert {split: len(found) for split, found in splits.items()} == {"train": 665, "dev": 85, "test": 750}
    scores = [one.targets["score"] for split in splits.values() for one in split]
    assert (min(scores), max(scores)) == (0.25, 5.0)
