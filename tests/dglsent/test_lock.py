from __future__ import annotations

import os
import signal

import pytest

from dglsent.lock import locked
from graphs.errors import InputError


def test_it_says_who_holds_it_and_leaves_nothing(tmp_path):
    folder = tmp_path / "a" / "b" / "run"
    with locked(folder):
        with pytest.raises(InputError, match=rf"run: process {os.getpid()} on .* is writing it"), locked(folder):
            raise AssertionError
        with locked(tmp_path / "a" / "b" / "other"):
            pass
    assert not (tmp_path / "a").exists()
    with locked(folder):
        pass


def test_a_dead_process_holds_nothing(tmp_path):
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with locked(tmp_path / "run"):
            os.write(writing, b".")
            signal.pause()
    try:
        os.read(reading, 1)
        with pytest.raises(InputError, match=f"process {child} on"), locked(tmp_path / "run"):
            raise AssertionError
    finally:  # a child that is left waits for ever, and with it who reads the output of the tests
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert (tmp_path / "run.lock").exists()
    with locked(tmp_path / "run"):
        pass
    assert not list(tmp_path.iterdir())


def test_a_lock_that_was_taken_away_is_taken_again(tmp_path):
    # Someone else's file may be removed between opening and locking it.
    with locked(tmp_path / "run"):
        (tmp_path / "run.lock").unlink()
        with locked(tmp_path / "run"), pytest.raises(InputError), locked(tmp_path / "run"):
            raise AssertionError
