from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

import pytest

from dglsent import lock
from dglsent.lock import locked, unlock
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


def interrupted(call: int, work: Callable[[], None]) -> bool:
    """Runs work that takes a lock, with Ctrl-C at one of the calls of its file, where Python looks for signals."""
    calls = 0

    def look(frame, event, argument):
        nonlocal calls
        if frame.f_code.co_filename == lock.__file__ and event in ("call", "c_return"):
            calls += 1
            if calls == call:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(look)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.setprofile(None)
    return False


def test_an_interrupt_at_any_moment_leaves_nothing(tmp_path):
    def work():
        with locked(tmp_path / "run"):
            pass

    call = 1
    while interrupted(call, work):
        assert not list(tmp_path.iterdir()), f"call {call}"
        with locked(tmp_path / "run"):  # and nothing is held
            pass
        call += 1
    assert call > 20


def test_an_interrupt_takes_no_lock_from_another(tmp_path):
    with locked(tmp_path / "run"):

        def work():
            with pytest.raises(InputError), locked(tmp_path / "run"):
                raise AssertionError

        call = 1
        while interrupted(call, work):
            assert (tmp_path / "run.lock").exists(), f"call {call}"
            call += 1
        assert call > 10


def test_unlocking_leaves_one_that_is_held(tmp_path):
    (tmp_path / "dead.lock").touch()
    unlock(tmp_path / "dead")
    unlock(tmp_path / "none")
    assert not list(tmp_path.iterdir())
    with locked(tmp_path / "run"):
        unlock(tmp_path / "run")
        assert (tmp_path / "run.lock").exists()
