"""What commands read and write: streams that are closed, full or of another encoding, and files in UTF-16."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from dglsent.cli.main import main


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_output_that_takes_nothing(run, tmp_path, capsys, monkeypatch):
    sentences = tmp_path / "in.txt"
    sentences.write_text("(2 (1 a) (3 b))\n")
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        assert main(["predict", str(run), str(sentences)]) == 2
    assert capsys.readouterr().err.startswith("dglsent: standard output: No space left on device;")
    for command in (["predict", str(run), str(sentences)], ["--help"], ["--version"]):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "w") as broken:
            monkeypatch.setattr(sys, "stdout", broken)
            assert main(command) == 141
        assert capsys.readouterr().err == ""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_output_to_a_file_is_utf_8_whatever_the_locale(encoding, run, tmp_path, monkeypatch):
    sentences = tmp_path / "in.txt"
    sentences.write_text("(2 (1 caf\u00e9) (3 \u96ea))\n", encoding="utf-8")
    with open(tmp_path / "out", "w", encoding=encoding) as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["predict", str(run), str(sentences)]) == 0
    assert '"caf\u00e9 \u96ea"' in (tmp_path / "out").read_text(encoding="utf-8")


def test_streams_that_are_closed(run, tmp_path, monkeypatch):
    for name in ("stdin", "stdout"):
        monkeypatch.setattr(sys, name, None)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.brackets").write_text("(S (A a) (B b))\n")
    assert main(["draw", "in.brackets", "--out", "drawn"]) == 0
    assert len(list((tmp_path / "drawn").iterdir())) == 1
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert main(["predict", str(run)]) == 2
    assert "<stdin>: holds no sentences" in sys.stderr.getvalue()


@pytest.mark.parametrize("command", [["predict", "RUN", "in.brackets"], ["test", "RUN"], ["recipes"]])
def test_what_is_only_printed_is_not_lost_in_silence(command, run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.brackets").write_text("(2 (1 a) (3 b))\n")
    monkeypatch.setattr(sys, "stdout", None)
    assert main([str(run) if word == "RUN" else word for word in command]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"dglsent: standard output is closed, and `dglsent {command[0]}` writes there;")


def test_a_working_folder_that_is_gone_is_told(run, tmp_path, program, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    for command in (["predict", run], ["fit", "reviews/tree-lstm", "--out", tmp_path / "trained"]):
        program.refuses(*command, saying=["the working folder is gone", "change to one that exists"])
    assert program("--help")[0] == 0


def test_a_name_that_no_library_can_write_to_is_told_before_the_work(run, tmp_path, program):
    """Of a name in Latin-1 Python makes half a surrogate, which safetensors and Arrow do not take."""
    (tmp_path / "in.brackets").write_text("(2 (1 a) (3 b))\n")
    out = tmp_path / "caf\udce9"
    for command in (
        ["fit", "reviews/tree-lstm", "--out", out],
        ["record", run, "--out", out],
        ["analyse", "example-predictions", run, "--out", out],
        ["build", tmp_path / "in.brackets", out, "--graph", "constituency"],
    ):
        program.refuses(*command, saying=[r"caf\udce9' is not UTF-8; choose another name"])
        assert not out.exists()


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf_16_without_a_mark_is_named(order, run, tmp_path, program):
    """Of Latin letters it is UTF-8 too, and its letters and NUL would be read as words."""
    trees, text = tmp_path / "trees.brackets", tmp_path / "text.txt"
    trees.write_bytes("(2 (1 a) (3 b))\r\n(2 (1 a) (3 b))\r\n".encode(f"utf-16-{order}"))
    text.write_bytes("a film\r\n\r\nb\r\n".encode(f"utf-16-{order}"))
    saying = ["as in UTF-16; convert the file to UTF-8", f"iconv -f UTF-16{order.upper()} -t UTF-8"]
    for command in (
        ["draw", trees, "--out", tmp_path / "drawn"],
        ["predict", run, trees],
        ["build", trees, tmp_path / "store", "--graph", "constituency"],
        ["parse", text, tmp_path / "parsed"],
    ):
        file = trees if trees in command else text
        program.refuses(*command, saying=[str(file), *saying])
