"""A few trials of `chaos.py`; `make chaos` runs many, of reproduce and parse too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_a_run_that_is_struck_ends_as_if_nothing_had_happened():
    program = [sys.executable, str(Path(__file__).with_name("chaos.py")), "--kinds", "fit"]
    ended = subprocess.run([*program, "--trials", "4", "--seed", "3"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.endswith("4 trials, 10 signals, 0 failures\n")
    assert "SIGKILL -9" in ended.stdout
