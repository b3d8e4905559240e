"""What every encoder offers to tasks."""

from __future__ import annotations

from typing import ClassVar

from torch import Tensor, nn

from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch
from dglsent.passing.batch import Direction


class Encoder(nn.Module):
    """A model of one sentence: word ids and edges in, a state for every node out.

    Attributes:
        embedding: word vectors, d dimensions.
        size: dimensions of a state.
        directions: schedules that its propagations follow, so that loaders make them beforehand.
    """

    directions: ClassVar[tuple[Direction, ...]] = ("up",)

    def __init__(self, embedding: WordEmbedding, size: int) -> None:
        super().__init__()
        self.embedding, self.size = embedding, size

    def encode(self, batch: Batch) -> Tensor:
        """States [N, size] of all nodes."""
        raise NotImplementedError

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [B, size]: the states of the roots."""
        return batch.at_roots(states)
