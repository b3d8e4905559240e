"""Relatedness of two sentences on a scale, learnt as a distribution over its whole numbers.

Tai, Socher, Manning 2015, section 4.2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dglsent.passing import Batch
from dglsent.tasks.similarity import SimilarityHead
from dglsent.tasks.task import DIGITS, Targets, Task, shares
from graphs.errors import InputError, check_choice


class Relatedness(Task):
    """Scores how related two sentences are: sum_k r_k q_k with q = softmax(head) over the grades r = low .. high.

    Learnt is KL(p || q) of the target distribution p (`target_distribution`).

    Args:
        size: dimensions of a sentence vector.
        low: lowest score, a whole number.
        high: highest score, above it.
        hidden: dimensions of the hidden layer of the head.
        dropout: share of that layer dropped in training.
        kl_reduction: "batchmean" is the mean over pairs; "mean" divides by the number of grades too, as the
            released codes do.

    Raises:
        InputError: `kl_reduction` is neither, a size is no whole number from 1, or `dropout` is no share.
        ValueError: `low` is not below `high`, or one is no whole number.
    """

    sentences: ClassVar[int] = 2
    targets: ClassVar[Targets] = {"score": np.dtype(np.float64)}
    errors: ClassVar[frozenset[str]] = frozenset({"mse"})

    def __init__(
        self,
        size: int,
        low: int = 1,
        high: int = 5,
        hidden: int = 50,
        dropout: float = 0.0,
        kl_reduction: Literal["batchmean", "mean"] = "batchmean",
    ) -> None:
        super().__init__()
        check_choice("kl_reduction", kl_reduction, ("batchmean", "mean"))
        for name, grade in (("low", low), ("high", high)):
            if not isinstance(grade, Integral):
                raise ValueError(f"{name} is {grade!r}; give a whole number")
        if low >= high:
            raise ValueError(f"low {low} is not below high {high}")
        self.low, self.high, self.kl_reduction = low, high, kl_reduction
        self.head = SimilarityHead(size, high - low + 1, hidden, dropout)
        self.monitor = "pearson"
        self.score_names = ("pearson", "spearman", "mse")

    def loss(self, batch: Batch, states: Tensor, vectors: Tensor) -> Tensor:
        """KL divergence of the predicted from the target distribution.

        Raises:
            InputError: there is not one score a pair, which would be spread over the pairs.
        """
        logits, score = self.head(vectors[0::2], vectors[1::2]), batch.targets["score"]
        if score.shape != logits.shape[:1]:
            raise InputError(f"scores are of the shape {[*score.shape]}; give one a pair, [{len(logits)}]")
        wanted = target_distribution(score, self.low, self.high).to(logits.dtype)
        divergence = F.kl_div(F.log_softmax(logits, -1), wanted, reduction="batchmean")
        return divergence / logits.shape[-1] if self.kl_reduction == "mean" else divergence

    def outcomes(self, batch: Batch, states: Tensor, vectors: Tensor) -> dict[str, Tensor]:
        """Predicted and gold score of each pair, in float64."""
        return {"predicted": self._score(vectors)[0], "score": batch.targets["score"]}

    def scores(self, outcomes: Mapping[str, Tensor]) -> dict[str, float]:
        """Pearson's r, Spearman's rho and the mean squared error.

        Both r and rho are nan where a column is constant or a prediction is nan.
        """
        from torchmetrics.functional.regression import mean_squared_error, pearson_corrcoef

        predicted, score = outcomes["predicted"].double(), outcomes["score"].double()
        scores = {"pearson": math.nan, "spearman": math.nan}
        constant = (predicted == predicted[0]).all() or (score == score[0]).all()
        if not constant and not predicted.isnan().any():  # ranks of nan would be numbers
            scores = {
                "pearson": float(pearson_corrcoef(predicted, score)),
                "spearman": float(pearson_corrcoef(average_ranks(predicted), average_ranks(score))),
            }
        return {**scores, "mse": float(mean_squared_error(predicted, score))}

    def predict(self, batch: Batch, states: Tensor, vectors: Tensor, labels: Sequence[str]) -> list[dict[str, Any]]:
        """Score and probabilities of each pair."""
        score, probabilities = self._score(vectors)
        names = [str(number) for number in range(self.low, self.high + 1)]
        return [
            {"score": round(value, DIGITS), "probabilities": shares(names, row)}
            for value, row in zip(score.tolist(), probabilities.tolist(), strict=True)
        ]

    def _score(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """Expected score [B] and probabilities [B, K], in float64."""
        probabilities = self.head(vectors[0::2], vectors[1::2]).double().softmax(-1)
        scale = torch.arange(self.low, self.high + 1, dtype=torch.float64, device=probabilities.device)
        return probabilities @ scale, probabilities


def target_distribution(score: Tensor, low: int, high: int) -> Tensor:
    """Distributions p over low .. high with sum_k k p_k = score, on the two whole numbers next to each score.

    Args:
        score: [B] scores in float64; those outside low .. high count as the nearest end.
        low: lowest score.
        high: highest score.

    Returns:
        [B, high - low + 1] in float64.
    """
    # Rounded, so that 4.0 stored as 3.9999998 does not split.
    place = ((score.double() * 1e4).round() / 1e4).clamp(low, high) - low
    floor = place.floor()
    above = place - floor
    wanted = torch.zeros(len(score), high - low + 1, dtype=torch.float64, device=score.device)
    index = floor.long().unsqueeze(1)
    wanted.scatter_(1, index, (1 - above).unsqueeze(1))
    # At the upper end there is no next number, and nothing to put there.
    return wanted.scatter_add_(1, (index + 1).clamp(max=high - low), above.unsqueeze(1))


def average_ranks(values: Tensor) -> Tensor:
    """[B] ranks from 1 in float64; equal values share the mean of their ranks."""
    # Not spearman_corrcoef of torchmetrics: it ranks in single precision and adds 1e-6 to what it divides by.
    _, place, counts = values.unique(return_inverse=True, return_counts=True)
    last = counts.cumsum(0).double()
    return (last - (counts - 1) / 2)[place]
