from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from real_graphs import check_graphs
from test_parses import write

from dglsent.corpora.splits import is_dev
from dglsent.corpora.trec import TREC
from dglsent.training.graphs import shape
from graphs.errors import InputError
from graphs.formats.brackets import read_brackets


@pytest.fixture
def small(tmp_path, no_parses):
    folder = tmp_path / "qc"
    folder.mkdir()
    lines = [f"NUM:date When was x\xf0y {number} ?\n" for number in range(30)]
    # ISO-8859-1, with 0x85 in it, which is a line end to some.
    (folder / "train.txt").write_bytes("".join(lines).encode("iso-8859-1") + b"ABBR:exp What is \x85 A ?\n")
    (folder / "test.txt").write_text("LOC:other Where is b ?\nHUM:ind Who ?\n")
    return tmp_path


def check(splits) -> None:
    first, second = splits["test"]
    assert (first.id, first.targets, first.sentences[0].unparsed.words) == (
        "test-1",
        {"label": 4},
        ["Where", "is", "b", "?"],
    )
    assert second.targets == {"label": 3}
    assert len(splits["train"]) + len(splits["dev"]) == 31
    assert [is_dev(one.id) for one in splits["dev"]] == [True] * len(splits["dev"])
    assert not any(is_dev(one.id) for one in splits["train"])
    by_id = {one.id: one for split in splits.values() for one in split}
    assert by_id["train-1"].sentences[0].unparsed.words == ["When", "was", "xðy", "0", "?"]
    assert by_id["train-31"].sentences[0].unparsed.words == ["What", "is", "A", "?"]
    assert by_id["train-31"].targets == {"label": 0}


def test_coarse_classes_and_old_encoding(small):
    check(TREC().load(small))


def test_names_of_the_first_release(small):
    for name, other in (("train.txt", "train_5500.label"), ("test.txt", "TREC_10.label")):
        (small / "qc" / name).rename(small / "qc" / other)
    check(TREC().load(small))


def test_texts_are_whole_questions(small):
    texts = TREC().texts(small)
    assert texts["trec-test"] == ["Where is b ?", "Who ?"]
    assert len(texts["trec-train"]) == 31


def test_a_question_whose_parse_failed_is_left_out(small):
    for name, questions in TREC().texts(small).items():
        write(small / "parsed", name, [text.split() for text in questions], frozenset({31}))
    splits = TREC().load(small)
    kept = {one.id for one in splits["train"] + splits["dev"]}
    assert kept == {f"train-{number}" for number in range(1, 31)}


@pytest.mark.parametrize("line", ["FOO:bar What ?", "NUM:date", "", "What is this ?"])
def test_broken_line_is_named(small, line):
    (small / "qc" / "test.txt").write_text(f"HUM:ind Who ?\n{line}\nHUM:ind Who ?\n")
    with pytest.raises(InputError, match=r"test\.txt:2: .* is not `COARSE:fine question` with one of ABBR, DESC"):
        TREC().load(small)


def test_missing_files_are_said_with_the_layout(small):
    (small / "qc" / "test.txt").unlink()
    with pytest.raises(InputError, match=r"TREC is missing; expected .*qc/\{train,test\}\.txt \(docs/data\.md\)"):
        TREC().load(small)


def test_real_graphs(load_real):
    check_graphs(load_real(TREC))


def test_real_counts(load_real):
    splits = load_real(TREC)
    assert {split: len(found) for split, found in splits.items()} == {"train": 4910, "dev": 542, "test": 500}
    train = Counter(TREC.labels[one.targets["label"]] for one in splits["train"] + splits["dev"])
    assert train == {"ENTY": 1250, "HUM": 1223, "DESC": 1162, "NUM": 896, "LOC": 835, "ABBR": 86}
    test = Counter(TREC.labels[one.targets["label"]] for one in splits["test"])
    assert test == {"DESC": 138, "NUM": 113, "ENTY": 94, "LOC": 81, "HUM": 65, "ABBR": 9}
    examples = [one.sentences[0] for split in splits.values() for one in split]
    assert all(one.dependencies.words == one.constituency.words for one in examples)
    # The parser cuts tokens with hyphens; the odd letter of the old encoding is still there.
    assert any("-" in one.dependencies.words for one in examples)
    assert sum("sisterðcity" in one.dependencies.words for one in examples) == 1


def test_real_binary_trees_stay_as_they_are(data_dir, tagged_dir, monkeypatch):
    monkeypatch.setenv("DGLSENT_PARSES", str(tagged_dir))
    tagged = read_brackets(tagged_dir / "trec-test.brackets.gz", unescape=True)
    for example, tree in zip(TREC().load(data_dir)["test"], tagged, strict=True):
        shaped = shape("constituency", example.sentences[0])
        assert shaped.label == tree.label
        assert np.array_equal(shaped.parent, tree.parent)
        # The corpus's own tokens; a leaf has the label of the top of its chain, as in (NP Galileo).
        assert len(shaped.words) == len(tree.words)
    assert [label for label, word in zip(shaped.label, shaped.word, strict=True) if word][:2] == ["WHNP", "VBZ"]
