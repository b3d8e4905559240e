"""A program that another process started ends with it, and has time to do so by itself."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """\
import signal, sys, time
from dglsent.cli import watched

def put_away(*_):
    time.sleep(0.2)
    sys.exit("put away")

def program():
    signal.signal(signal.SIGTERM, {answer})
    print("begun", flush=True)
    time.sleep(30)
    return 0

watched._PATIENCE, watched.program = {patience}, program
sys.exit(watched.main())
"""


@pytest.mark.parametrize(
    ("answer", "patience", "said"), [("put_away", 10, "put away\n"), ("signal.SIG_IGN", 0.2, "")], ids=["ends", "hangs"]
)
def test_it_ends_when_nobody_holds_the_other_end_of_its_input(answer, patience, said):
    program = [sys.executable, "-c", PROGRAM.format(answer=answer, patience=patience)]
    with subprocess.Popen(
        program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "begun\n"
        process.stdin.close()
        assert process.wait(20) == 1
        assert process.stderr.read() == said
