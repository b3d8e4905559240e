"""Names in files of other people may hold what a terminal would obey."""

from __future__ import annotations

import io
import sys

import pytest

from dglsent.cli.console import complain, printable, tell
from dglsent.cli.main import main

ESCAPES = "\x1b]0;mine\x07\x9b31m"
SHOWN = r"\u001b]0;mine\u0007\u009b31m"


class Terminal(io.StringIO):
    """A stream that says that it is one."""

    def isatty(self):
        return True


def test_control_characters_are_written_by_their_numbers():
    assert printable(f"a{ESCAPES}b\x00\x7f\r") == rf"a{SHOWN}b\u0000\u007f\u000d"
    assert printable("caf\u00e9 \u96ea\tb\n") == "caf\u00e9 \u96ea\tb\n"


@pytest.mark.parametrize(
    ("stream", "shown"), [(Terminal, f"{SHOWN}\n"), (io.StringIO, f"{ESCAPES}\n")], ids=["terminal", "file"]
)
def test_a_file_gets_results_as_they_are_and_a_terminal_what_is_printable(stream, shown, monkeypatch):
    monkeypatch.setattr(sys, "stdout", out := stream())
    tell(ESCAPES)
    assert out.getvalue() == shown


def test_a_complaint_is_one_line(capsys):
    complain(f"a\nb{ESCAPES}")
    assert capsys.readouterr().err == f"dglsent: a b{SHOWN}\n"


def test_a_complaint_keeps_the_spaces_of_names_and_words(capsys):
    complain("my  file.txt:1: 'a\u00a0b'\n  \r\n  below\n")
    assert capsys.readouterr().err == "dglsent: my  file.txt:1: 'a\u00a0b' below\n"


def test_escapes_in_files_do_not_reach_the_terminal(run, tmp_path, program, monkeypatch):
    broken = tmp_path / "broken.conllu"
    broken.write_text(f"# sent_id = {ESCAPES}\n1\ta\ta\tX\tX\t_\t7\troot\t_\t_\n\n", encoding="utf-8")
    for command in (
        ("draw", broken, "--out", tmp_path),
        ("build", broken, tmp_path / "store", "--graph", "dependency"),
        ("fit", "reviews/tree-lstm", "--encoder.hidden", ESCAPES),
    ):
        program.refuses(*command, saying=[SHOWN])
    named = tmp_path / f"{ESCAPES}.brackets"
    named.write_text("(S (A a) (B b\u009b))\n", encoding="utf-8")
    for command, said in (("draw", f"{SHOWN}-0001.svg\n"), ("predict", r'"text": "a b\u009b"')):
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out := Terminal())
            assert main([command, *([str(run)] if command == "predict" else ["--out", str(tmp_path)]), str(named)]) == 0
        assert said in out.getvalue()
        assert printable(out.getvalue()) == out.getvalue()
