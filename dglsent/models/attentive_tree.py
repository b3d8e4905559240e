"""Attentive child-sum encoders of sentence pairs: children count by what the other sentence says.

Zhou, Liu, Pan 2016, "Modelling Sentence Pairs with Tree-structured Attentive Encoder", eq. 2-4.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.models.tree_gru import ChildSumTreeGRU
from dglsent.models.tree_lstm import ChildSumTreeLSTM
from dglsent.nn.attention import additive_score, scoring_vector
from dglsent.nn.chains import GRUChain, LSTMChain
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, softmax_sum
from graphs.door import fn
from graphs.fields import NEXT, SENTENCE

_ATTENTION = softmax_sum(score="score", value="h", out="g", weight="attention")


class ChildAttention(nn.Module):
    """Attention of a node over its children, guided by a vector s of the other sentence (eq. 4).

        m_k = tanh(W_m h_k + U_m s);  alpha = softmax over the children of w . m_k;  g = sum_k alpha_k h_k

    and h~ = tanh(W_a g + b_a), which takes the place of the sum of the children. Near 0, where weights start, tanh is
    linear and U_m s, alike for all children, cancels in the softmax: with L2 training takes U_m and the guide to 0
    (docs/structures.md).

    Args:
        hidden: size h of all of them.
        att_transform: False leaves out W_a: h~ = g, as in the released code.
    """

    def __init__(self, hidden: int, att_transform: bool = True) -> None:
        super().__init__()
        self.W_m = StepLinear(hidden, hidden, bias=False)
        self.U_m = nn.Linear(hidden, hidden, bias=False)
        self.w = scoring_vector(hidden)
        self.W_a = StepLinear(hidden, hidden) if att_transform else None

    def guide(self, batch: Batch, last: Tensor) -> Tensor:
        """U_m s at every node, [N, h], from the last states [2 B, h] of the sentences: s is the other one's.

        Raises:
            ValueError: the sentences are not pairs.
        """
        if not batch.pairs:
            raise ValueError("each sentence of a pair guides the other; take pairs of sentences (Batch.of: pairs=True)")
        other = self.U_m(last).view(-1, 2, last.shape[-1]).flip(1).flatten(0, 1)
        return other.index_select(0, batch.nodes[SENTENCE])

    def score(self, edges: EdgesSeen) -> Tensor:
        """w . m_k of each child, [m]."""
        return additive_score(self.W_m(edges.src["h"]), edges.dst["guide"], self.w)

    def transform(self, g: Tensor) -> Tensor:
        """The h~ of nodes with children, [n, h]."""
        return g if self.W_a is None else torch.tanh(self.W_a(g))

    def at_leaves(self, count: int) -> Tensor:
        """The h~ of nodes without children, for which g = 0: [count, h]."""
        if self.W_a is None:
            return self.w.new_zeros(count, len(self.w))
        return torch.tanh(self.W_a.bias).expand(count, -1)


class AttentiveTreeLSTM(ChildSumTreeLSTM):
    """Child-sum Tree-LSTM (eq. 2, 4), its children weighed by attention, guided by an LSTM over the other sentence.

    Forget gates see the states of the children as they are.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        output_gate: False gives h = tanh(c), in the tree and in the guide, as in the released code.
        att_transform: whether h~ = tanh(W_a g + b_a); if not, h~ = g, as in the released code.
        detach_guide: leave the guide as it was initialised, which is what the released code comes to.
    """

    relations = ((NEXT, "up"),)
    shows = ("child.attention",)
    reducer = (_ATTENTION, fn.sum("fc", "forgotten"))

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 150,
        output_gate: bool = True,
        att_transform: bool = True,
        detach_guide: bool = False,
    ) -> None:
        super().__init__(embedding, hidden, output_gate)
        self.guide = LSTMChain(embedding.dim, hidden, output_gate)
        self.attention = ChildAttention(hidden, att_transform)
        self.detach_guide = detach_guide

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields x, guide, h and c, and `attention` on the edges."""
        _listen(self, batch)
        return super().encode(batch)

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b of all gates."""
        x = nodes.data["x"]
        return {"wx_gio": self.W_gio(x), "wx_f": self.W_f(x)}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 2 without children, where g = 0."""
        wx = self.W_gio(nodes.data["x"])
        return self.cell(self.U_gio(self.attention.at_leaves(len(wx))) + wx, None)

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends how much it counts, and its memory through its own forget gate."""
        forget = torch.sigmoid(self.U_f(edges.src["h"]) + edges.dst["wx_f"])
        return {"score": self.attention.score(edges), "fc": forget * edges.src["c"]}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 2 with h~ for the sum of the children."""
        h_children = self.attention.transform(nodes.data["g"])
        return self.cell(self.U_gio(h_children) + nodes.data["wx_gio"], nodes.data["forgotten"])


class AttentiveTreeGRU(ChildSumTreeGRU):
    """Child-sum Tree-GRU (eq. 3, 4), its children weighed by attention, guided by a GRU over the other sentence.

    Reset gates see the states of the children as they are.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        att_transform: whether h~ = tanh(W_a g + b_a); if not, h~ = g, as in the released code.
        detach_guide: leave the guide as it was initialised, which is what the released code comes to.
        carry_sum: the update gate lets through the sum of the children, as in the Tree-GRU, and attention speaks in the
            gate alone. Equation 3 lets through h~, a mean, of which little is left after a few nodes.
    """

    relations = ((NEXT, "up"),)
    shows = ("child.attention",)
    reducer = (_ATTENTION, fn.sum("sums", "sums"))

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 150,
        att_transform: bool = True,
        detach_guide: bool = False,
        carry_sum: bool = False,
    ) -> None:
        super().__init__(embedding, hidden)
        self.guide = GRUChain(embedding.dim, hidden)
        self.attention = ChildAttention(hidden, att_transform)
        self.detach_guide = detach_guide
        self.carry_sum = carry_sum

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields x, guide and h, and `attention` on the edges."""
        _listen(self, batch)
        return super().encode(batch)

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b of candidate, update gate and reset gate."""
        x = nodes.data["x"]
        return {"wx_gz": self.W_gz(x), "wx_r": self.W_r(x)}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 3 without children, where g = 0."""
        wx_g, wx_z = self.W_gz(nodes.data["x"]).chunk(2, -1)
        h_children = self.attention.at_leaves(len(wx_g))
        carried = torch.zeros_like(h_children) if self.carry_sum else h_children
        return self.cell(h_children, carried, torch.tanh(wx_g), wx_z)

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends how much it counts, and its state through its own reset gate, perhaps also as it is."""
        h = edges.src["h"]
        sums = torch.sigmoid(self.U_r(h) + edges.dst["wx_r"]) * h
        return {"score": self.attention.score(edges), "sums": torch.cat([sums, h], -1) if self.carry_sum else sums}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 3 with h~ for the sum of the children."""
        wx_g, wx_z = nodes.data["wx_gz"].chunk(2, -1)
        rh_sum, *h_sum = nodes.data["sums"].split(wx_g.shape[-1], -1)
        h_children = self.attention.transform(nodes.data["g"])
        carried = h_sum[0] if self.carry_sum else h_children
        return self.cell(h_children, carried, torch.tanh(self.U_g(rh_sum) + wx_g), wx_z)

    def cell(self, h_children: Tensor, carried: Tensor, candidate: Tensor, wx_z: Tensor) -> Outputs:
        """State h = z * h~ + (1 - z) * candidate; what z lets through may be another than what it reads."""
        return {"h": torch.lerp(candidate, carried, torch.sigmoid(self.U_z(h_children) + wx_z))}


def _listen(encoder: AttentiveTreeLSTM | AttentiveTreeGRU, batch: Batch) -> None:
    """Sets the field x, and by the chain over the other sentence the field guide."""
    batch.nodes["x"] = encoder.embedding.of(batch.nodes)
    last = batch.at_last_words(encoder.guide.run(batch, relation=NEXT))
    batch.nodes["guide"] = encoder.attention.guide(batch, last.detach() if encoder.detach_guide else last)
