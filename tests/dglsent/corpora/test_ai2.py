from __future__ import annotations

from collections import Counter

import pytest
from test_parses import write

from dglsent.corpora.ai2 import AI2
from graphs.errors import InputError

TEXT = """label,qid,htext,halabels,mtext
0,Q1,"Water , is dry",0 0 0 0,Seas are wet .
0,Q1,"Water , is dry",0 0 0 0,Sand is dry .
1,Q1,Water is wet,0 0 0,Seas are wet .
1,Q2,Water is wet,0 0 0,It is .
"""


@pytest.fixture
def small(tmp_path, no_parses):
    (tmp_path / "ai2_8grade").mkdir()
    for version in ("enwv0", "ck12v0"):
        for split in ("train", "dev", "test"):
            (tmp_path / "ai2_8grade" / f"{version}-{split}.csv").write_text(TEXT)
    return tmp_path


def test_pairs_know_their_question_and_hypothesis(small):
    # Spreadsheets write a mark in front.
    (small / "ai2_8grade" / "enwv0-test.csv").write_text("\ufeff" + TEXT, encoding="utf-8")
    examples = AI2().load(small)["test"]
    assert [one.id for one in examples] == ["test-1-Q1", "test-2-Q1", "test-3-Q1", "test-4-Q2"]
    assert [one.targets["label"] for one in examples] == [0, 0, 1, 1]
    assert [one.targets["question"] for one in examples] == [0, 0, 0, 1]
    # The same words under another question are another hypothesis.
    assert [one.targets["hypothesis"] for one in examples] == [0, 0, 1, 2]
    left, right = examples[0].sentences
    assert left.unparsed.words == ["Water", ",", "is", "dry"]
    assert right.unparsed.words == ["Seas", "are", "wet", "."]


@pytest.mark.parametrize(("version", "name"), [("enwv0", "ai2"), ("ck12v0", "ai2-ck12v0")])
def test_versions_have_their_own_parses(small, version, name):
    corpus = AI2(version)
    texts = corpus.texts(small)
    assert set(texts) == {f"{name}-{split}-{side}" for split in ("train", "dev", "test") for side in "ab"}
    for file, text in texts.items():
        write(small / "parsed", file, text)
    (one, *_) = corpus.load(small)["dev"]
    assert [sentence.constituency.words for sentence in one.sentences] == [
        ["Water", ",", "is", "dry"],
        ["Seas", "are", "wet", "."],
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("qid", "id"), r"enwv0-dev\.csv:1: no column for qid"),
        (TEXT + '1,Q3,"a', r"enwv0-dev\.csv:[67]: cannot be read"),
        (TEXT + "1,Q3," + "a" * 200_000 + ",0,b\n", r"enwv0-dev\.csv:[67]: cannot be read"),
        ("", r"enwv0-dev\.csv:1: no column for label, qid, htext, mtext"),
        (TEXT + "1,Q3,a\n", r"enwv0-dev\.csv:6: a row of another length"),
        (TEXT + "1,Q3,a,0,b,c\n", r"enwv0-dev\.csv:6: a row of another length"),
        (TEXT + "x,Q3,a,0,b\n", r"enwv0-dev\.csv:6: label 'x', expected 0 or 1"),
        (TEXT + "1, ,a,0,b\n", r"enwv0-dev\.csv:6: no qid, which says of which question the row is$"),
        (TEXT + "1,Q3, ,0,b\n", r"enwv0-dev\.csv:6: a sentence without words"),
    ],
)
def test_broken_files_are_named(small, text, message):
    (small / "ai2_8grade" / "enwv0-dev.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        AI2().load(small)


def test_missing_files_are_said_with_the_layout(small):
    (small / "ai2_8grade" / "ck12v0-train.csv").unlink()
    with pytest.raises(
        InputError, match=r"AI2-8grade ck12v0 is missing; .*/ck12v0-\{train,dev,test\}\.csv \(docs/data"
    ):
        AI2("ck12v0").load(small)


def test_real_counts(data_dir, no_parses):
    splits = AI2().load(data_dir)
    assert {split: len(found) for split, found in splits.items()} == {"train": 5075, "dev": 1091, "test": 4531}
    assert Counter(one.targets["label"] for one in splits["test"]) == {0: 3346, 1: 1185}
    assert {split: max(one.targets["question"] for one in found) + 1 for split, found in splits.items()} == {
        "train": 283,
        "dev": 64,
        "test": 270,
    }
    labels = {}
    for one in splits["train"]:
        assert labels.setdefault(one.targets["hypothesis"], one.targets["label"]) == one.targets["label"]
