"""What every task offers: a loss to train with, outcomes that can be scored, and predictions to show."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from torch import Tensor, nn

from dglsent.passing import Batch
from graphs.errors import check_size

Targets: TypeAlias = Mapping[str, np.dtype[Any]]

DIGITS = 6  # of numbers that come from float32


class Task(nn.Module):
    """Head, loss and scores over the states of an encoder.

    Attributes:
        sentences: how many sentences an example has.
        targets: what it needs of an example, by name; found in `batch.targets`, each [B].
        token_labels: whether it needs gold classes of tokens; found in the node field `label`.
        monitor: the score by which the best epoch is chosen.
        score_names: the scores that it has.
        errors: those of them of which a lower one is better.
    """

    sentences: ClassVar[int] = 1
    targets: ClassVar[Targets] = {}
    token_labels: ClassVar[bool] = False
    monitor: str
    score_names: tuple[str, ...]
    errors: ClassVar[frozenset[str]] = frozenset()

    @property
    def mode(self) -> Literal["max", "min"]:
        """Whether a higher or a lower `monitor` is better."""
        return "min" if self.monitor in self.errors else "max"

    def loss(self, batch: Batch, states: Tensor, vectors: Tensor) -> Tensor:
        """Mean loss of B examples.

        Args:
            batch: the sentences; those of pair k are sentences 2 k and 2 k + 1.
            states: [N, size] states of all nodes.
            vectors: [B, size] sentence vectors, [2 B, size] for pairs.
        """
        raise NotImplementedError

    def outcomes(self, batch: Batch, states: Tensor, vectors: Tensor) -> dict[str, Tensor]:
        """What `scores` needs of B examples, each [B]: predictions and gold values."""
        raise NotImplementedError

    def scores(self, outcomes: Mapping[str, Tensor]) -> dict[str, float]:
        """Scores of examples by name, from their outcomes."""
        raise NotImplementedError

    def predict(self, batch: Batch, states: Tensor, vectors: Tensor, labels: Sequence[str]) -> list[dict[str, Any]]:
        """What is predicted for each of B examples, as values for JSON.

        Args:
            batch: as in `loss`, without targets.
            states: as in `loss`.
            vectors: as in `loss`.
            labels: names of the classes; their numbers stand in where there are none.
        """
        raise NotImplementedError


def check_states(states: Tensor, size: int) -> None:
    """Refuse states [..., d], or sentence vectors, of another size than a task was made for.

    Raises:
        InputError: they are.
    """
    check_size("the states", states.shape[-1], size, "make the task with the encoder's size, that of what it returns")


def shares(names: Sequence[str], row: Sequence[float]) -> dict[str, float]:
    """Probabilities by name, as JSON shows them."""
    return {name: round(value, DIGITS) for name, value in zip(names, row, strict=True)}


def no_gold(wanted: str, there: Collection[str]) -> str:
    """Which gold value of a task examples do not have, which they have, and what to do."""
    known = f", and has {' and '.join(map(repr, there))}" if there else ""
    return f"no gold {wanted!r}{known}; choose a --task that fits the corpus"
