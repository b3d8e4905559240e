"""How two sentence vectors are compared.

Tai, Socher, Manning 2015, eq. 15; eq. 5 of the tree-structured attentive encoder paper.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor, nn

from dglsent.tasks.task import check_states
from graphs.errors import InputError, check_choice, check_share, check_whole

Features: TypeAlias = Literal["product_difference", "all"]


class SimilarityHead(nn.Module):
    """Logits of K classes from two sentence vectors l and r, by their product and their distance.

        h_x = l * r;  h_a = |l - r|;  h_s = sigmoid(W [h_x; h_a] + b);  logits = W_p dropout(h_s) + b_p

    With all features, h_s = sigmoid(W [l; r; h_a; h_x] + b), which tells l from r.

    Args:
        size: dimensions d of a sentence vector.
        classes: number K of classes.
        hidden: dimensions of h_s.
        dropout: share of h_s dropped in training.
        nonlinearity: "sigmoid", or "relu" in its place, as the tag-guided hypernetwork paper has it.
        features: "product_difference" or "all".

    Raises:
        InputError: an option is none of its choices, a size is no whole number from 1, or `dropout` is no share.
    """

    def __init__(
        self,
        size: int,
        classes: int,
        hidden: int = 50,
        dropout: float = 0.0,
        nonlinearity: Literal["sigmoid", "relu"] = "sigmoid",
        features: Features = "product_difference",
    ) -> None:
        super().__init__()
        check_whole(size=size, classes=classes, hidden=hidden)
        check_share(dropout=dropout)
        check_choice("nonlinearity", nonlinearity, ("sigmoid", "relu"))
        check_choice("features", features, get_args(Features))
        self.nonlinearity = torch.sigmoid if nonlinearity == "sigmoid" else torch.relu
        self.all = features == "all"
        self.hidden = nn.Linear((4 if self.all else 2) * size, hidden)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, classes)

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        """Logits [B, K] of pairs of sentence vectors, each [B, d].

        Raises:
            InputError: there are not as many left as right ones, or they are of another size.
        """
        if len(left) != len(right):  # torch would spread one over all
            raise InputError(
                f"{len(left)} left and {len(right)} right sentences are no pairs; give them as a0 b0 a1 b1 ..."
            )
        check_states(left, self.hidden.in_features // (4 if self.all else 2))
        product, difference = left * right, (left - right).abs()
        compared = torch.cat([left, right, difference, product] if self.all else [product, difference], -1)
        return self.output(self.dropout(self.nonlinearity(self.hidden(compared))))
