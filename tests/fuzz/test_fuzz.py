"""A small share of `make fuzz`, the same each time; and the harness finds what it is made to find."""

from __future__ import annotations

import numpy as np
import pytest
from all_targets import targets
from harness import Target, run
from invariants import check

from graphs.columns import Dependencies
from graphs.errors import InputError


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("DGLSENT_PARSES", raising=False)
        yield {target.name: target for target in targets(tmp_path_factory.mktemp("fuzz"))}


def test_every_reader_reads_or_says_why_not(every):
    few = [target for target in every.values() if target.share >= 0.2]
    tally = run(few, range(1500), seed=0)
    assert set(tally.cases) == {target.name for target in few}
    assert not tally.failures, "\n".join(map(str, tally.failures.values()))


def test_recipes_runs_and_corpora_are_read_or_refused(every):
    few = [target for target in every.values() if target.share < 0.2]
    tally = run(few, range(120), seed=0)
    assert not tally.failures, "\n".join(map(str, tally.failures.values()))


def broken(data: bytes) -> None:
    if b"7" in data:
        raise KeyError(data)
    if b"8" in data:
        raise InputError("an eight")
    if b"9" in data:
        assert b"3" not in data, "two lines\nin one"


def test_a_failure_is_told_once_with_its_smallest_input():
    target = Target("toy", lambda random: b"0123", lambda data, random: data + b"\n4567\n" * 9, broken)
    (failure,) = run([target], range(20), seed=0).failures.values()
    assert (failure.kind, failure.data, failure.times) == ("KeyError", b"7", 20)
    assert "test_fuzz.py" in failure.place


def test_what_is_refused_is_no_failure_and_what_does_not_hold_is():
    def cases(data):
        return run([Target("toy", lambda random: data, lambda data, random: data, broken)], range(3), seed=0)

    assert not cases(b"8").failures
    (failure,) = cases(b"1239").failures.values()
    assert (failure.kind, failure.data) == ("AssertionError", b"39")


def test_a_reader_that_lets_a_cycle_pass_is_found():
    with pytest.raises(AssertionError, match="a cycle"):
        check(Dependencies(["a", "b"], np.array([1, 0]), ["_", "_"]))


def test_a_case_that_takes_too_long_is_found():
    def slow(data):
        while True:
            pass

    target = Target("toy", lambda random: b"", lambda data, random: data, slow)
    (failure,) = run([target], [0], seed=0, seconds=0.01).failures.values()
    assert failure.kind == "SlowError"


def test_a_case_depends_on_seed_and_number_alone(every):
    few = [every["conllu from bytes"], every["vectors"]]
    together = run(few, range(40), seed=3)
    apart = [run(few, [number], seed=3) for number in range(40)]
    assert sum((each.accepted for each in apart), start=type(together.accepted)()) == together.accepted
