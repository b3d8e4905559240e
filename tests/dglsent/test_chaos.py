"""A few trials of `chaos.py`; `make chaos` runs many, of reproduce and parse too."""

from __future__ import annotations

from chaos import trials


def test_a_run_that_is_struck_ends_as_if_nothing_had_happened(capsys):
    ends, failures = trials(4, 3, ["fit"])
    assert failures == 0, capsys.readouterr().out
    assert ends.total() == 10
    assert ends["fit SIGKILL -9"]
