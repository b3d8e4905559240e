from __future__ import annotations

import pytest

from graphs.errors import InputError, SentenceError
from graphs.stanza_pipeline import isolate


def test_one_bad_item_does_not_lose_the_others():
    calls = []

    def double(items):
        calls.append(len(items))
        if 13 in items:
            raise SentenceError("thirteen")
        if 99 in items:
            raise RuntimeError("out of\nmemory")
        return [2 * item for item in items]

    expected = [2 * item for item in range(100)]
    expected[13], expected[99] = "thirteen", "Stanza fails: RuntimeError: out of memory"
    assert isolate(double, range(100)) == expected
    assert len(calls) < 40
    assert isolate(double, []) == []


def test_no_device_is_not_the_fault_of_sentences():
    def fail(items):
        raise InputError("no device")

    with pytest.raises(InputError, match="no device"):
        isolate(fail, [1, 2])
