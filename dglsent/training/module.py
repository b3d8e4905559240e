"""A sentence model as Lightning trains it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import lightning.pytorch as lightning
import torch
from torch import Tensor, distributed
from torch.optim import Optimizer

from dglsent.passing import Batch
from dglsent.passing.precision import is_mixed
from dglsent.training.model import SentenceModel, gather
from dglsent.training.optimisers import DenseGradient, clip_gradients, optimiser, takes_sparse
from dglsent.training.order import EpochSampler, Parts
from dglsent.training.recipe import OptimiserOptions
from graphs.errors import InputError


class Training(lightning.LightningModule):
    """Losses over batches, dev scores after each epoch.

    Logs `loss` (mean over the steps of an epoch) and the scores of the dev split as `dev_<name>`.

    Args:
        model: what is trained.
        options: its optimiser.
        train: which examples of each batch of the training split are this process's.
        dev: the same of the dev split.
    """

    def __init__(self, model: SentenceModel, options: OptimiserOptions, train: Parts, dev: Parts) -> None:
        super().__init__()
        self.model, self.options, self._train, self._dev = model, options, train, dev
        self._losses: list[Tensor] = []
        self._outcomes: list[dict[str, Tensor]] = []
        self._make_dense = None if takes_sparse(options) else DenseGradient()
        self._constant = frozenset(name for name, weight in self.named_parameters() if not weight.requires_grad)

    def configure_optimizers(self) -> Optimizer:
        """One optimiser with two groups."""
        return optimiser(self.model, self.model.encoder.embedding.weight, self.options)

    def on_train_batch_start(self, batch: Batch, batch_idx: int) -> None:
        """Make sure that the epoch runs in an order of its own; in that of another it would learn less unseen.

        Raises:
            RuntimeError: Lightning did not tell the sampler the epoch.
        """
        if batch_idx:
            return
        order, here = self._train.sampler, f"epoch {self.current_epoch + 1} would run in"
        if not isinstance(order, EpochSampler):
            raise RuntimeError(f"{here} an order that nothing shuffles; a loader for training wants a seed")
        if order.drawn != self.current_epoch:
            drawn = "no order at all" if order.drawn is None else f"the order of epoch {order.drawn + 1}"
            raise RuntimeError(f"{here} {drawn}; does Lightning still find `Parts.sampler`?")

    def training_step(self, batch: Batch, index: int) -> Tensor:
        """The loss of a batch; of several processes', the one whose mean over them is the loss of the whole batch."""
        batch, states, vectors = self.model(batch)
        with self._full_precision():
            loss = self.model.task.loss(batch, states.float(), vectors.float())
        share = self._train.share(index)
        if share != 1:
            loss = loss * share
        self._losses.append(loss.detach())
        return loss

    def on_before_optimizer_step(self, optimizer: Optimizer) -> None:
        """Give the optimiser the gradient that it takes."""
        if self._make_dense is not None:
            self._make_dense(self.model.encoder.embedding.weight)

    def configure_gradient_clipping(
        self, optimizer: Optimizer, gradient_clip_val: float | None = None, gradient_clip_algorithm: str | None = None
    ) -> None:
        """Shorten the gradient where the recipe says how long it may be."""
        if gradient_clip_val is not None:
            clip_gradients(self.parameters(), gradient_clip_val)

    def on_train_epoch_start(self) -> None:
        """Forget the losses of an epoch that was broken off."""
        self._losses = []

    def validation_step(self, batch: Batch, index: int) -> None:
        """Collect what is scored at the end."""
        with self._full_precision():  # scores are those that `dglsent test` finds
            outcomes = self.model.outcomes(batch)
        count = self._dev.count(index)
        self._outcomes.append({name: column[:count] for name, column in outcomes.items()})

    def on_validation_epoch_end(self) -> None:
        """Log the mean loss (once an epoch: a log in every step waits for the device) and score the dev split.

        Raises:
            InputError: the loss of a step is no finite number, or a weight is nan after the last one.
        """
        losses = torch.stack(self._losses).double()
        if self.trainer.world_size > 1:
            distributed.all_reduce(losses)
            losses /= self.trainer.world_size
        wrong = (~losses.isfinite()).nonzero()
        if len(wrong):
            step = int(wrong[0])
            what = f"epoch {self.current_epoch + 1}, step {step + 1}: the loss is {float(losses[step])}"
            if not self.current_epoch and not step:
                raise InputError(
                    f"{what}, before any weight has changed; look for numbers that are not finite in the examples and "
                    "their vectors, and in the model's functions"
                )
            raise InputError(
                f"{what}; training stops, and what the epochs before have made is kept; try a lower optimiser.lr"
            )
        weights = self.model.named_parameters()
        broken = [name for name, weight in weights if weight.requires_grad and weight.isnan().any()]
        if broken:  # classes of such a model are classes none the less, and could be the best
            raise InputError(
                f"epoch {self.current_epoch + 1}: {broken[0]} is nan after the last step; training stops, and what the "
                "epochs before have made is kept; try a lower optimiser.lr"
            )
        self.log("loss", losses.mean())
        scores = self.model.task.scores(gather(self._outcomes_of_all()))
        self._outcomes = []
        self.log_dict({f"dev_{name}": torch.tensor(score, dtype=torch.float64) for name, score in scores.items()})

    def _full_precision(self) -> AbstractContextManager[Any]:
        return torch.autocast(self.device.type, enabled=False) if is_mixed(self.device) else nullcontext()

    def _outcomes_of_all(self) -> list[dict[str, Tensor]]:
        """Outcomes of all processes, in the order of the examples."""
        if self.trainer.world_size == 1:
            return self._outcomes
        found: list[Any] = [None] * self.trainer.world_size
        own = [{name: column.cpu() for name, column in outcomes.items()} for outcomes in self._outcomes]
        distributed.all_gather_object(found, own)
        return [outcomes for batch in zip(*found, strict=True) for outcomes in batch]

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Leave out weights that never change; one that is frozen in the middle of training has changed."""
        for name, weight in self.named_parameters():
            if name in self._constant and not weight.requires_grad:
                del checkpoint["state_dict"][name]

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Put back weights that never change, and the epoch.

        Workers draw an order before Lightning tells the sampler which epoch it is.

        Raises:
            InputError: the checkpoint is one of another model.
        """
        if isinstance(self._train.sampler, EpochSampler):
            self._train.sampler.set_epoch(checkpoint["epoch"] + 1)
        saved = checkpoint["state_dict"]
        for name, weight in self.named_parameters():
            if not weight.requires_grad:
                saved.setdefault(name, weight.detach())
        shapes = {name: weight.shape for name, weight in self.state_dict().items()}
        if {name: weight.shape for name, weight in saved.items()} != shapes:
            raise InputError(f"{self.trainer.ckpt_path}: of another model; delete it to start the run again")
