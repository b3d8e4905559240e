"""How a composition function starts: near the mean of the children."""

from __future__ import annotations

import torch
from torch import Tensor


def start_near_mean(weight: Tensor) -> None:
    """Adds [I I] / 2 to a map of [h_l; h_r], so that a phrase at first is about the mean of its children.

    Drawn around 0 alone, such maps lose the words within a few phrases. The code of Bowman et al. 2015 ("Recursive
    Neural Networks Can Learn Logical Semantics") starts its RecNN and RNTN so.

    Args:
        weight: [k h, 2 h], of k maps one after another; changed in place.
    """
    rows, columns = weight.shape
    size = columns // 2
    with torch.no_grad():
        weight.add_(torch.eye(size).repeat(rows // size, 2) / 2)
