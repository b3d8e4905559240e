"""Vectors of words made of their characters, by torch's own layers: messages pass between words, not inside them."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.nn.chains import half
from dglsent.nn.embeddings import drawn


class CharacterLSTM(nn.Module):
    """The last states of an LSTM over a word's characters from the left and of one from the right, [h_l; h_r].

    Lample et al. 2016, "Neural Architectures for Named Entity Recognition".

    Args:
        characters: number of characters, padding (id 0) and unknown included.
        dim: dimensions of a character's embedding.
        size: dimensions of a word's vector, an even number.

    Raises:
        ValueError: it is odd.
    """

    def __init__(self, characters: int, dim: int, size: int) -> None:
        super().__init__()
        side = half("character_size", size)
        self.embedding = drawn(nn.Embedding(characters, dim, padding_idx=0))
        self.rightward = nn.LSTM(dim, side, batch_first=True)
        self.leftward = nn.LSTM(dim, side, batch_first=True)

    def forward(self, characters: Tensor) -> Tensor:
        """Words as characters [N, c], 0 after the last: [N, size]; zeros where there are none."""
        length = (characters > 0).sum(1, keepdim=True)
        place = torch.arange(characters.shape[1], device=characters.device)
        # Turned round within the word, so that padding is last either way and no state has read it.
        turned = characters.gather(1, (length - 1 - place).clamp(min=0)) * (place < length)
        last = (length - 1).clamp(min=0).unsqueeze(-1)
        states = [
            lstm(self.embedding(each))[0].take_along_dim(last, 1).squeeze(1)
            for lstm, each in ((self.rightward, characters), (self.leftward, turned))
        ]
        return torch.cat(states, -1) * (length > 0)


class CharacterCNN(nn.Module):
    """The maxima of filters over a word's characters, three at a time.

    Ma, Hovy 2016, "End-to-end Sequence Labeling via Bi-directional LSTM-CNNs-CRF".

    Args:
        characters: number of characters, padding (id 0) and unknown included.
        dim: dimensions of a character's embedding.
        size: dimensions of a word's vector: filters.
    """

    def __init__(self, characters: int, dim: int, size: int) -> None:
        super().__init__()
        self.embedding = drawn(nn.Embedding(characters, dim, padding_idx=0))
        self.filters = nn.Conv1d(dim, size, 3, padding=1)

    def forward(self, characters: Tensor) -> Tensor:
        """Words as characters [N, c], 0 after the last: [N, size]; zeros where there are none."""
        real = (characters > 0).unsqueeze(1)
        seen: Tensor = self.filters(self.embedding(characters).transpose(1, 2))
        top = seen.masked_fill(~real, -torch.inf).max(-1).values
        return torch.where(real.any(-1), top, 0)
