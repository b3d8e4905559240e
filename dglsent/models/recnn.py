"""RecNN over binary constituency trees.

Socher et al. 2011, "Parsing Natural Scenes and Natural Language with Recursive Neural Networks".
Equation 6 is that of the tag-guided hyper TreeLSTM paper.
"""

from __future__ import annotations

import torch
from torch import Tensor

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.initialisation import start_near_mean
from dglsent.passing import Batch, NodesSeen, Outputs, StepLinear, propagate
from graphs.door import fn


class RecNN(Encoder):
    """Recursive neural network (eq. 6) over binary constituency trees with words at the leaves.

    The paper gives no state for a word, whose vector is not of the state's size; here it is tanh(W x + b). U starts
    near [I I] / 2 (`start_near_mean`), in subclasses too.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 150) -> None:
        super().__init__(embedding, hidden)
        self.W = StepLinear(embedding.dim, hidden)
        self.U = StepLinear(2 * hidden, hidden)
        start_near_mean(self.U.weight)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the field h."""
        self.require_binary(batch)
        propagate(batch, fn.copy_u("h", "h"), self.reduce, self.update, leaf=self.leaf)
        return batch.nodes["h"]

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The state of a word."""
        return {"h": torch.tanh(self.W(self.embedding.of(nodes.data)))}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """U [h_l; h_r] + b."""
        return {"pre": self.U(nodes.mailbox["h"].flatten(1))}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 6."""
        return {"h": torch.tanh(nodes.data["pre"])}
