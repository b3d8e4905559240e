"""A run that is killed goes on as if nothing had happened."""

from __future__ import annotations

import json
import pickle
import shutil
import signal
import time
from pathlib import Path

import pytest
import torch
from background import Background
from tiny import TINY, recipe
from watched import FOLDER, orders

from dglsent.cli.main import main

LONG = TINY.replace("train: 60, dev: 20", "train: 200, dev: 100").replace("epochs: 2", "epochs: 6, average: 0.9")
LONG += "optimiser: {lr: 0.02}\n"  # with which the last epoch, after the kill, is the best
LONG = LONG.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "watched.Watched")


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Path:
    """A run that nobody killed."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER, str(folder / "watched"))
        assert main(["fit", str(recipe(folder, LONG)), "--out", str(folder / "run")]) == 0
    return folder / "run"


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    """The same run, killed in its third epoch or soon after."""
    return killed_early(tmp_path_factory.mktemp("killed"), LONG)


def killed_early(folder: Path, text: str) -> Path:
    arguments = ["fit", recipe(folder, text), "--out", folder / "run"]
    process = Background(arguments, folder / "said", environment={FOLDER: str(folder / "watched")})
    checkpoints: set[int] = set()  # when each was written; nothing is being written when the third is there
    while len(checkpoints) < 3:
        assert process.code is None, process.said
        checkpoints |= {path.stat().st_mtime_ns for path in (folder / "run").glob("resume.ckpt")}
        time.sleep(0.005)
    process.strike(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    return folder / "run"


@pytest.fixture
def copy(killed, tmp_path) -> Path:
    """A copy of the killed run, with its recipe beside it."""
    shutil.copytree(killed.parent, tmp_path / "copy")
    return tmp_path / "copy" / "run"


def history(run: Path) -> list[tuple]:
    epochs = json.loads((run / "metrics.json").read_text())["history"]
    return [(epoch["epoch"], epoch["loss"], epoch["dev"], epoch["best"]) for epoch in epochs]


def test_order_losses_and_weights_after_a_kill_are_exactly_the_same(whole, copy, program, monkeypatch):
    assert not (copy / "metrics.json").exists()
    monkeypatch.setenv(FOLDER, str(copy.parent / "watched"))
    code, _, err = program("fit", copy.parent / "tiny.yaml", "--out", copy)
    assert code == 0
    assert "going on after the last whole epoch" in err
    assert "epoch 1/6" not in err
    assert "epoch 6/6" in err
    assert orders(copy.parent / "watched") == orders(whole.parent / "watched")
    assert history(copy) == history(whole)
    assert (copy / "weights.safetensors").read_bytes() == (whole / "weights.safetensors").read_bytes()
    assert not (copy / "resume.ckpt").exists()


@pytest.mark.parametrize("workers", [1, 0])
def test_nor_do_they_differ_where_workers_fetch_ahead(workers, whole, tmp_path, program, monkeypatch):
    """As many when it goes on, or none, after memory ran out."""
    run = killed_early(tmp_path, LONG.replace("epochs: 6", "epochs: 6, workers: 1"))
    monkeypatch.setenv(FOLDER, str(tmp_path / "watched"))
    code, _, err = program("fit", tmp_path / "tiny.yaml", "--out", run, "--training.workers", str(workers))
    assert code == 0
    assert "epoch 1/6" not in err
    assert orders(tmp_path / "watched") == orders(whole.parent / "watched")
    assert history(run) == history(whole)
    assert (run / "weights.safetensors").read_bytes() == (whole / "weights.safetensors").read_bytes()


def test_nor_do_they_differ_where_a_layer_was_frozen_on_the_way(whole, tmp_path, program):
    text = LONG.replace("watched.Watched", "watched.Freezing")
    run = killed_early(tmp_path, text)
    assert program("fit", tmp_path / "tiny.yaml", "--out", run)[0] == 0
    (tmp_path / "whole").mkdir()
    assert program("fit", recipe(tmp_path / "whole", text), "--out", tmp_path / "whole" / "run")[0] == 0
    assert history(run) == history(tmp_path / "whole" / "run") != history(whole)


def test_every_epoch_of_it_has_an_order_of_its_own(whole):
    epochs = orders(whole.parent / "watched")
    assert len({tuple(epoch) for epoch in epochs}) == len(epochs) == 6
    assert {tuple(sorted(epoch)) for epoch in epochs} == {tuple(sorted(set(epochs[0])))}


def test_the_best_weights_are_of_the_last_epoch(whole):
    # Else those of the tests above would be from before the kill.
    assert history(whole)[-1][-1]


def test_dropout_was_on(whole, tmp_path, program):
    # Else the test above says nothing about random states.
    file = recipe(tmp_path, LONG.replace("dropout: 0.3", "dropout: 0.0").replace("epochs: 6", "epochs: 1"))
    program("fit", file, "--out", tmp_path / "run")
    assert history(tmp_path / "run")[0][1] != history(whole)[0][1]


def test_checkpoint_holds_tensors_and_plain_values(killed):
    loaded = torch.load(killed / "resume.ckpt", weights_only=True)
    assert loaded["epoch"] >= 1
    assert not list(killed.glob("*.part"))


@pytest.mark.filterwarnings("ignore:Detected pickle protocol")
def test_a_pickle_is_not_run(copy, program):
    marker = copy / "marker"

    class Harmful:
        def __reduce__(self):
            return (Path.touch, (marker,))

    (copy / "resume.ckpt").write_bytes(pickle.dumps(Harmful()))
    code, _, err = program("fit", copy.parent / "tiny.yaml", "--out", copy)
    assert code == 2
    said = "resume.ckpt: not a checkpoint of dglsent (it does not hold tensors and plain values alone); delete it"
    assert said in err.splitlines()[-1]
    assert "weights_only" not in err
    assert "Traceback" not in err
    assert not marker.exists()


def test_checkpoint_of_another_model(copy, tmp_path, program):
    file = recipe(tmp_path, LONG.replace("hidden: 6", "hidden: 7"))
    other = tmp_path / "other"
    program("fit", file, "--out", other, "--training.epochs", "1")
    (other / "metrics.json").unlink()
    shutil.copy(copy / "resume.ckpt", other / "resume.ckpt")
    code, _, err = program("fit", file, "--out", other, "--training.epochs", "1")
    assert code == 2
    assert f"{other / 'resume.ckpt'}: of another model; delete it" in err.splitlines()[-1]


def test_corpus_that_has_changed(copy, program):
    file = copy / "vocabularies.json"
    known = json.loads(file.read_text())
    known["word"]["strings"].append("zyx")
    file.write_text(json.dumps(known))
    program.refuses("fit", copy.parent / "tiny.yaml", "--out", copy, saying=["the corpus has changed"])


@pytest.mark.parametrize("gone", ["weights.safetensors", "vocabularies.json"])
def test_files_without_which_it_cannot_go_on(gone, copy, program):
    (copy / gone).unlink()
    said = [f"{gone}: gone", "delete", "resume.ckpt"]
    program.refuses("fit", copy.parent / "tiny.yaml", "--out", copy, saying=said)
    assert (copy / "resume.ckpt").exists()


def test_a_folder_with_what_a_kill_left_of_the_first_file(tmp_path, program):
    run = tmp_path / "run"
    run.mkdir()
    (run / "config.yaml.elsewhere-1.part").write_text("epo")
    assert program("fit", recipe(tmp_path, TINY), "--out", run)[0] == 0
    (run / "config.yaml").unlink()
    program.refuses("fit", recipe(tmp_path, TINY), "--out", run, saying=["is not empty and not a run"])
