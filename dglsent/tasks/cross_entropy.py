"""Cross-entropy of classes, and what is said of a class that is none of them."""

from __future__ import annotations

from typing import Literal

from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from graphs.errors import InputError
from graphs.fields import NO_LABEL


def cross_entropy(logits: Tensor, label: Tensor, reduction: Literal["mean", "sum"] = "sum", hint: str = "") -> Tensor:
    """Cross-entropy of n examples, of which those whose class is NO_LABEL are left out.

    Args:
        logits: [n, K] scores of K classes.
        label: [n] gold classes.
        reduction: whether it is summed over the examples, or their mean is taken.
        hint: what to do about a class from K on.

    Raises:
        InputError: there is such a class; on a GPU, which does not wait to say so, it is torch's own error.
    """
    try:
        return F.cross_entropy(logits, label, ignore_index=NO_LABEL, reduction=reduction)
    except IndexError:
        classes = logits.shape[-1]
        wrong = label[(label != NO_LABEL) & ((label < 0) | (label >= classes))]
        raise InputError(
            f"class {int(wrong[0])} is to be learnt, and the task has those from 0 to {classes - 1}; "
            f"{hint or 'give it as many as there are'}"
        ) from None
