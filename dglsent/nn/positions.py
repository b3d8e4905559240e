"""Vectors of the places of words in their sentences."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PositionEmbedding(nn.Module):
    """A learned vector for each position; those after the last have that of the last.

    Args:
        positions: how many.
        dim: dimensions of a vector.
    """

    def __init__(self, positions: int, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(positions, dim).uniform_(-0.1, 0.1))

    def forward(self, position: Tensor) -> Tensor:
        """Positions [N] from 0, where -1 counts as 0: [N, dim]."""
        return nn.functional.embedding(position.clamp(0, len(self.weight) - 1), self.weight)


class Sinusoids(nn.Module):
    """Sines and cosines of wavelengths from 2 pi to 10000 2 pi, with nothing to learn.

    Vaswani et al. 2017, "Attention Is All You Need", section 3.5.

    Args:
        dim: dimensions of a vector.
    """

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, position: Tensor) -> Tensor:
        """Positions p [N] from 0: [N, dim], float64; 2 k is sin(p / 10000^(2k / dim)), and 2 k + 1 its cosine."""
        even = torch.arange(0, self.dim, 2, device=position.device, dtype=torch.float64)
        angle = position.unsqueeze(-1) / 10000 ** (even / self.dim)
        return torch.stack([angle.sin(), angle.cos()], -1).flatten(-2)[..., : self.dim]
