"""AdaMC-RNN and AdaMC-RNTN over binary constituency trees.

Dong et al. 2014, "Adaptive Multi-Compositionality for Recursive Neural Models with Applications to Sentiment
Analysis".
"""

from __future__ import annotations

from numbers import Real

import torch
from torch import Tensor

from dglsent.models.recnn import RecNN
from dglsent.models.rntn import products
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.initialisation import start_near_mean
from dglsent.passing import NodesSeen, Outputs, StepLinear
from graphs.errors import check_kind, check_whole


class AdaMCRNN(RecNN):
    """Adaptive multi-compositionality: every phrase mixes C composition functions; a word as in RecNN.

    h = tanh(sum_k w_k (U_k q + b_k)) with w = softmax(beta S q) and q = [h_l; h_r]. Sets the node field w [N, C], the
    weights of the functions, 0 at words.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        functions: number C of composition functions.
        beta: how sharply a phrase chooses among them; 0 mixes them evenly.

    Raises:
        InputError: `functions` is no whole number from 1, or `beta` no number.
    """

    shows = ("w",)

    def __init__(self, embedding: WordEmbedding, hidden: int = 150, functions: int = 12, beta: float = 1.0) -> None:
        super().__init__(embedding, hidden)
        check_whole(functions=functions)
        check_kind(beta, Real, "beta is how sharply a phrase chooses, such as 0.5")
        self.beta = beta
        self.U = StepLinear(2 * hidden, functions * hidden)
        start_near_mean(self.U.weight)
        self.S = StepLinear(2 * hidden, functions, bias=False)

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """The functions' results, mixed."""
        q = nodes.mailbox["h"].flatten(1)
        w = torch.softmax(self.beta * self.S(q), -1)
        composed = self.compose(q).unflatten(1, (-1, self.size))
        return {"pre": (w.unsqueeze(1) @ composed).squeeze(1), "w": w}

    def compose(self, q: Tensor) -> Tensor:
        """What each function makes of children q [m, 2h]: [m, C h]."""
        return self.U(q)

    def update(self, nodes: NodesSeen) -> Outputs:
        """The nonlinearity, and what mixed the functions."""
        return {**super().update(nodes), "w": nodes.data["w"]}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """A word, which composes nothing."""
        word = super().leaf(nodes)
        return {**word, "w": word["h"].new_zeros(len(word["h"]), self.S.out_features)}


class AdaMCRNTN(AdaMCRNN):
    """AdaMC-RNN whose functions are those of an RNTN: h = tanh(sum_k w_k (q^T V_k q + U_k q + b_k)).

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        functions: number C of composition functions.
        beta: how sharply a phrase chooses among them; 0 mixes them evenly.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 30, functions: int = 12, beta: float = 1.0) -> None:
        super().__init__(embedding, hidden, functions, beta)
        self.V = StepLinear((2 * hidden) ** 2, functions * hidden, bias=False)

    def compose(self, q: Tensor) -> Tensor:
        """What each function makes of children q [m, 2h]: [m, C h]."""
        return self.V(products(q)) + super().compose(q)
