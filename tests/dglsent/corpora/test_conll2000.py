from __future__ import annotations

from collections import Counter

import pytest

from dglsent.corpora.conll2000 import CoNLL2000
from dglsent.corpora.splits import is_dev
from graphs.errors import InputError, SentenceError


@pytest.fixture
def small(tmp_path):
    folder = tmp_path / "conll2000"
    folder.mkdir()
    (folder / "train.txt").write_text("".join(f"Dogs{i} NNS B-NP\nbark VBP B-VP\n. . O\n\n" for i in range(30)))
    (folder / "test.txt").write_text("The DT B-NP\ncat NN I-NP\nran VBD B-VP\n")
    return tmp_path


def test_chunks_are_learnt_and_tags_are_read(small):
    splits = CoNLL2000().load(small)
    (test,) = splits["test"]
    assert [CoNLL2000.labels[label] for label in test.sentences[0].labels] == ["B-NP", "I-NP", "B-VP"]
    assert test.sentences[0].unparsed.columns == {"pos": ["DT", "NN", "VBD"]}
    assert len(splits["train"]) + len(splits["dev"]) == 30
    assert all(is_dev(one.id) for one in splits["dev"])
    assert not any(is_dev(one.id) for one in splits["train"])


def test_unknown_chunk_is_named(small):
    (small / "conll2000" / "test.txt").write_text("The DT B-FOO\n")
    with pytest.raises(SentenceError, match=r"test\.txt.*chunk 'B-FOO' is none of O, B-ADJP"):
        CoNLL2000().load(small)


def test_missing_files_are_said_with_the_layout(tmp_path):
    with pytest.raises(InputError, match=r"CoNLL-2000 is missing; expected .*conll2000/\{train,test\}\.txt \(docs"):
        CoNLL2000().load(tmp_path)


def test_real_counts(data_dir):
    splits = CoNLL2000().load(data_dir)
    counts = {split: len(found) for split, found in splits.items()}
    assert counts["train"] + counts["dev"] == 8936
    assert 800 < counts["dev"] < 1000
    assert counts["test"] == 2012
    names = {
        split: Counter(CoNLL2000.labels[label] for one in found for label in one.sentences[0].labels)
        for split, found in splits.items()
    }
    assert (names["train"] + names["dev"]).total() == 211727
    assert names["test"].total() == 47377
    assert sum(count for name, count in names["test"].items() if name[0] == "B") == 23852
    assert "I-LST" in names["test"]
    assert "I-LST" not in names["train"]
