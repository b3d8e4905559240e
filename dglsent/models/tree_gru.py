"""Child-sum Tree-GRU over any tree.

Zhou, Liu, Pan 2016, "Modelling Sentence Pairs with Tree-structured Attentive Encoder"; equation 3 is theirs.
The candidate's bias is only in their released code.
"""

from __future__ import annotations

import torch
from torch import Tensor

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate
from dglsent.passing.functions import ReduceFunction
from graphs.door import fn


class ChildSumTreeGRU(Encoder):
    """Child-sum Tree-GRU (eq. 3) over trees with a word at every node, or at the leaves alone.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
    """

    reducer: ReduceFunction = fn.sum("h_rh", "sums")

    def __init__(self, embedding: WordEmbedding, hidden: int = 150) -> None:
        super().__init__(embedding, hidden)
        self.W_gz = StepLinear(embedding.dim, 2 * hidden)
        self.U_g = StepLinear(hidden, hidden, bias=False)
        self.U_z = StepLinear(hidden, hidden, bias=False)
        self.W_r = StepLinear(embedding.dim, hidden)
        self.U_r = StepLinear(hidden, hidden, bias=False)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the field h."""
        inputs = self.inputs if batch.has_inner_words else self.biases
        propagate(batch, self.message, self.reducer, self.update, leaf=self.leaf, inputs=inputs)
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b of candidate, update gate and reset gate."""
        x = self.embedding.of(nodes.data)
        return {"wx_gz": self.W_gz(x), "wx_r": self.W_r(x)}

    def biases(self, nodes: NodesSeen) -> Outputs:
        """W x + b where no inner node has a word: b, without products of zeros."""
        count = nodes.batch_size()
        return {"wx_gz": self.W_gz.bias.expand(count, -1), "wx_r": self.W_r.bias.expand(count, -1)}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 3 without children."""
        g, z = self.W_gz(self.embedding.of(nodes.data)).chunk(2, -1)
        return {"h": (1 - torch.sigmoid(z)) * torch.tanh(g)}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends its state, once as it is and once through its own reset gate."""
        h = edges.src["h"]
        reset = torch.sigmoid(self.U_r(h) + edges.dst["wx_r"])
        return {"h_rh": torch.cat([h, reset * h], -1)}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 3: h = z * sum of the children + (1 - z) * candidate."""
        h_sum, rh_sum = nodes.data["sums"].chunk(2, -1)
        wx_g, wx_z = nodes.data["wx_gz"].chunk(2, -1)
        candidate = torch.tanh(self.U_g(rh_sum) + wx_g)
        return {"h": torch.lerp(candidate, h_sum, torch.sigmoid(self.U_z(h_sum) + wx_z))}
