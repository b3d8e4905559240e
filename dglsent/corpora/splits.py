"""Splits of corpora that have none of their own: the same on every machine, and whatever is read before."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence

from dglsent.corpora.corpus import Splits
from dglsent.corpora.example import Example
from graphs.errors import InputError

FOLDS = 10


def is_dev(name: str) -> bool:
    """Whether an example is in the tenth that is held out of training as dev: by the CRC-32 of its id."""
    return zlib.crc32(name.encode()) % 10 == 0


def hold_out(examples: Iterable[Example]) -> tuple[list[Example], list[Example]]:
    """What to train on, and the tenth that is dev."""
    train: list[Example] = []
    dev: list[Example] = []
    for example in examples:
        (dev if is_dev(example.id) else train).append(example)
    return train, dev


def with_dev(splits: Mapping[str, list[Example]]) -> Splits:
    """A corpus of train and test, a tenth of train held out as dev."""
    train, dev = hold_out(splits["train"])
    return {"train": train, "dev": dev, "test": splits["test"]}


def check_fold(fold: int) -> int:
    """The number of a fold, if it is one.

    Raises:
        InputError: it is not 0 to 9.
    """
    if fold not in range(FOLDS):
        raise InputError(f"fold {fold!r}: the folds of a cross-validation are 0 to {FOLDS - 1}")
    return fold


def cross_validation(classes: Iterable[Sequence[Example | None]], fold: int) -> Splits:
    """One of ten splits: a fold is test, a tenth of the rest is dev.

    Example i of its class, from 0 and in the order of the file, is in fold i mod 10, so every fold has the same
    share of each class.

    Args:
        classes: the examples of each class; None stands where one has dropped out, so that others stay in
            their folds.
        fold: the fold that is test.
    """
    test: list[Example] = []
    rest: list[Example] = []
    for examples in classes:
        for place, example in enumerate(examples):
            if example is not None:
                (test if place % FOLDS == fold else rest).append(example)
    return with_dev({"train": rest, "test": test})
