from __future__ import annotations

from graphs.errors import one_line


def test_an_error_in_one_line():
    assert one_line(ValueError("first\n  and second")) == "first and second"
    assert one_line(ValueError("first"), 3) == "fir"
    assert one_line(AssertionError()) == "AssertionError"
