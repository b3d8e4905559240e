"""How two sentence vectors are compared.

Tai, Socher, Manning 2015, eq. 15; eq. 5 of the tree-structured attentive encoder paper.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SimilarityHead(nn.Module):
    """h_x = l * r;  h_a = |l - r|;  h_s = sigmoid(W [h_x; h_a] + b);  logits = W_p dropout(h_s) + b_p.

    Args:
        size: dimensions d of a sentence vector.
        classes: number K of classes.
        hidden: dimensions of h_s.
        dropout: share of h_s dropped in training.
    """

    def __init__(self, size: int, classes: int, hidden: int = 50, dropout: float = 0.0) -> None:
        super().__init__()
        self.hidden = nn.Linear(2 * size, hidden)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Logits [B, K] of pairs of sentence vectors, each [B, d]."""
        compared = torch.cat([left * right, (left - right).abs()], -1)
        return self.output(self.dropout(torch.sigmoid(self.hidden(compared))))
