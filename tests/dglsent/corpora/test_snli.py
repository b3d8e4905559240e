from __future__ import annotations

from collections import Counter

import pytest

from dglsent.corpora.snli import SNLI
from dglsent.corpora.splits import is_dev
from graphs.errors import InputError


@pytest.fixture
def small(tmp_path, no_parses):
    folder = tmp_path / "snli"
    folder.mkdir()
    for split, count in (("train", 3), ("dev", 30), ("test", 2)):
        (folder / f"s1.{split}").write_text("".join(f"A dog {i} runs .\n" for i in range(count)))
        (folder / f"s2.{split}").write_text("".join(f"Animal {i} moves .\n" for i in range(count)))
        (folder / f"labels.{split}").write_text("contradiction\n" + "entailment\n" * (count - 1))
    return tmp_path


def test_official_splits(small):
    splits = SNLI().load(small)
    assert {split: len(found) for split, found in splits.items()} == {"train": 3, "dev": 30, "test": 2}
    first, second = splits["test"]
    assert (first.id, first.targets, second.targets) == ("test-1", {"label": 2}, {"label": 0})
    left, right = second.sentences
    assert left.unparsed.words == ["A", "dog", "1", "runs", "."]
    assert right.unparsed.words == ["Animal", "1", "moves", "."]


def test_trial_on_dev(small):
    for name in ("s1", "s2", "labels"):
        (small / "snli" / f"{name}.train").unlink()
    splits = SNLI("dev").load(small)
    assert len(splits["train"]) + len(splits["dev"]) == 30
    assert all(is_dev(one.id) for one in splits["dev"])
    assert [one.id for one in splits["test"]] == ["test-1", "test-2"]
    with pytest.raises(InputError, match=r"snli: SNLI has no s1\.train.*--corpus\.train dev"):
        SNLI().load(small)
    assert SNLI("dev").texts(small).keys() == {"snli-dev-a", "snli-dev-b", "snli-test-a", "snli-test-b"}


def test_broken_files_are_named(small):
    (small / "snli" / "labels.test").write_text("neutral\n-\n")
    with pytest.raises(InputError, match=r"labels\.test:2: label '-', expected entailment, neutral, contradiction"):
        SNLI().load(small)
    (small / "snli" / "labels.test").write_text("neutral\n")
    with pytest.raises(InputError, match=r"s1\.test and labels\.test have not the same number of lines"):
        SNLI().load(small)


def test_missing_files_are_said_with_the_layout(tmp_path):
    with pytest.raises(InputError, match=r"SNLI is missing; expected .*snli/\{s1,s2,labels\}\.\{train,dev,test\}"):
        SNLI().load(tmp_path)


def test_real_counts(data_dir, no_parses):
    splits = SNLI("dev").load(data_dir)
    assert len(splits["train"]) + len(splits["dev"]) == 9842
    assert len(splits["test"]) == 9824
    names = Counter(SNLI.labels[one.targets["label"]] for one in splits["test"])
    assert names == {"entailment": 3368, "contradiction": 3237, "neutral": 3219}
