"""Every epoch meets every example once, in an order of its own; after a kill see `test_resume`, in several processes
`test_processes`."""

from __future__ import annotations

import numpy as np
import pytest
from tiny import TINY, recipe
from watched import FOLDER, orders

from dglsent.training.order import Buckets, EpochSampler, Parts

WATCHED = TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "watched.Watched")


def test_order_depends_on_seed_and_epoch_alone():
    def order(seed: int, epoch: int) -> list[int]:
        sampler = EpochSampler(50, seed)
        sampler.set_epoch(epoch)
        return list(sampler)

    assert order(1, 0) == order(1, 0)
    assert sorted(order(1, 0)) == list(range(50))
    assert len({tuple(order(seed, epoch)) for seed in (1, 2) for epoch in range(3)}) == 6
    resumed = EpochSampler(50, 1)
    for epoch in range(3):
        resumed.set_epoch(epoch)
        list(resumed)
    assert list(resumed) == order(1, 2)


def test_batches_of_about_one_length_come_in_any_order():
    """In one bucket they would be those of the shortest, then of longer ones, in every epoch."""
    order = list(EpochSampler(42, 1, Buckets(np.arange(42), size=4, batches=11)))
    batches = [order[first : first + 4] for first in range(0, 42, 4)]
    assert sorted(batches) == [list(range(first, min(first + 4, 42))) for first in range(0, 42, 4)]
    assert batches != sorted(batches)


def test_the_last_batch_is_any_of_those_of_a_bucket():
    sampler = EpochSampler(40, 1, Buckets(np.arange(40), size=4, batches=10))
    last = set()
    for epoch in range(5):
        sampler.set_epoch(epoch)
        last.add(tuple(sampler)[-4:])
    assert len(last) > 1


def test_examples_of_one_length_share_batches_as_they_are_drawn():
    plain, sampler = (EpochSampler(100, 1, buckets) for buckets in (None, Buckets(np.zeros(100, np.int64), 4, 25)))
    drawn, found = (
        [tuple(order[first : first + 4]) for first in range(0, 100, 4)] for order in map(list, (plain, sampler))
    )
    assert sorted(found) == sorted(drawn)


def test_a_bucket_is_of_so_many_batches_as_they_are_drawn():
    drawn, found = (list(EpochSampler(24, 1, buckets)) for buckets in (None, Buckets(np.arange(24), 4, batches=3)))
    in_turn = [*sorted(drawn[:12]), *sorted(drawn[12:])]
    batches, wanted = ([order[first : first + 4] for first in range(0, 24, 4)] for order in (found, in_turn))
    assert sorted(batches) == sorted(wanted)


def test_each_epoch_has_every_example_once_in_another_order(tmp_path, program, monkeypatch):
    monkeypatch.setenv(FOLDER, str(tmp_path / "watched"))
    assert program("fit", recipe(tmp_path, WATCHED), "--out", tmp_path / "run")[0] == 0
    first, second = orders(tmp_path / "watched")
    assert len(first) == len(set(first)) == 60
    assert sorted(second) == sorted(first)
    assert second != first


def test_a_stale_order_ends_training(tmp_path, program, monkeypatch):
    # Where Lightning looks for `set_epoch` is its own affair, and it changed unseen once.
    monkeypatch.setattr(EpochSampler, "set_epoch", lambda self, epoch: None)
    with pytest.raises(RuntimeError, match="epoch 2 would run in the order of epoch 1"):
        program("fit", recipe(tmp_path), "--out", tmp_path / "run")


def test_an_order_that_is_never_shuffled_ends_training(tmp_path, program, monkeypatch):
    whole = Parts.__init__
    monkeypatch.setattr(Parts, "__init__", lambda self, order, *rest: whole(self, list(order), *rest))
    with pytest.raises(RuntimeError, match="epoch 1 would run in an order that nothing shuffles"):
        program("fit", recipe(tmp_path), "--out", tmp_path / "run")
