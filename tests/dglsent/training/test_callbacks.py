from __future__ import annotations

import io
import math
import random
import re
import signal
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from full_disk import full_disk
from tiny import recipe

from dglsent.cli.main import main
from dglsent.training.callbacks import BestOnDev, Computed, EndOfSeveral, EpochLines, RandomStates, SafeCheckpointIO
from dglsent.training.module import Training
from graphs.errors import InputError


@pytest.mark.parametrize(
    ("mode", "best", "score", "better"),
    [
        ("max", 0.5, 0.6, True),
        ("max", 0.5, 0.5, False),
        ("max", 0.5, 0.4, False),
        ("min", 0.5, 0.4, True),
        ("min", 0.5, 0.5, False),
        ("min", 0.5, 0.6, False),
        ("max", math.nan, -1.0, True),
        ("max", math.nan, math.nan, False),
        ("max", -1.0, math.nan, False),
        ("min", math.nan, 9.0, True),
    ],
)
def test_an_epoch_is_better_by_its_score_and_any_number_better_than_none(mode, best, score, better):
    callback = BestOnDev("score", mode, None, save=lambda module: None)
    callback.load_state_dict({"history": [{"epoch": 1, "dev": {"score": best}, "best": True}]})
    assert callback._is_better(score) == better


def test_the_best_epoch_is_the_last_that_was_better():
    callback = BestOnDev("score", "max", None, save=lambda module: None)
    scores = [(0.5, True), (0.7, True), (0.6, False)]
    history = [{"epoch": epoch, "dev": {"score": score}, "best": best} for epoch, (score, best) in enumerate(scores, 1)]
    callback.load_state_dict({"history": history})
    assert callback.best["epoch"] == 2
    assert not callback._is_better(0.65)


@pytest.mark.parametrize("first_process", [True, False])
def test_every_process_remembers_an_epoch_and_the_first_alone_saves_its_weights(first_process):
    saved = []
    callback, module = BestOnDev("score", "max", None, saved.append), Training.__new__(Training)
    metrics = {"loss": torch.tensor(0.25), "dev_score": torch.tensor(0.5)}
    trainer = SimpleNamespace(callback_metrics=metrics, current_epoch=0, is_global_zero=first_process)
    callback.on_train_epoch_end(trainer, module)
    (epoch,) = callback.history
    assert (epoch["epoch"], epoch["loss"], epoch["dev"], epoch["best"]) == (1, 0.25, {"score": 0.5}, True)
    assert saved == [module] * first_process


@pytest.mark.parametrize(("epochs_since", "stops"), [(1, False), (2, True)])
def test_a_run_that_was_killed_after_its_patience_had_ended_stops_at_once(epochs_since, stops):
    callback, trainer = BestOnDev("score", "max", 2, save=lambda module: None), SimpleNamespace(should_stop=False)
    history = [{"epoch": epoch, "best": epoch == 1} for epoch in range(1, 2 + epochs_since)]
    callback.load_state_dict({"history": history})
    callback.on_train_start(trainer, None)
    assert trainer.should_stop == stops


def test_ways_are_those_of_all_parts_of_a_run_in_order():
    one, two = {"device": "cpu"}, {"device": "cuda"}
    for before, here, wanted in (
        ([one], one, [one]),
        ([one], two, [one, two]),
        ([one, two], one, [one, two, one]),
    ):
        computed = Computed(here)
        computed.load_state_dict({"ways": before})
        assert computed.state_dict() == {"ways": wanted}


def test_process_0_alone_answers_sigterm_and_as_the_program_does():
    def handler(number, frame):
        pass

    before = signal.getsignal(signal.SIGTERM)
    try:
        for rank, there, wanted in (
            (0, handler, handler),
            (0, signal.SIG_DFL, signal.default_int_handler),
            (1, handler, signal.SIG_IGN),
        ):
            signal.signal(signal.SIGTERM, there)
            callback = EndOfSeveral()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            callback.on_train_start(SimpleNamespace(global_rank=rank), None)
            assert signal.getsignal(signal.SIGTERM) == wanted
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_line_of_an_epoch_says_what_it_scores_and_whether_it_is_the_best(capsys):
    best = BestOnDev("score", "max", None, save=lambda module: None)
    best.history = [{"epoch": 2, "loss": 0.25, "dev": {"score": 0.5}, "seconds": 1.0, "best": True}]
    lines = EpochLines(best, epochs=3)
    lines.on_train_epoch_end(SimpleNamespace(progress_bar_callback=None), None)
    best.history[0]["best"] = False
    lines.on_train_epoch_end(SimpleNamespace(progress_bar_callback=None), None)
    line = "epoch 2/3  loss 0.2500  dev score 0.5000  1.0 s"
    assert capsys.readouterr().err == f"{line}  best\n{line}\n"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_in_a_terminal_a_bar_stands_under_the_lines_of_epochs(tmp_path, monkeypatch, capsys):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["fit", str(recipe(tmp_path)), "--out", str(tmp_path / "run")]) == 0
    shown = re.split(r"[\r\n]+", screen.getvalue())
    assert [line[:9] for line in shown if line.startswith("epoch ")] == ["epoch 1/2", "epoch 2/2"]
    assert any(re.match(r"Epoch 0: .* 8/8 ", line) for line in shown)
    assert any(line.startswith("Validation") for line in shown)
    assert "Epoch 0" not in capsys.readouterr().out


@pytest.mark.parametrize(("size", "room"), [(10, 0), (10, 500), (100_000, 500), (100_000, 20_000)])
def test_a_checkpoint_says_what_the_disk_lacks(size, room, tmp_path):
    """Torch spoke of an iostream, or of an unexpected position, and the disk was not told."""
    with full_disk(room), pytest.raises(OSError, match="File too large") as told:
        SafeCheckpointIO().save_checkpoint({"w": torch.zeros(size)}, tmp_path / "resume.ckpt")
    assert told.value.filename == str(tmp_path / "resume.ckpt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [[1, 2], torch.zeros(2), {"state_dict": {}, "epoch": 1}])
def test_what_is_no_checkpoint_is_refused(content, tmp_path):
    torch.save(content, tmp_path / "resume.ckpt")
    with pytest.raises(InputError, match=r"resume\.ckpt: not a checkpoint of dglsent \(no \w+\); delete it"):
        SafeCheckpointIO().load_checkpoint(tmp_path / "resume.ckpt")


def test_all_random_generators_go_on_from_what_was_saved():
    def drawn():
        return random.random(), np.random.rand(), torch.rand(1).item()

    states = RandomStates(seed=1)
    saved = states.state_dict()
    wanted = drawn()
    states.load_state_dict(saved)
    assert all(one != other for one, other in zip(drawn(), wanted, strict=True))
    states.on_train_start(None, None)
    assert drawn() == wanted


def test_a_helper_draws_by_seed_epoch_and_rank_and_the_first_process_goes_on():
    def drawn(seed, epoch, rank):
        RandomStates(seed).on_train_epoch_start(SimpleNamespace(current_epoch=epoch, global_rank=rank), None)
        return random.random(), np.random.rand(), torch.rand(1).item()

    places = [(1, 0, 1), (2, 0, 1), (1, 1, 1), (1, 0, 2)]
    found = [drawn(*place) for place in places]
    assert len(set(found)) == len(places)
    assert [drawn(*place) for place in places] == found
    assert drawn(1, 0, 0) != drawn(1, 0, 0)
