"""Classification of pairs of sentences: paraphrase, duplicate questions, entailment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dglsent.passing import Batch
from dglsent.tasks.class_scores import chosen, class_scores, score_names
from dglsent.tasks.cross_entropy import cross_entropy, require_classes
from dglsent.tasks.similarity import Features, SimilarityHead
from dglsent.tasks.task import Task
from graphs.errors import check_choice
from graphs.fields import NO_LABEL


class PairClassification(Task):
    """Classifies pairs of sentences, by softmax(head(left, right)) over K classes, learnt by cross-entropy.

    Args:
        size: dimensions of a sentence vector.
        classes: number K of classes.
        hidden: dimensions of the hidden layer of the head.
        nonlinearity: "sigmoid" (Tai et al. 2015; the papers on attentive and progressively attentive trees) or
            "relu" (the tag-guided hypernetwork paper) of that layer.
        dropout: share of that layer dropped in training.
        target: which gold value is the class; "entailment" is SICK's judgment.
        binary_head: with two classes, "sigmoid2_bce" learns two sigmoids by the mean of their binary
            cross-entropies against the one-hot class, as the released code of the attentive tree paper does.
        features: what the head sees of two sentence vectors l and r: "product_difference" [l * r; |l - r|], or "all"
            [l; r; |l - r|; l * r].

    Raises:
        ValueError: "sigmoid2_bce" with other than two classes.
        InputError: an option is none of its choices, a size is no whole number from 1, or `dropout` is no share.
    """

    sentences: ClassVar[int] = 2

    def __init__(
        self,
        size: int,
        classes: int,
        hidden: int = 50,
        nonlinearity: Literal["sigmoid", "relu"] = "sigmoid",
        dropout: float = 0.0,
        target: Literal["label", "entailment"] = "label",
        binary_head: Literal["softmax_ce", "sigmoid2_bce"] = "softmax_ce",
        features: Features = "product_difference",
    ) -> None:
        super().__init__()
        check_choice("target", target, ("label", "entailment"))
        check_choice("binary_head", binary_head, ("softmax_ce", "sigmoid2_bce"))
        if binary_head == "sigmoid2_bce" and classes != 2:
            raise ValueError(f"binary_head sigmoid2_bce is for two classes, not {classes}")
        self.classes, self.target, self.binary_head = classes, target, binary_head
        self.targets = {target: np.dtype(np.int64)}  # type: ignore[misc]  # a class variable of other tasks
        self.head = SimilarityHead(size, classes, hidden, dropout, nonlinearity, features)
        self.monitor = "accuracy"
        self.score_names = score_names(classes)

    def loss(self, batch: Batch, states: Tensor, vectors: Tensor) -> Tensor:
        """Cross-entropy, mean over pairs; one without a class adds nothing."""
        logits, label = self._logits(vectors), batch.targets[self.target]
        if self.binary_head == "softmax_ce":
            return cross_entropy(logits, label) / len(label)
        require_classes(logits, label)
        one_hot = torch.stack([label == 0, label == 1], 1).to(logits.dtype)
        learnt = (label != NO_LABEL).unsqueeze(1).to(logits.dtype)
        return F.binary_cross_entropy_with_logits(logits, one_hot, weight=learnt)

    def outcomes(self, batch: Batch, states: Tensor, vectors: Tensor) -> dict[str, Tensor]:
        """Predicted and gold class of each pair."""
        return {"predicted": self._logits(vectors).argmax(-1), "label": batch.targets[self.target]}

    def scores(self, outcomes: Mapping[str, Tensor]) -> dict[str, float]:
        """Accuracy, and with two classes F1, precision and recall of class 1 (0 where one is 0 / 0)."""
        return class_scores(outcomes["predicted"], outcomes["label"], self.classes)

    def predict(self, batch: Batch, states: Tensor, vectors: Tensor, labels: Sequence[str]) -> list[dict[str, Any]]:
        """Label and probabilities of each pair."""
        names = list(labels) or [str(number) for number in range(self.classes)]
        return chosen(self.probabilities(vectors), names)

    def probabilities(self, vectors: Tensor) -> Tensor:
        """[B, K] in float64 of sentence vectors [2 B, size]; two sigmoids are scaled to sum to 1."""
        logits = self._logits(vectors).double()
        if self.binary_head == "softmax_ce":
            return logits.softmax(-1)
        return F.logsigmoid(logits).softmax(-1)  # not the quotient: of small sigmoids it is 0 / 0

    def _logits(self, vectors: Tensor) -> Tensor:
        logits: Tensor = self.head(vectors[0::2], vectors[1::2])
        return logits
