"""Linear-chain conditional random field over the tags of a sentence.

Lafferty, McCallum, Pereira 2001; the output layer for tagging of the contextualized non-local network paper, eq. 7.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from torchcrf import CRF as Chain  # noqa: N811


class CRF(nn.Module):
    """p(y | x) = exp(score(y)) / Z of K tags, score(y) = sum_t (A[y_t-1, y_t] + emission[t, y_t]).

    A has scores for the first and the last tag of a sentence too. Every sentence has a token, and its tokens stand
    first in its row.

    Args:
        classes: number K of tags.
    """

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.chain = Chain(classes, batch_first=True)

    def loss(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Negative log-likelihoods [B] of sentences, by the forward algorithm.

        Args:
            emissions: [B, T, K] scores.
            tags: [B, T] gold tags; any tag where there is no token.
            mask: [B, T] whether there is a token.
        """
        likelihoods: Tensor = self.chain(emissions, tags, mask, reduction="none")
        return -likelihoods

    def best(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """The most probable tags [B, T], by the Viterbi algorithm; -1 where there is no token."""
        found = [torch.tensor(tags) for tags in self.chain.decode(emissions, mask)]
        table = pad_sequence([*found, torch.empty(mask.shape[1], dtype=torch.long)], True, -1)[:-1]
        return table.to(emissions.device)
