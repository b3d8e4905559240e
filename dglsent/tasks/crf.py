"""Linear-chain conditional random field over the tags of a sentence.

Lafferty, McCallum, Pereira 2001; the output layer for tagging of the contextualized non-local network paper, eq. 7.
It is our own, because those of libraries look at their masks and trace back in Python: both ask the device for values.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Transitions(nn.Module):
    """Scores of what stands next to what, of K tags.

    Attributes:
        start_transitions: [K] of the first tag of a sentence.
        end_transitions: [K] of the last.
        transitions: [K, K] of a tag (row) before another.
    """

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.start_transitions = nn.Parameter(torch.empty(classes).uniform_(-0.1, 0.1))
        self.end_transitions = nn.Parameter(torch.empty(classes).uniform_(-0.1, 0.1))
        self.transitions = nn.Parameter(torch.empty(classes, classes).uniform_(-0.1, 0.1))


class CRF(nn.Module):
    """A linear-chain CRF: p(y | x) = exp(score(y)) / Z, score(y) = sum_t (A[y_t-1, y_t] + emission[t, y_t]).

    A has scores for the first and the last tag of a sentence too. Every sentence has a token, and its tokens stand
    first in its row. No value is asked of the device.

    Args:
        classes: number K of tags.
    """

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.chain = Transitions(classes)

    def loss(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Negative log-likelihoods [B] of sentences, by the forward algorithm.

        Args:
            emissions: [B, T, K] scores.
            tags: [B, T] gold tags; any tag where there is no token.
            mask: [B, T] whether there is a token.
        """
        return -(self._score(emissions, tags, mask) - self._log_partition(emissions, mask))

    def best(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """The most probable tags [B, T], by the Viterbi algorithm; -1 where there is no token."""
        chain, real = self.chain, mask.unbind(1)
        score, *further = emissions.unbind(1)
        score = chain.start_transitions + score
        before = []  # [B, K] each, from the second token on: of each tag, the best one before it
        for emission, here in zip(further, real[1:], strict=True):
            top, tag_before = (score.unsqueeze(2) + chain.transitions + emission.unsqueeze(1)).max(1)
            score = torch.where(here.unsqueeze(1), top, score)
            before.append(tag_before)
        tag = (score + chain.end_transitions).argmax(1)
        tags = [tag]
        for tag_before, here in zip(reversed(before), reversed(real[1:]), strict=True):
            tag = torch.where(here, tag_before.gather(1, tag.unsqueeze(1)).squeeze(1), tag)
            tags.append(tag)
        return torch.stack(tags[::-1], 1).masked_fill(~mask, -1)

    def _score(self, emissions: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Scores [B] of given tags."""
        chain = self.chain
        emission = emissions.gather(2, tags.unsqueeze(2)).squeeze(2).unbind(1)
        tag, real = tags.unbind(1), mask.to(emissions.dtype).unbind(1)
        score = chain.start_transitions[tag[0]] + emission[0]
        for t in range(1, len(tag)):
            score = score + chain.transitions[tag[t - 1], tag[t]] * real[t]
            score = score + emission[t] * real[t]
        last = tags.gather(1, mask.sum(1, keepdim=True) - 1).squeeze(1)
        return score + chain.end_transitions[last]

    def _log_partition(self, emissions: Tensor, mask: Tensor) -> Tensor:
        """Log of the sum [B] of exp(score) over all taggings."""
        chain = self.chain
        score, *further = emissions.unbind(1)
        score = chain.start_transitions + score
        for emission, here in zip(further, mask.unbind(1)[1:], strict=True):
            top = (score.unsqueeze(2) + chain.transitions + emission.unsqueeze(1)).logsumexp(1)
            score = torch.where(here.unsqueeze(1), top, score)
        return (score + chain.end_transitions).logsumexp(1)
