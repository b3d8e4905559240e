from __future__ import annotations

import csv
import zlib
from collections import Counter

import pytest
from test_parses import write

from dglsent.corpora import quora_sample
from dglsent.corpora.quora_sample import QuoraSample
from graphs.errors import InputError

HEADER = ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"]


def row(number, first="Who  is it?", second="Is it?", label=0):
    return [str(number), "1", "2", first, second, str(label)]


@pytest.fixture
def folder(tmp_path, no_parses):
    """400 pairs, of which 100 are duplicates; two have a question without words."""
    pairs = [row(number, f"Who is {number}?", label=int(number % 4 == 0)) for number in range(400)]
    odd = [row(400, ""), row(401, "Why?", " \n ", 1)]
    (tmp_path / "quora").mkdir()
    with open(tmp_path / "quora" / "quora_duplicate_questions.tsv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows([HEADER, *pairs, *odd])
    return tmp_path


def load(folder):
    for name, texts in QuoraSample().texts(folder).items():
        write(folder / "parsed", name, [text.split() for text in texts])
    return QuoraSample().load(folder)


def counts(splits):
    return {split: Counter(one.targets["label"] for one in examples) for split, examples in splits.items()}


def test_classes_have_the_same_share_in_every_part(folder, monkeypatch):
    monkeypatch.setattr(quora_sample, "_PAIRS", 200)
    splits = load(folder)
    assert counts(splits) == {"train": {0: 114, 1: 38}, "dev": {0: 6, 1: 2}, "test": {0: 30, 1: 10}}
    ids = [one.id for examples in splits.values() for one in examples]
    assert len(set(ids)) == 200
    # Each id stays with its pair.
    assert all(one.sentences[0].dependencies.words[2] == f"{one.id}?" for one in splits["test"])
    assert splits["test"][0].sentences[1].dependencies.words == ["Is", "it?"]


def test_of_a_smaller_file_all_is_taken_in_the_order_of_the_crc_of_ids(folder):
    splits = load(folder)
    assert counts(splits) == {"train": {0: 228, 1: 76}, "dev": {0: 12, 1: 4}, "test": {0: 60, 1: 20}}
    test = [int(one.id) for one in splits["test"]]
    by_crc = sorted(range(400), key=lambda number: zlib.crc32(str(number).encode()))
    assert test == [n for n in by_crc if n % 4][:60] + [n for n in by_crc if n % 4 == 0][:20]
    assert [one.id for one in QuoraSample().load(folder)["test"]] == [str(number) for number in test]


def test_raw_questions_need_parses(folder):
    with pytest.raises(InputError, match=r"quora-sample-train-a: .* raw text .*`dglsent parse quora-sample "):
        QuoraSample().load(folder)


def test_a_question_over_two_lines_is_one(folder):
    with open(folder / "quora" / "quora_duplicate_questions.tsv", "a", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerow(row(500, 'Who said "no\nway"?'))
    assert 'Who said "no way"?' in [text for texts in QuoraSample().texts(folder).values() for text in texts]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("7\t1\t2\tA\tB\n", r"tsv:405: a row of another length"),
        ("7\t1\t2\tA\tB\t2\n", r"tsv:405: label '2', expected 0 or 1"),
    ],
)
def test_broken_row_is_named(folder, line, says):
    with open(folder / "quora" / "quora_duplicate_questions.tsv", "a", encoding="utf-8") as file:
        file.write(line)
    with pytest.raises(InputError, match=says):
        QuoraSample().load(folder)


def test_other_files_and_none(folder):
    file = folder / "quora" / "quora_duplicate_questions.tsv"
    file.write_text("id\tquestion1\n1\tWho?\n")
    with pytest.raises(InputError, match=r"tsv:1: no column for question2, is_duplicate; this is not"):
        QuoraSample().load(folder)
    file.unlink()
    with pytest.raises(InputError, match=r"pairs is missing; expected .*quora_duplicate_questions\.tsv \(docs"):
        QuoraSample().load(folder)
