from __future__ import annotations

import json
import subprocess
import sys
from subprocess import PIPE
from tempfile import TemporaryFile

import pytest

from dglsent.reproduction.first_steps import _line, different

MADE = {"losses": [0.5, 0.25], "weights": "a", "dev": "b"}


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ({}, None),
        ({"losses": [0.5, 0.125]}, "the loss of step 2 was 0.125 and is 0.25"),
        ({"weights": "c"}, "after 2 steps of the same losses the weights differ"),
        ({"dev": "c"}, "after 2 steps of the same losses the dev differ"),
        ({"error": "ImportError: gone"}, "the code before cannot train it: ImportError: gone"),
    ],
)
def test_in_what_two_codes_differ(before, said):
    assert different(MADE, {**MADE, **before}) == said


def test_code_of_today_that_cannot_train():
    assert different({"error": "ValueError: no"}, MADE) == "this code cannot train it: ValueError: no"


def test_a_program_that_ends_before_its_answer():
    with (
        TemporaryFile("w+") as said,
        subprocess.Popen(
            [sys.executable, "-c", "raise SystemExit('no torch')"], stdout=PIPE, stderr=said, text=True
        ) as process,
    ):
        assert json.loads(_line(process, said)) == {"error": "the program that trains its steps has ended (no torch)"}
