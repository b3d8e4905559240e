"""Every epoch meets every example once, in an order of its own; after a kill see `test_resume`, in several processes
`test_processes`."""

from __future__ import annotations

import pytest
from tiny import TINY, recipe
from watched import FOLDER, orders

from dglsent.training.data import EpochSampler, Parts

WATCHED = TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "watched.Watched")


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
