from __future__ import annotations

from collections import Counter

import pytest

from dglsent.corpora.conll2003 import CoNLL2003
from graphs.errors import InputError, SentenceError


@pytest.fixture
def small(tmp_path):
    folder = tmp_path / "conll2003"
    folder.mkdir()
    for name in ("train", "testa", "testb"):
        (folder / f"eng.{name}").write_text(
            f"-DOCSTART- -X- O O\n\nAnn NNP I-NP I-PER\nHill NNP I-NP I-PER\nBob NNP I-NP B-PER\n\n{name} NN I-NP O\n"
        )
    return tmp_path


def test_entities_become_bio(small):
    splits = CoNLL2003().load(small)
    for split, name in (("train", "train"), ("dev", "testa"), ("test", "testb")):
        first, second = splits[split]
        labels = [CoNLL2003.labels[label] for label in first.sentences[0].labels]
        assert labels == ["B-PER", "I-PER", "B-PER"]
        assert first.sentences[0].unparsed.columns.keys() == {"pos", "chunk"}
        assert (second.id, second.sentences[0].unparsed.words) == (f"{split}-2", [name])


def test_unknown_entity_is_named(small):
    (small / "conll2003" / "eng.testb").write_text("Ann NNP I-NP I-FOO\n")
    with pytest.raises(SentenceError, match=r"eng\.testb.*ner 'B-FOO' is none of O, B-LOC"):
        CoNLL2003().load(small)


def test_missing_files_are_said_with_the_layout(tmp_path):
    with pytest.raises(InputError, match=r"CoNLL-2003 is missing; expected .*conll2003/eng\.\{train,testa,testb\}"):
        CoNLL2003().load(tmp_path)


def test_real_counts(data_dir):
    splits = CoNLL2003().load(data_dir)
    assert {split: len(found) for split, found in splits.items()} == {"train": 14041, "dev": 3250, "test": 3453}
    names = Counter(CoNLL2003.labels[label] for one in splits["test"] for label in one.sentences[0].labels)
    assert names.total() == 46435
    assert {name: count for name, count in names.items() if name[0] == "B"} == {
        "B-LOC": 1668,
        "B-ORG": 1661,
        "B-PER": 1617,
        "B-MISC": 702,
    }
