"""Recurrent network over chains.

Elman 1990, "Finding Structure in Time".
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.nn.chains import along_chain
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, NodesSeen, Outputs, StepLinear


class SeqRNN(Encoder):
    """States h_t = tanh(W x_t + U h_{t-1} + b), left to right; the sentence vector is the last.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 150) -> None:
        super().__init__(embedding, hidden)
        self.W = StepLinear(embedding.dim, hidden)
        self.U = StepLinear(hidden, hidden, bias=False)
        # Without gates, what a first word said would be lost after a few others.
        nn.init.orthogonal_(self.U.weight)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all words; sets the fields x and h."""
        batch.nodes["x"] = self.embedding.of(batch.nodes)
        along_chain(batch, ("h",), self.update, leaf=self.leaf, inputs=self.inputs)
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b."""
        return {"wx": self.W(nodes.data["x"])}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The first word, which meets no state."""
        return {"h": torch.tanh(self.W(nodes.data["x"]))}

    def update(self, nodes: NodesSeen) -> Outputs:
        """The state of a word and all before it."""
        return {"h": torch.tanh(self.U(nodes.data["h_before"]) + nodes.data["wx"])}
