"""Scores of predicted classes, for tasks over sentences and over pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from dglsent.tasks.task import DIGITS, shares
from graphs.errors import InputError, check_whole, counted


def score_names(classes: int) -> tuple[str, ...]:
    """The names of the scores that `class_scores` gives."""
    return ("accuracy", "f1", "precision", "recall") if classes == 2 else ("accuracy",)


def class_scores(predicted: Tensor, label: Tensor, classes: int) -> dict[str, float]:
    """Accuracy, and with two classes F1, precision and recall of class 1 (0 where one is 0 / 0).

    Args:
        predicted: [B] predicted classes.
        label: [B] gold classes.
        classes: number of classes, from 2: of one there is nothing to score.

    Raises:
        InputError: there are fewer, or a gold class is none of them.
    """
    from torchmetrics.functional.classification import (
        binary_f1_score,
        binary_precision,
        binary_recall,
        multiclass_accuracy,
    )

    check_whole(2, classes=classes)
    wrong = label[(label < 0) | (label >= classes)]
    if len(wrong):
        raise InputError(
            f"class {int(wrong[0])} is to be scored, and there are those from 0 to {classes - 1}; "
            "leave such examples out"
        )
    scores = {"accuracy": multiclass_accuracy(predicted, label, num_classes=classes, average="micro")}
    if classes == 2:
        scores["f1"] = binary_f1_score(predicted, label)
        scores["precision"] = binary_precision(predicted, label)
        scores["recall"] = binary_recall(predicted, label)
    return {name: round(float(score), DIGITS) for name, score in scores.items()}


def chosen(probabilities: Tensor, names: Sequence[str]) -> list[dict[str, Any]]:
    """The most probable class of each row [B, K] by name, as `label`, and the `probabilities` of all.

    Raises:
        InputError: there are not K names.
    """
    if len(names) != probabilities.shape[-1]:
        raise InputError(f"{counted(len(names), 'name')} for {probabilities.shape[-1]} classes; give one a class")
    best, rows = probabilities.argmax(-1).tolist(), probabilities.tolist()
    return [{"label": names[top], "probabilities": shares(names, row)} for top, row in zip(best, rows, strict=True)]
