"""RNTN over binary constituency trees.

Socher et al. 2013, "Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank".
"""

from __future__ import annotations

from torch import Tensor

from dglsent.models.recnn import RecNN
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import NodesSeen, Outputs, StepLinear


class RNTN(RecNN):
    """Recursive neural tensor network: h = tanh(q^T V q + U q + b) with q = [h_l; h_r]; a word as in RecNN.

    V has a matrix of 2h x 2h for each dimension of the state, so it grows with the cube of `hidden`. It is kept
    as one map of the products q_i q_j.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 30) -> None:
        super().__init__(embedding, hidden)
        self.V = StepLinear((2 * hidden) ** 2, hidden, bias=False)

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """q^T V q + U q + b."""
        q = nodes.mailbox["h"].flatten(1)
        return {"pre": self.V(products(q)) + self.U(q)}


def products(q: Tensor) -> Tensor:
    """All products q_i q_j of vectors [m, k]: [m, k k]."""
    return (q.unsqueeze(2) * q.unsqueeze(1)).flatten(1)
