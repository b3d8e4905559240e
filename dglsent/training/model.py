"""A sentence model: an encoder and the task for which it is trained."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.passing import Batch
from dglsent.tasks.task import Task
from dglsent.training.data import Examples, loader
from graphs.errors import InputError


class SentenceModel(nn.Module):
    """Encoder and task as one module: what a run trains and saves.

    Args:
        encoder: states and sentence vectors.
        task: loss, scores and predictions.
    """

    def __init__(self, encoder: Encoder, task: Task) -> None:
        super().__init__()
        self.encoder, self.task = encoder, task

    def forward(self, batch: Batch) -> tuple[Batch, Tensor, Tensor]:
        """The batch with its states [N, size] and sentence vectors [B, size]."""
        states = self.encoder.encode(batch)
        return batch, states, self.encoder.readout(batch, states)

    def loss(self, batch: Batch) -> Tensor:
        """Mean loss of the examples of a batch."""
        return self.task.loss(*self(batch))

    def outcomes(self, batch: Batch) -> dict[str, Tensor]:
        """What the task scores, each [B, ...].

        Raises:
            InputError: a column has another length, such as that of the tokens.
        """
        outcomes = self.task.outcomes(*self(batch))
        examples = batch.size // 2 if batch.pairs else batch.size
        for name, column in outcomes.items():
            if len(column) != examples:
                raise InputError(
                    f"task {type(self.task).__name__}: its outcomes {name!r} are {len(column)} of {examples} examples; "
                    "give a row an example, such as the sum over its tokens and, beside it, how many there are"
                )
        return outcomes

    @torch.inference_mode()
    def infer(self, batch: Batch, labels: Sequence[str]) -> tuple[Batch, Tensor, Tensor, list[dict[str, Any]]]:
        """What `forward` gives, without history, and what the task predicts for each example."""
        self.eval()
        batch, states, vectors = self(batch)
        return batch, states, vectors, self.task.predict(batch, states, vectors, labels)

    def predict(self, batch: Batch, labels: Sequence[str]) -> list[dict[str, Any]]:
        """What the task predicts for each example."""
        return self.infer(batch, labels)[-1]

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device


def gather(outcomes: Iterable[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The outcomes of several batches as one, on the CPU."""
    parts = list(outcomes)
    return {name: torch.cat([part[name] for part in parts]).cpu() for name in parts[0]}


@torch.inference_mode()
def evaluate(model: SentenceModel, data: Examples) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Scores of a model.

    Args:
        model: the model, left in evaluation mode.
        data: examples with gold values.

    Returns:
        Scores of all examples, and those of each group apart with their `count`.
    """
    model.eval()
    batches = loader(data, 128, model.encoder.directions, model.encoder.relations)
    outcomes = gather(model.outcomes(batch.to(model.device)) for batch in batches)
    groups = {
        name: {
            **model.task.scores({key: value[index] for key, value in outcomes.items()}),
            "count": len(index),
        }
        for name, index in data.by_group().items()
    }
    return model.task.scores(outcomes), groups
