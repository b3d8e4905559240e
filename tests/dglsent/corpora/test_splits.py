from __future__ import annotations

import zlib

import pytest

from dglsent.corpora.example import Example
from dglsent.corpora.splits import FOLDS, check_fold, cross_validation, hold_out, is_dev
from graphs.errors import InputError


def examples(name: str, count: int) -> list[Example]:
    return [Example((), {}, f"{name}-{number}") for number in range(count)]


def test_dev_is_a_tenth_by_a_rule_that_is_written_down():
    names = [f"train-{number}" for number in range(1, 5001)]
    held = [name for name in names if is_dev(name)]
    assert held == [name for name in names if zlib.crc32(name.encode("utf-8")) % 10 == 0]
    assert held[:4] == ["train-4", "train-6", "train-15", "train-20"]
    assert 450 < len(held) < 550


def test_hold_out_parts_examples_in_order():
    given = examples("train", 300)
    train, dev = hold_out(given)
    assert sorted(train + dev, key=given.index) == given
    assert train == sorted(train, key=given.index)
    assert [is_dev(one.id) for one in dev] == [True] * len(dev)


def test_every_example_is_tested_once_and_folds_are_balanced():
    classes = [examples("a", 103), examples("b", 57)]
    tested = []
    for fold in range(FOLDS):
        splits = cross_validation(classes, fold)
        assert list(splits) == ["train", "dev", "test"]
        names = [one.id for split in splits.values() for one in split]
        assert len(names) == len(set(names)) == 160
        test = [one.id for one in splits["test"]]
        assert sum(name.startswith("a") for name in test) in (10, 11)
        assert sum(name.startswith("b") for name in test) in (5, 6)
        tested += test
    assert len(tested) == len(set(tested)) == 160


def test_an_example_that_drops_out_moves_no_other():
    whole = examples("a", 40)
    holed = [None if place == 7 else one for place, one in enumerate(whole)]
    for fold in range(FOLDS):
        expected = [one for one in cross_validation([whole], fold)["test"] if one is not whole[7]]
        assert cross_validation([holed], fold)["test"] == expected


@pytest.mark.parametrize("fold", [-1, 10, 1.5])
def test_no_such_fold(fold):
    with pytest.raises(InputError, match=f"fold {fold}: the folds .* are 0 to 9"):
        check_fold(fold)
