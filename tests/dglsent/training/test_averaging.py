from __future__ import annotations

import copy
import json
import logging
import math

import lightning.pytorch as lightning
import pytest
import torch
from lightning.pytorch.callbacks import Callback
from tiny import TINY, recipe
from torch import nn
from torch.utils.data import DataLoader

from dglsent.training.averaging import Averaging
from dglsent.training.data import graph_set
from dglsent.training.fit import evaluate
from dglsent.training.recipe import TrainingOptions
from dglsent.training.run import Run

EPOCHS, STEPS = 4, 3


class Walk(lightning.LightningModule):
    """A weight that a step moves by the batch, and a fixed one; remembers it after steps and while dev is scored."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(2))
        self.fixed = nn.Parameter(torch.ones(1), requires_grad=False)
        self.steps, self.scored = [], []

    def training_step(self, batch, index):
        return (self.weight * batch.square().mean()).sum()

    def on_train_batch_end(self, outputs, batch, index):
        self.steps.append(self.weight.detach().clone())

    def validation_step(self, batch, index):
        self.scored.append(self.weight.detach().clone())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=1.0)


class SavedAtTheEnd(Callback):
    """Takes the weight when a run folder would."""

    def __init__(self, averaging):
        self.averaging, self.saved = averaging, []

    def on_train_epoch_end(self, trainer, module):
        before = module.weight.detach().clone()
        with self.averaging.in_place():
            self.saved.append(module.weight.detach().clone())
        assert torch.equal(module.weight, before)


def walk(average):
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    module, averaging = Walk(), Averaging(average, EPOCHS)
    saving = SavedAtTheEnd(averaging)
    trainer = lightning.Trainer(
        accelerator="cpu",
        max_epochs=EPOCHS,
        callbacks=[averaging, saving],
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        num_sanity_val_steps=0,
    )
    batches = [torch.full((2,), float(number)) for number in range(1, STEPS + 1)]
    trainer.fit(module, *(DataLoader(part, batch_size=None) for part in (batches, batches[:1])))
    for scored, saved in zip(module.scored, saving.saved, strict=True):
        assert torch.equal(scored, saved)
    return module


def test_the_last_epochs_are_averaged():
    module = walk(2)
    ends = module.steps[STEPS - 1 :: STEPS]
    wanted = [ends[0], ends[1], ends[2], (ends[2] + ends[3]) / 2]
    torch.testing.assert_close(module.scored, wanted)
    alone = walk(1)
    torch.testing.assert_close(alone.scored, alone.steps[STEPS - 1 :: STEPS])


def test_a_moving_average_of_all_steps():
    module = walk(0.75)
    average = module.steps[0]
    wanted = []
    for number, weight in enumerate(module.steps):
        average = 0.75 * average + 0.25 * weight
        if number % STEPS == STEPS - 1:
            wanted.append(average)
    torch.testing.assert_close(module.scored, wanted)


def test_an_average_goes_on_from_a_checkpoint():
    def step(averaging, module):
        module.weight.data += 1
        averaging.on_train_batch_end(None, module, None, None, 0)

    module, averaging = Walk(), Averaging(0.75, EPOCHS)
    averaging.on_train_start(None, module)
    for _ in range(3):
        step(averaging, module)
    again, going_on = Walk(), Averaging(0.75, EPOCHS)
    again.load_state_dict(module.state_dict())
    going_on.load_state_dict(copy.deepcopy(averaging.state_dict()))
    going_on.on_train_start(None, again)
    for one, other in ((averaging, module), (going_on, again)):
        step(one, other)
    with averaging.in_place(), going_on.in_place():
        assert torch.equal(module.weight, again.weight)
        assert not torch.equal(module.weight, torch.full((2,), 4.0))


def test_weights_are_put_back_where_saving_fails():
    module, averaging = Walk(), Averaging(0.75, EPOCHS)
    averaging.on_train_start(None, module)
    averaging.on_train_batch_end(None, module, None, None, 0)
    module.weight.data += 1
    with pytest.raises(OSError, match="full"), averaging.in_place():
        raise OSError("full")
    assert module.weight.tolist() == [1, 1]


def test_weights_of_a_run_are_those_that_dev_scored(tmp_path, program):
    file = recipe(tmp_path, TINY)
    assert program("fit", file, "--out", tmp_path / "run", "--training.average", "0.9")[0] == 0
    program("fit", file, "--out", tmp_path / "plain")
    found, plain = (json.loads((tmp_path / name / "metrics.json").read_text()) for name in ("run", "plain"))
    assert [epoch["loss"] for epoch in found["history"]] == [epoch["loss"] for epoch in plain["history"]]
    options, vocabularies, model = Run(tmp_path / "run").load()
    task = model.task
    dev = graph_set(options.corpus.load()["dev"], "constituency", vocabularies, task.sentences, task.targets)
    assert evaluate(model, dev)[0] == found["dev"]


@pytest.mark.parametrize(
    ("options", "saying"),
    [
        (["--training.average", "1.5"], "training.average"),
        (["--training.average", "0"], "training.average"),
        (["--training.average", "3"], "more than training.epochs"),
        (["--training.average", "2", "--training.patience", "1"], "training.patience"),
    ],
)
def test_averages_that_cannot_be(options, saying, tmp_path, program):
    program.refuses("fit", recipe(tmp_path, TINY), "--out", tmp_path / "run", *options, saying=[saying])


@pytest.mark.parametrize("average", [math.inf, math.nan])
def test_an_average_over_no_number_of_epochs(average):
    with pytest.raises(ValueError, match="neither a decay between 0 and 1 nor a number of last epochs"):
        TrainingOptions(average=average)
