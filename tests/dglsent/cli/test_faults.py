"""What goes wrong around a run is told in one line, and what was done stays."""

from __future__ import annotations

import errno
import io
import json
import os
import resource
import signal
import stat
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import torch
from background import forked
from full_disk import full_disk
from safetensors.torch import load_file, save_file
from tiny import TINY, recipe

from dglsent.cli.main import main
from dglsent.models.tree_lstm import BinaryTreeLSTM
from dglsent.training.run import Run

TREE = "dglsent.models.tree_lstm.BinaryTreeLSTM"
ONE = TINY.replace("epochs: 2", "epochs: 1")


class Watched(BinaryTreeLSTM):
    """A Tree-LSTM that does something before its first training batch."""

    before = None

    def encode(self, batch):
        if self.training and Watched.before is not None:
            before, Watched.before = Watched.before, None
            before()
        return super().encode(batch)


def test_one_run_one_writer(trees_run, tmp_path, capsys):
    file = recipe(tmp_path, TINY.replace(TREE, f"{__name__}.Watched"))
    command = ["fit", str(file), "--out", str(tmp_path / "run")]
    codes = []
    Watched.before = lambda: codes.append(main(command))
    assert main(command) == 0
    assert codes == [2]
    said = [line for line in capsys.readouterr().err.splitlines() if "is writing it" in line]
    assert len(said) == 1
    assert f"{tmp_path / 'run'}: process {os.getpid()} on " in said[0]
    weights = "weights.safetensors"
    assert (tmp_path / "run" / weights).read_bytes() == (trees_run / weights).read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"run", "tiny.yaml"}


def test_new_files_have_the_permissions_of_new_files(trees_run):
    umask = os.umask(0)
    os.umask(umask)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in trees_run.iterdir() if path.is_file()}
    assert set(modes.values()) == {0o666 & ~umask}, modes


def test_a_file_in_the_way(tmp_path, program):
    file = recipe(tmp_path, ONE)
    for out in (file / "run", file / "a" / "run"):
        program.refuses("fit", file, "--out", out, saying=[f"dglsent: {file}"])
    program.refuses("predict", tmp_path / "tiny.yaml", saying=["config.yaml is missing"])


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (PermissionError(errno.EACCES, "Permission denied"), "check its permissions"),
        (OSError(errno.EROFS, "Read-only file system"), "check the path"),
        (OSError(errno.ENOSPC, "No space left on device"), "make room there"),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory"), "check the path"),
    ],
)
def test_what_to_do_about_an_error_of_the_system(error, remedy, monkeypatch, program):
    def main(arguments):
        error.filename = "there"
        raise error

    monkeypatch.setattr("dglsent.cli.recipes.main", main)
    program.refuses("recipes", saying=[f"dglsent: there: {error.strerror}; {remedy}, or choose another place\n"])


def test_weights_that_may_not_be_read(run, program, monkeypatch):
    """They were said not to be there, and were to be trained again."""
    opened = Path.open

    def refused(path, *mode, **options):
        if path.name == "weights.safetensors":
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *mode, **options)

    monkeypatch.setattr(Path, "open", refused)
    file = run / "weights.safetensors"
    program.refuses("predict", run, saying=[f"{file}: cannot be read (Permission denied); check the path"])


@pytest.mark.parametrize("room", [0, 1500, 9000, 14000])
def test_a_full_disk(room, tmp_path, capsys):
    file = recipe(tmp_path, ONE)
    # The tool that captures writes files too: it looks away meanwhile.
    with capsys.disabled(), full_disk(room), replaced_streams() as (_, err):
        assert main(["fit", str(file), "--out", str(tmp_path / "run")]) == 2
    *_, last = err.getvalue().splitlines()
    assert last.startswith(f"dglsent: {tmp_path / 'run'}"), last
    assert last.endswith("File too large; make room there, or choose another place"), last
    assert "Traceback" not in err.getvalue()
    assert not list(tmp_path.rglob("*.part"))
    assert not list(tmp_path.rglob("*.lock"))
    assert not (tmp_path / "run/metrics.json").exists()


def _write_weights_and_be_killed(path: Path) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    Run(path).save_weights(torch.nn.Linear(9, 9))


def test_killed_while_weights_are_written(tmp_path):
    """The old ones stay, and what was written of the new ones is taken away by who writes next."""
    Run(tmp_path).save_weights(torch.nn.Linear(9, 9))
    before = Run(tmp_path).weights_file.read_bytes()
    writer = forked(_write_weights_and_be_killed, (tmp_path,))
    writer.start()
    writer.join()
    assert writer.exitcode == -signal.SIGXFSZ
    assert Run(tmp_path).weights_file.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 2
    Run(tmp_path).save_weights(torch.nn.Linear(9, 9))
    assert [path.name for path in tmp_path.iterdir()] == ["weights.safetensors"]


@contextmanager
def replaced_streams():
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
    try:
        yield sys.stdout, sys.stderr
    finally:
        sys.stdout, sys.stderr = before


@pytest.mark.parametrize(
    "garbage",
    [
        *(b"", b"\xff\xfe", b"[]", b"{}", b'{"dev": 1}', b"[" * 100_000, b'{"dev": {}, "test"'),
        b'{"dev": {}, "test": 1, "seconds": 1.5, "epochs": 2, "best_epoch": 1}',
        b'{"dev": {}, "test": {}, "seconds": null, "epochs": 2, "best_epoch": 1}',
        b'{"dev": {}, "test": {}, "seconds": 1.5, "epochs": 2}',
        b'{"dev": {}, "test": {}, "seconds": [1.5], "epochs": 2, "best_epoch": 1}',
        b'{"dev": {"accuracy": "high"}, "test": {}, "seconds": 1.5, "epochs": 2, "best_epoch": 1}',
        b'{"dev": {}, "test": {}, "seconds": 1.5, "epochs": 2, "best_epoch": 1, "provenance": "mine"}',
    ],
)
def test_damaged_scores(garbage, run, program):
    (run / "metrics.json").write_bytes(garbage)
    (run / "resume.ckpt").touch()
    said = [f"dglsent: {run / 'metrics.json'}: not the scores of a run"]
    program.refuses("fit", recipe(run.parent), "--out", run, saying=said)
    assert (run / "resume.ckpt").exists()


@pytest.mark.parametrize("garbage", [b"", b"\x80\x02.", b"garbage", {}, {"state_dict": {}}, [1]])
def test_damaged_checkpoint(garbage, run, program):
    (run / "metrics.json").unlink()
    if isinstance(garbage, bytes):
        (run / "resume.ckpt").write_bytes(garbage)
    else:
        torch.save(garbage, run / "resume.ckpt")
    code, _, err = program("fit", recipe(run.parent), "--out", run)
    assert code == 2
    assert "resume.ckpt: not a checkpoint of dglsent" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_recipes_that_are_no_text(run, program, tmp_path):
    file = tmp_path / "latin.yaml"
    file.write_bytes("# é\n".encode("latin-1"))
    program.refuses("fit", file, saying=["latin.yaml", "not UTF-8"])
    program.refuses("fit", recipe(tmp_path, "base: latin\n"), saying=["latin.yaml", "not UTF-8"])
    program.refuses("fit", recipe(tmp_path, "[" * 5000), saying=["tiny.yaml"])
    program.refuses("fit", recipe(tmp_path, "a: 2001-99-99\n"), saying=["tiny.yaml", "not YAML"])
    (run / "config.yaml").write_bytes(b"\xff")
    program.refuses("predict", run, saying=["config.yaml", "not UTF-8"])


def test_a_loss_that_is_not_finite(tmp_path, program):
    out = tmp_path / "run"
    file = recipe(tmp_path, TINY.replace(TREE, f"{__name__}.Exploding").replace("epochs: 2", "epochs: 3"))
    code, _, err = program("fit", file, "--out", out)
    assert code == 2
    *_, first, last = err.splitlines()
    assert first.startswith("epoch 1/3")
    assert last.startswith("dglsent: epoch 2, step 3: the loss is nan;")
    assert {path.name for path in out.iterdir()} >= {"weights.safetensors", "resume.ckpt"}
    assert not (out / "metrics.json").exists()


class Exploding(BinaryTreeLSTM):
    """A Tree-LSTM whose states are none after ten batches (60 trees are 8 batches)."""

    batches, last = 0, 10

    def encode(self, batch):
        self.batches += self.training
        return super().encode(batch) * (float("nan") if self.batches > self.last else 1)


def test_a_loss_that_is_not_finite_before_any_weight_has_changed(tmp_path, program):
    """It was laid at the door of the learning rate."""
    file = recipe(tmp_path, TINY.replace(TREE, f"{__name__}.Broken"))
    said = ["epoch 1, step 1: the loss is nan, before any weight has changed; look for numbers that are not finite in"]
    program.refuses("fit", file, "--out", tmp_path / "run", saying=said)


class Broken(Exploding):
    """One whose states are none from the first batch on."""

    last = 0


def test_weights_that_the_last_step_made_nan(tmp_path, program):
    """The loss was still a number, and a class that nan stands for scores like any other."""
    out = tmp_path / "run"
    file = recipe(tmp_path, TINY.replace(TREE, f"{__name__}.LastStep"))
    code, _, err = program("fit", file, "--out", out)
    assert code == 2
    first, last = err.splitlines()
    assert first.startswith("epoch 1/2")
    assert last.startswith("dglsent: epoch 2: encoder.embedding.weight is nan after the last step;")
    assert not any(weight.isnan().any() for weight in load_file(out / "weights.safetensors").values())


class LastStep(BinaryTreeLSTM):
    """A Tree-LSTM with a gradient of nan in the last step of its second epoch."""

    batches, last = 0, 16

    def encode(self, batch):
        states = super().encode(batch)
        self.batches += self.training
        if self.training and self.batches == self.last:
            states.register_hook(lambda gradient: gradient * float("nan"))
        return states


def test_json_without_nan(run, tmp_path, program):
    weights = {name: weight * float("nan") for name, weight in load_file(run / "weights.safetensors").items()}
    save_file(weights, run / "weights.safetensors")
    sentences = tmp_path / "in.txt"
    sentences.write_text("(2 (1 a) (3 b))\n")

    def refuse(constant):
        raise AssertionError(constant)

    code, out, _ = program("test", run)
    assert code == 0
    json.loads(out, parse_constant=refuse)
    code, out, err = program("predict", run, sentences)
    assert code == 2  # a class of such weights would be none
    assert "are not finite numbers" in json.loads(out, parse_constant=refuse)["error"]
    assert "Traceback" not in err


def test_sigterm_ends_a_command_as_ctrl_c_does(tmp_path, program):
    file = recipe(tmp_path, TINY.replace(TREE, f"{__name__}.Watched"))
    Watched.before = lambda: os.kill(os.getpid(), signal.SIGTERM)
    before = signal.getsignal(signal.SIGTERM)
    code, _, err = program("fit", file, "--out", tmp_path / "run")
    assert code == 128 + signal.SIGTERM
    assert "stopped; to go on after the last whole epoch: dglsent fit" in err
    assert signal.getsignal(signal.SIGTERM) == before
    assert not (tmp_path / "run.lock").exists()


@pytest.mark.parametrize("surfaces_as", [KeyboardInterrupt, ImportError("numpy has no attribute"), RecursionError])
def test_sigterm_ends_a_command_whatever_it_comes_out_as(surfaces_as, program, monkeypatch):
    """In the midst of an import libraries make other errors of it."""

    def main(arguments):
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        raise surfaces_as

    monkeypatch.setattr("dglsent.cli.recipes.main", main)
    assert program("recipes") == (128 + signal.SIGTERM, "", "\ndglsent: interrupted\n")


class StruckWhereItIsIgnored:
    """Goes away as a lock of an import does: Python ignores what is raised then."""

    def __init__(self, number):
        self.number = number

    def __del__(self):
        os.kill(os.getpid(), self.number)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_an_interrupt_that_python_ignores_comes_again(number, code, program, monkeypatch):
    """It was shown as a traceback, and the command went on to its end."""

    def main(arguments):
        StruckWhereItIsIgnored(number)
        time.sleep(10)
        return 0

    monkeypatch.setattr("dglsent.cli.recipes.main", main)
    hook, handler = sys.unraisablehook, signal.signal(signal.SIGINT, signal.default_int_handler)
    try:  # whatever ran the tests may ignore Ctrl-C, as a shell does for what is in its background
        assert program("recipes") == (code, "", "\ndglsent: interrupted\n")
    finally:
        signal.signal(signal.SIGINT, handler)
    assert sys.unraisablehook is hook


def test_ctrl_c_before_there_is_anything_to_say(program, monkeypatch):
    def main(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("dglsent.cli.recipes.main", main)
    assert program("recipes") == (130, "", "\ndglsent: interrupted\n")


def test_an_error_of_cleaning_up_after_an_interrupt_is_no_traceback(program, monkeypatch):
    """Lightning's own, of a loader that is just being made."""

    def main(arguments):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise RuntimeError("Please call `iter(combined_loader)` first.") from None

    monkeypatch.setattr("dglsent.cli.recipes.main", main)
    assert program("recipes") == (130, "", "\ndglsent: interrupted\n")

    def broken(arguments):
        raise RuntimeError("a fault")

    monkeypatch.setattr("dglsent.cli.recipes.main", broken)
    with pytest.raises(RuntimeError, match="a fault"):
        program("recipes")
