"""MV-RNN over binary constituency trees.

Socher et al. 2012, "Semantic Compositionality through Recursive Matrix-Vector Spaces".
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.initialisation import start_near_mean
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate
from graphs.errors import check_whole
from graphs.fields import WORD


class MVRNN(Encoder):
    """Matrix-vector recursive network: a node is a vector h (meaning) and a matrix A (how it changes its sibling).

    Words: h = tanh(W_leaf x + bias), A = U V + diag(v) with factors of its own, near the identity at first.
    Phrases of (a, A) and (b, B): h = tanh(W [B a; A b] + bias) and the matrix W_M [A; B], both near the mean at first.
    The paper's word vectors have the state's size; here W_leaf makes it so. L2 counts for the words' matrices too, and
    takes those of words that training does not meet from the identity towards 0.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size n of the state.
        rank: rank of U V, the part of a word's matrix besides diag(v).

    Raises:
        InputError: `rank` is no whole number from 1.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 25, rank: int = 3) -> None:
        super().__init__(embedding, hidden)
        check_whole(rank=rank)
        words = len(embedding.weight)
        self.W_leaf = StepLinear(embedding.dim, hidden)
        self.W = StepLinear(2 * hidden, hidden)
        self.W_M = nn.Parameter(torch.empty(hidden, 2 * hidden))
        self.U = nn.Embedding(words, hidden * rank)
        self.V = nn.Embedding(words, rank * hidden)
        self.v = nn.Embedding(words, hidden)
        for weight in (self.U.weight, self.V.weight, self.v.weight, self.W_M):
            nn.init.normal_(weight, std=0.01)
        with torch.no_grad():
            self.v.weight.add_(1)
        start_near_mean(self.W.weight)
        start_near_mean(self.W_M)

    def encode(self, batch: Batch) -> Tensor:
        """Vectors h [N, hidden] of all nodes; sets the fields h and A [N, hidden, hidden]."""
        self.require_binary(batch)
        propagate(batch, self.message, self.reduce, self.update, leaf=self.leaf)
        return batch.nodes["h"]

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The vector of a word, and A = U V + diag(v)."""
        word = nodes.data[WORD]
        U = self.U(word).unflatten(1, (self.size, -1))
        V = self.V(word).unflatten(1, (-1, self.size))
        A = torch.baddbmm(torch.diag_embed(self.v(word)), U, V)
        return {"h": torch.tanh(self.W_leaf(self.embedding.of(nodes.data))), "A": A}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends its vector and its matrix."""
        return {"h": edges.src["h"], "A": edges.src["A"]}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """W [B a; A b] + bias and W_M [A; B]."""
        h, A = nodes.mailbox["h"], nodes.mailbox["A"]
        crossed = (A @ h.flip(1).unsqueeze(-1)).flip(1)
        stacked = A.flatten(1, 2).transpose(1, 2)
        return {"pre": self.W(crossed.flatten(1)), "A": F.linear(stacked, self.W_M).transpose(1, 2)}

    def update(self, nodes: NodesSeen) -> Outputs:
        """The vector of a phrase beside its matrix."""
        return {"h": torch.tanh(nodes.data["pre"]), "A": nodes.data["A"]}
