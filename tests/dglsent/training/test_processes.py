"""Several processes train as one does."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import nullcontext, suppress
from itertools import chain
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from background import Forks, forked
from lightning.fabric.plugins.environments.lightning import find_free_network_port
from safetensors.numpy import load_file
from tiny import PAIRS, TINY, recipe
from torch.distributed import run as torchrun
from watched import FOLDER, orders

import dglsent
from dglsent.training import processes
from dglsent.training.data import loader
from dglsent.training.denormals import denormals_flushed, flushed
from dglsent.training.order import EpochSampler, Parts
from dglsent.training.processes import Place
from graphs.errors import InputError

# Adagrad's first step is as large for a gradient of rounding errors as for any other; SGD's is not.
WATCHED = TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "watched.Watched")
SGD = "optimiser: {name: sgd, lr: 0.02}\n"
PHRASES = WATCHED.replace("train: 60", "train: 43").replace("dropout: 0.3", "dropout: 0.0") + SGD
# Two examples for three processes, a guide that gets no gradient, and gradients that are clipped.
MORE_PROCESSES_THAN_EXAMPLES = SGD + PAIRS.replace("batch_size: 8", "batch_size: 2, clip: 0.5").replace(
    """class_path: dglsent.models.tree_lstm.ChildSumTreeLSTM
  init_args: {hidden: 6}""",
    """class_path: dglsent.models.attentive_tree.AttentiveTreeLSTM
  init_args: {hidden: 6, detach_guide: true}""",
)
TWO = ("--processes", "2", "--device", "cpu")
LONG = WATCHED.replace("train: 60", "train: 100").replace("epochs: 2", "epochs: 5")


@pytest.fixture
def environment(monkeypatch) -> None:
    """That of the processes: they find `tiny` and `watched`, and do not fight for threads."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def forks(environment, monkeypatch) -> None:
    """Helpers are forks of a process that has imported everything; one test has them as they are."""
    there = SimpleNamespace(get_context=lambda kind: Forks, parent_process=multiprocessing.parent_process)
    monkeypatch.setattr(processes, "multiprocessing", there)


def history(run: Path) -> list[dict]:
    return json.loads((run / "metrics.json").read_text())["history"]


@pytest.mark.parametrize(
    ("start", "text", "count"), [("environment", PHRASES, 2), ("forks", MORE_PROCESSES_THAN_EXAMPLES, 3)]
)
def test_several_processes_train_as_one_does(start, text, count, tmp_path, program, monkeypatch, request):
    request.getfixturevalue(start)
    file = recipe(tmp_path, text)
    one, several = tmp_path / "one", tmp_path / "several"
    monkeypatch.setenv(FOLDER, str(tmp_path / "watched-one"))
    code, _, _ = program("fit", file, "--out", one, "--device", "cpu")
    assert code == 0
    monkeypatch.setenv(FOLDER, str(tmp_path / "watched-several"))
    code, out, err = program("fit", file, "--out", several, "--processes", count, "--device", "cpu")
    assert code == 0, err
    assert [line.split()[1] for line in err.splitlines()] == ["1/2", "2/2"]  # epochs, once each
    assert len(out.splitlines()) == 1

    metrics = [json.loads((run / "metrics.json").read_text()) for run in (one, several)]
    assert [found["processes"] for found in metrics] == [1, count]
    for name in ("dev", "test"):
        assert metrics[1][name] == pytest.approx(metrics[0][name], rel=1e-4)
    for there, here in zip(history(one), history(several), strict=True):
        assert here["loss"] == pytest.approx(there["loss"], rel=1e-5)
        assert here["dev"] == pytest.approx(there["dev"], rel=1e-4)
    weights = [load_file(run / "weights.safetensors") for run in (one, several)]
    assert weights[0].keys() == weights[1].keys()
    for name, weight in weights[0].items():
        np.testing.assert_allclose(weights[1][name], weight, rtol=1e-4, atol=1e-6, err_msg=name)
    assert {path.name for path in several.iterdir()} == {path.name for path in one.iterdir()}

    if text == PHRASES:
        first, second = orders(tmp_path / "watched-several")
        assert [first, second] == orders(tmp_path / "watched-one")
        assert first != second
        assert sorted(first) == sorted(second) == sorted({*first})
        assert len(first) == 43


@pytest.mark.usefixtures("forks")
def test_processes_have_the_same_random_constants(tmp_path, program):
    file = recipe(tmp_path, PHRASES.replace("watched.Watched", "watched.Scaled"))
    one, two = tmp_path / "one", tmp_path / "two"
    assert program("fit", file, "--out", one, "--device", "cpu")[0] == 0
    assert program("fit", file, "--out", two, *TWO)[0] == 0
    for there, here in zip(history(one), history(two), strict=True):
        assert here["loss"] == pytest.approx(there["loss"], rel=1e-5)


@pytest.mark.usefixtures("environment")
def test_two_agents_of_torchrun_train_as_one_process_does(tmp_path, program):
    file = recipe(tmp_path, PHRASES)
    one, several = tmp_path / "one", tmp_path / "several"
    assert program("fit", file, "--out", one, "--device", "cpu")[0] == 0
    port = find_free_network_port()
    machines = ["--nnodes", "2", "--nproc-per-node", "1"]
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{port}", "--local-addr", "127.0.0.1"]
    # Agents are forks of a process that has imported everything, and start the training as forks of their own.
    program = ["--start-method", "fork", "--run-path", str(Path(dglsent.__file__).with_name("__main__.py"))]
    training = [*program, "fit", str(file), "--seeds", "1,2", "--out", str(several), "--device", "cpu"]
    logs = [tmp_path / f"agent-{number}" for number in range(2)]
    agents = [forked(_torchrun, ([*machines, *meeting, *training], str(log))) for log in logs]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join(300)
    said = [log.read_text() for log in logs]
    assert [agent.exitcode for agent in agents] == [0, 0], said
    assert sum(line.startswith(f"{several}: ") for text in said for line in text.splitlines()) == 1  # one machine talks
    assert json.loads((several / "seed-2/metrics.json").read_text())["processes"] == 2  # over the same connection
    several /= "seed-1"
    metrics = [json.loads((run / "metrics.json").read_text()) for run in (one, several)]
    assert metrics[1]["processes"] == 2
    assert metrics[1]["test"] == pytest.approx(metrics[0]["test"], rel=1e-4)
    for there, here in zip(history(one), history(several), strict=True):
        assert here["loss"] == pytest.approx(there["loss"], rel=1e-5)
    weights = [load_file(run / "weights.safetensors") for run in (one, several)]
    for name, weight in weights[0].items():
        np.testing.assert_allclose(weights[1][name], weight, rtol=1e-4, atol=1e-6, err_msg=name)


def _torchrun(arguments: list[str], log: str) -> None:
    """What the command does; its output goes to a file."""
    for number in (1, 2):
        os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    torchrun.main(arguments)


@pytest.mark.usefixtures("forks")
def test_a_killed_helper_is_named_and_the_run_goes_on(tmp_path, program, monkeypatch):
    file = recipe(tmp_path, LONG)
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    monkeypatch.setenv(FOLDER, str(tmp_path / "watched-whole"))
    assert program("fit", file, "--out", whole, *TWO)[0] == 0

    monkeypatch.setenv(FOLDER, str(tmp_path / "watched-killed"))
    striking = threading.Thread(target=kill_helper, args=(killed / "resume.ckpt",), daemon=True)
    striking.start()
    code, _, err = program("fit", file, "--out", killed, *TWO)
    striking.join(60)
    assert code == 2
    *epochs, last = err.splitlines()
    assert epochs[0].startswith("epoch 1/")
    assert len(epochs) < 5
    assert last.startswith("dglsent: a process of this run was killed by signal 9")

    code, _, err = program("fit", file, "--out", killed, *TWO)
    assert code == 0, err
    assert "going on after the last whole epoch" in err
    assert "epoch 1/" not in err
    assert orders(tmp_path / "watched-killed") == orders(tmp_path / "watched-whole")
    # Exactly, dropout in both processes included.
    assert [epoch["loss"] for epoch in history(killed)] == [epoch["loss"] for epoch in history(whole)]
    assert (killed / "weights.safetensors").read_bytes() == (whole / "weights.safetensors").read_bytes()


@pytest.mark.usefixtures("forks")
def test_sigterm_ends_several_processes_with_its_own_code(tmp_path, program):
    out = tmp_path / "run"

    def terminate() -> None:
        while not (out / "resume.ckpt").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

    striking = threading.Thread(target=terminate, daemon=True)
    striking.start()
    code, _, err = program("fit", recipe(tmp_path, LONG.replace("epochs: 5", "epochs: 50")), "--out", out, *TWO)
    striking.join(60)
    assert code == 128 + signal.SIGTERM
    assert "stopped; to go on after the last whole epoch: dglsent fit" in err
    assert not multiprocessing.active_children()


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("around", [denormals_flushed, nullcontext])
def test_a_helper_takes_denormals_for_zero_where_its_parent_does(around, tmp_path):
    told = tmp_path / "told"
    with around(), processes.helped(2, tell_of_denormals, told):
        here = flushed()
    assert here == (around is denormals_flushed)
    assert told.read_text() == str(here)


def tell_of_denormals(place: Place, ready, file: Path) -> None:
    """A helper's work."""
    file.write_text(str(flushed()))
    ready()


@pytest.mark.usefixtures("forks")
def test_a_helper_computes_with_as_many_threads(tmp_path):
    told, before = tmp_path / "told", torch.get_num_threads()
    torch.set_num_threads(before + 2)
    try:
        with processes.helped(2, tell_of_threads, told):
            pass
    finally:
        torch.set_num_threads(before)
    assert told.read_text() == str(before + 2)


def tell_of_threads(place: Place, ready, file: Path) -> None:
    """A helper's work."""
    file.write_text(str(torch.get_num_threads()))
    ready()


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("raise InputError('v.txt: gone')", "^v.txt: gone$"),
        ("os.kill(os.getpid(), signal.SIGKILL)", r"was killed by signal 9, perhaps for want of memory; the same"),
        ("os._exit(3)", "a process of this run ended with code 3; the same command goes on after the last whole epoch"),
    ],
)
def test_a_helper_that_ends_before_it_is_ready_is_told_and_none_is_left(statement, said):
    """The last of three, so that the one before it is ready and waits."""
    with pytest.raises(InputError, match=said), processes.helped(3, fail, statement):
        pytest.fail("began")
    assert not multiprocessing.active_children()


def fail(place: Place, ready, statement: str) -> None:
    """A helper's work."""
    if place.rank == 2:
        exec(statement)
    ready()
    time.sleep(60)


@pytest.mark.usefixtures("forks")
def test_a_helper_that_cannot_go_on_says_why_where_the_others_wait_for_it():
    """Of several only the one to which an example falls sees what is wrong with it."""
    with pytest.raises(InputError, match=r"^an example of mine$"), processes.helped(2, refuse):
        raise RuntimeError("Connection closed by peer")
    with pytest.raises(RuntimeError, match="of process 0"), processes.helped(2, help_in_vain):
        raise RuntimeError("of process 0")
    assert not multiprocessing.active_children()


def test_a_helper_that_cannot_be_started_leaves_ctrl_c_as_it_was(monkeypatch):
    def no_memory(self):
        raise OSError("no memory")

    monkeypatch.setattr(SpawnProcess, "start", no_memory)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(OSError, match="no memory"), processes.helped(2, refuse):
        pass
    assert signal.getsignal(signal.SIGINT) is before


def refuse(place: Place, ready) -> None:
    """A helper's work."""
    ready()
    raise InputError("an example of mine")


def help_in_vain(place: Place, ready) -> None:
    """A helper's work."""
    ready()


def kill_helper(once: Path) -> None:
    """Kills the helper of the training of this process once an epoch of it is saved."""
    while not once.exists():
        time.sleep(0.01)
    (helper,) = multiprocessing.active_children()
    os.kill(helper.pid, signal.SIGKILL)


@pytest.mark.parametrize(("examples", "size", "count"), [(43, 8, 2), (9, 2, 3), (3, 8, 4), (8, 8, 1)])
def test_parts_are_the_batches_of_one_process(examples, size, count):
    order = EpochSampler(examples, 1)
    whole = [list(order)[first : first + size] for first in range(0, examples, size)]
    parts = [Parts(order, examples, size, Place(rank, count)) for rank in range(count)]
    for index, (batch, *found) in enumerate(zip(whole, *parts, strict=True)):
        counts = [part.count(index) for part in parts]
        assert max(counts) - min(counts) <= 1
        assert list(chain(*(numbers[:own] for numbers, own in zip(found, counts, strict=True)))) == batch
        assert all(own or numbers == batch[:1] for numbers, own in zip(found, counts, strict=True))
        shares = [part.share(index) for part in parts]
        assert shares == pytest.approx([own * count / len(batch) for own in counts])


def test_parts_follow_the_epoch():
    parts = Parts(EpochSampler(20, 1), 20, 5, Place(1, 2))
    first = list(parts)
    parts.sampler.set_epoch(1)
    assert list(parts) != first


def test_number_of_processes(tmp_path, program):
    program.refuses("fit", recipe(tmp_path), "--processes", "0", saying=["--processes", "whole number from 1"])


class Large:
    """Batches that fill a pipe, so that who made them waits until somebody takes them."""

    def __len__(self) -> int:
        return 64

    def batch(self, numbers, **_) -> bytes:
        return bytes(2**20)


def fetch_and_wait(pipe) -> None:
    batches = iter(loader(Large(), 1, (), seed=1, workers=1))
    next(batches)
    time.sleep(1)  # the worker fetches ahead
    pipe.send([child.pid for child in multiprocessing.active_children()])
    time.sleep(600)


def lead(told: Path) -> None:
    """What a process does that is then killed; its helper is a fork of it."""
    there = SimpleNamespace(
        get_context=lambda kind: multiprocessing.get_context("fork"), parent_process=multiprocessing.parent_process
    )
    processes.multiprocessing = there
    with processes.helped(2, tell_and_wait, told):
        time.sleep(600)


def tell_and_wait(place: Place, ready, told: Path) -> None:
    """A helper's work."""
    ready()
    told.write_text(str(os.getpid()))
    time.sleep(600)


def test_helpers_end_with_the_process_that_was_killed(tmp_path):
    told = tmp_path / "told"
    told.touch()
    process = forked(lead, (told,))
    process.start()
    until = time.monotonic() + 60
    while not told.read_text():
        assert time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.join()
    ends(int(told.read_text()))


def test_workers_end_with_the_process_that_was_killed():
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=fetch_and_wait, args=(theirs,))
    process.start()
    (worker,) = ours.recv()
    process.kill()
    process.join()
    ends(worker)


def ends(process: int) -> None:
    """Waits for its end, and ends it if it does not."""
    until = time.monotonic() + 20
    while Path(f"/proc/{process}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    try:
        assert not Path(f"/proc/{process}").exists()
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
