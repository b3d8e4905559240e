"""Bag of words: what the words under a node say without their order."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, propagate
from graphs.door import fn
from graphs.fields import WORD


class BagOfWords(Encoder):
    """A node's state is the mean of the vectors of the words at and under it (NBOW).

    Sums and counts of words pass from children to parents, so the same functions serve any tree or chain; a
    linear classifier on top is a bag-of-words classifier of every phrase.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size of a state ReLU(W mean + b); by default it is the mean itself.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int | None = None) -> None:
        super().__init__(embedding, hidden or embedding.dim)
        self.layer = nn.Linear(embedding.dim, hidden) if hidden else None

    def encode(self, batch: Batch) -> Tensor:
        """States [N, size] of all nodes; sets the field total [N, d + 1], the sum of the vectors and their number."""
        propagate(batch, self.message, fn.sum("total", "under"), self.update, leaf=self.leaf, inputs=self.own)
        total = batch.nodes["total"]
        mean = total[:, :-1] / total[:, -1:].clamp(min=1)
        return mean if self.layer is None else torch.relu(self.layer(mean))

    def own(self, nodes: NodesSeen) -> Outputs:
        """A node's own word vector, and 1 for it; nothing at a phrase."""
        counted = (nodes.data[WORD] > 0).unsqueeze(-1)
        return {"own_word": torch.cat([self.embedding.of(nodes.data), counted.to(self.embedding.weight.dtype)], -1)}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The sum at a leaf: its own word."""
        return {"total": self.own(nodes)["own_word"]}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends the sum of what is under it."""
        return {"total": edges.src["total"]}

    def update(self, nodes: NodesSeen) -> Outputs:
        """The sum at a node: its own word and those under it."""
        return {"total": nodes.data["own_word"] + nodes.data["under"]}
