"""Cross-entropy of classes, and one line on what classes cannot be learnt."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from graphs.errors import InputError
from graphs.fields import NO_LABEL


def cross_entropy(logits: Tensor, label: Tensor, hint: str = "") -> Tensor:
    """Cross-entropy summed over n examples, of which those whose class is NO_LABEL are left out.

    Args:
        logits: [n, K] scores of K classes.
        label: [n] gold classes.
        hint: what to do about a class from K on.

    Raises:
        InputError: there is such a class; on a GPU, which does not wait to say so, it is torch's own error. Or there
            are not n classes, in int64.
    """
    try:
        return F.cross_entropy(logits, label, ignore_index=NO_LABEL, reduction="sum")
    except (IndexError, RuntimeError, ValueError):
        require_classes(logits, label, hint)
        raise


def require_classes(logits: Tensor, label: Tensor, hint: str = "") -> None:
    """Says what is wrong with classes that torch has refused; beforehand, it would wait for the device.

    Args:
        logits: [..., K] scores of K classes.
        label: [...] gold classes, NO_LABEL where there is none.
        hint: what to do about a class from K on.

    Raises:
        InputError: they are of another shape or type, or, as far as they are on the CPU, there is such a class.
    """
    *shape, classes = logits.shape
    if [*label.shape] != shape:
        raise InputError(
            f"classes are of the shape {[*label.shape]}, and scores of {[*shape, classes]}; give {shape}"
        ) from None
    if label.dtype != torch.int64:
        raise InputError(f"classes are {label.dtype}; give torch.int64, as label.long()") from None
    wrong = label[(label != NO_LABEL) & ((label < 0) | (label >= classes))] if label.device.type == "cpu" else label[:0]
    if len(wrong):
        raise InputError(
            f"class {int(wrong[0])} is to be learnt, and the task has those from 0 to {classes - 1}; "
            f"{hint or 'give it as many as there are'}"
        ) from None
