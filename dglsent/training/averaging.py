"""Averages of weights over training, which dev scores and the run folder keeps in place of the weights themselves.

Over epochs: Izmailov et al. 2018, "Averaging Weights Leads to Wider Optima and Better Generalization".
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import lightning.pytorch as lightning
import torch
from lightning.pytorch.callbacks import Callback
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn, get_swa_multi_avg_fn


class Averaging(Callback):
    """Puts the average of the trained weights in their place while the dev split is scored or weights are saved.

    Training itself goes on with the weights. Before the first epoch that counts, there is no average.

    Args:
        average: below 1 the decay of an exponential moving average over all steps; else over how many of the last
            epochs the weights at the end are averaged.
        epochs: epochs of the whole training.
    """

    def __init__(self, average: float, epochs: int) -> None:
        self._of_steps = average < 1
        self._first_epoch = 0 if self._of_steps else epochs - int(average)
        self._rule = get_ema_multi_avg_fn(average) if self._of_steps else get_swa_multi_avg_fn()
        self._saved: dict[str, Any] = {}
        self._weights = nn.ParameterList()
        self._average: AveragedModel | None = None

    def on_train_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Begin, or go on where a checkpoint stopped; the weights are on their device by now."""
        self._weights = nn.ParameterList(weight for weight in pl_module.parameters() if weight.requires_grad)
        self._average = AveragedModel(self._weights, multi_avg_fn=self._rule)
        if self._saved:
            self._average.load_state_dict(self._saved)

    def on_train_batch_end(
        self, trainer: lightning.Trainer, pl_module: lightning.LightningModule, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Count the weights after a step, or after the last step of an epoch."""
        if self._average is not None and self._counts(trainer):
            self._average.update_parameters(self._weights)

    def _counts(self, trainer: lightning.Trainer) -> bool:
        return self._of_steps or (trainer.is_last_batch and trainer.current_epoch >= self._first_epoch)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within it the model has the averaged weights, as soon as there are any."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    def on_validation_epoch_start(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Score the averaged weights."""
        self._swap()

    def on_validation_epoch_end(self, trainer: lightning.Trainer, pl_module: lightning.LightningModule) -> None:
        """Train on with the others."""
        self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        if self._average is None or not self._average.n_averaged:
            return
        for weight, averaged in zip(self._weights, self._average.module.parameters(), strict=True):
            kept: Tensor = weight.clone()
            weight.copy_(averaged)
            averaged.copy_(kept)

    def state_dict(self) -> dict[str, Any]:
        """The average so far, as tensors."""
        return {} if self._average is None else dict(self._average.state_dict())

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Keep the average of a checkpoint until training starts."""
        self._saved = state_dict
