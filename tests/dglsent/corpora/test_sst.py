from __future__ import annotations

import numpy as np
import pytest

from dglsent.corpora.sst import SST
from graphs.errors import InputError
from graphs.formats.brackets import read_brackets

TREES = "(3 (2 It) (4 (4 works) (2 -RRB-)))\n(2 (2 so) (1 (2 un) (0 even)))\n"


@pytest.fixture
def small(tmp_path):
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.txt").write_text(TREES)
    return tmp_path


def test_five_classes(small):
    first, second = SST().load(small)["dev"]
    assert (first.id, first.targets) == ("dev-1", {"label": 3})
    (sentence,) = first.sentences
    assert sentence.constituency.words == ["It", "works", ")"]
    assert sentence.labels == [3, 2, 4, 4, 2]
    assert second.targets == {"label": 2}


def test_gold_labels_are_not_tags(small):
    for example in SST().load(small)["train"]:
        assert set(example.sentences[0].constituency.label) == {""}


@pytest.mark.parametrize(("phrases", "neutral"), [("drop", -1), ("third_class", 2)])
def test_two_classes_have_no_neutral_sentence(small, phrases, neutral):
    (only,) = SST(classes=2, neutral_phrases=phrases).load(small)["test"]
    assert only.targets == {"label": 1}
    assert only.sentences[0].labels == [1, neutral, 1, 1, neutral]
    assert only.id == "test-1"


def test_layout_of_the_official_download(small, tmp_path):
    trees = tmp_path / "data" / "trainDevTestTrees_PTB" / "trees"
    trees.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (small / f"{split}.txt").rename(trees / f"{split}.txt")
    assert len(SST().load(tmp_path / "data")["train"]) == 2
    (tmp_path / "data" / "sst").mkdir()
    trees.rename(tmp_path / "data" / "sst" / "trees")
    assert len(SST().load(tmp_path / "data")["train"]) == 2


def test_missing_file_is_said_with_the_layout(small):
    (small / "dev.txt").unlink()
    with pytest.raises(InputError, match=r"SST is missing; expected .*\{train,dev,test\}\.txt.*docs/data\.md"):
        SST().load(small)


def test_wrong_label_is_said_with_its_line(small):
    (small / "dev.txt").write_text(TREES + "(7 (2 a) (2 b))\n")
    with pytest.raises(InputError, match=r"dev\.txt:3, sentence 3: label '7'"):
        SST().load(small)


def test_real_counts(data_dir):
    sizes = {split: len(examples) for split, examples in SST().load(data_dir).items()}
    assert sizes == {"train": 8544, "dev": 1101, "test": 2210}
    two = SST(classes=2).load(data_dir)
    assert {split: len(examples) for split, examples in two.items()} == {"train": 6920, "dev": 872, "test": 1821}
    assert {example.targets["label"] for example in two["test"]} == {0, 1}


def test_real_labels_are_those_of_the_brackets(data_dir):
    examples = SST().load(data_dir)
    trees = read_brackets(data_dir / "sst" / "dev.txt")
    for example, tree in zip(examples["dev"], trees, strict=True):
        (sentence,) = example.sentences
        assert sentence.labels == [int(label) for label in tree.label]
        assert np.array_equal(sentence.constituency.parent, tree.parent)
    roots = np.bincount([example.targets["label"] for example in examples["train"]])
    assert roots.tolist() == [1092, 2218, 1624, 2322, 1288]
