"""Multiple-choice questions, answered through pairs of a hypothesis and a sentence of evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from torch import Tensor

from dglsent.passing import Batch
from dglsent.tasks.pair_classification import PairClassification
from dglsent.tasks.task import DIGITS


class QuestionAnswering(PairClassification):
    """Pairs are classified as true or false; a question is answered by its most probable hypothesis.

    A hypothesis has the mean probability of "true" over its evidence; of equal hypotheses the first answers. Where
    most pairs are false accuracy by pair says little: read it beside `majority`, which is what one constant answer
    scores, and `balanced_accuracy`.

    Args:
        size: dimensions of a sentence vector.
        hidden: dimensions of the hidden layer of the head.
        nonlinearity: of that layer, "sigmoid" or "relu".
        dropout: share of that layer dropped in training.
        binary_head: "softmax_ce", or "sigmoid2_bce" for two sigmoids, as in `PairClassification`.

    Raises:
        InputError: an option is none of its choices, a size is no whole number from 1, or `dropout` is no share.
    """

    def __init__(
        self,
        size: int,
        hidden: int = 50,
        nonlinearity: Literal["sigmoid", "relu"] = "sigmoid",
        dropout: float = 0.0,
        binary_head: Literal["softmax_ce", "sigmoid2_bce"] = "softmax_ce",
    ) -> None:
        super().__init__(size, 2, hidden, nonlinearity, dropout, "label", binary_head)
        number = np.dtype(np.int64)
        self.targets = {"label": number, "question": number, "hypothesis": number}  # type: ignore[misc]
        self.score_names = (*self.score_names, "balanced_accuracy", "majority", "question_accuracy")

    def outcomes(self, batch: Batch, states: Tensor, vectors: Tensor) -> dict[str, Tensor]:
        """Predicted and gold class of each pair, its probability of "true", its question and its hypothesis."""
        found = super().outcomes(batch, states, vectors)
        numbers = {name: batch.targets[name] for name in ("question", "hypothesis")}
        return {**found, "probability": self.probabilities(vectors)[:, 1], **numbers}

    def scores(self, outcomes: Mapping[str, Tensor]) -> dict[str, float]:
        """Scores of pairs, with the mean of the classes' recalls; and the share of questions answered rightly.

        A question without a true hypothesis counts as answered wrongly.
        """
        of_pairs = super().scores(outcomes)
        found = {name: column.detach().cpu().numpy() for name, column in outcomes.items()}
        predicted, label = found["predicted"], found["label"]
        recalls = [(predicted[label == one] == one).mean() for one in np.unique(label)]
        extra = {
            "balanced_accuracy": np.mean(recalls),
            "majority": np.bincount(label).max() / len(label),
            "question_accuracy": question_accuracy(found["question"], found["hypothesis"], found["probability"], label),
        }
        return {**of_pairs, **{name: round(float(score), DIGITS) for name, score in extra.items()}}


def question_accuracy(
    question: np.ndarray, hypothesis: np.ndarray, probability: np.ndarray, label: np.ndarray
) -> float:
    """Share of questions of which the hypothesis with the highest mean probability is true.

    Args:
        question: [B] question of each pair.
        hypothesis: [B] hypothesis of each pair; no two questions share one.
        probability: [B] probability of "true".
        label: [B] 1 where the hypothesis is true.
    """
    _, first, place, count = np.unique(hypothesis, return_index=True, return_inverse=True, return_counts=True)
    mean = np.bincount(place, weights=probability) / count
    # By question, the most probable hypothesis before the others; lexsort leaves equal ones in order.
    order = np.lexsort((-mean, question[first]))
    asked, best = np.unique(question[first][order], return_index=True)
    return float(label[first][order][best].sum() / len(asked))
