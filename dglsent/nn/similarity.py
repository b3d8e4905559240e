"""How two sentence vectors are compared.

Tai, Socher, Manning 2015, eq. 15; eq. 5 of the tree-structured attentive encoder paper.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn


class SimilarityHead(nn.Module):
    """h_x = l * r;  h_a = |l - r|;  h_s = sigmoid(W [h_x; h_a] + b);  logits = W_p dropout(h_s) + b_p.

    Args:
        size: dimensions d of a sentence vector.
        classes: number K of classes.
        hidden: dimensions of h_s.
        dropout: share of h_s dropped in training.
        nonlinearity: "sigmoid", or "relu" in its place, as the tag-guided hypernetwork paper has it.
    """

    def __init__(
        self,
        size: int,
        classes: int,
        hidden: int = 50,
        dropout: float = 0.0,
        nonlinearity: Literal["sigmoid", "relu"] = "sigmoid",
    ) -> None:
        super().__init__()
        if nonlinearity not in ("sigmoid", "relu"):
            raise ValueError(f"nonlinearity {nonlinearity!r}; choose sigmoid or relu")
        self.nonlinearity = torch.sigmoid if nonlinearity == "sigmoid" else torch.relu
        self.hidden = nn.Linear(2 * size, hidden)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Logits [B, K] of pairs of sentence vectors, each [B, d]."""
        compared = torch.cat([left * right, (left - right).abs()], -1)
        return self.output(self.dropout(self.nonlinearity(self.hidden(compared))))
