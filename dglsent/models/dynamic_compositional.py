"""RecNN and Tree-LSTM whose composition function a smaller network of the same kind makes anew at every node.

Liu, Qiu, Huang 2017, "Dynamic Compositional Neural Networks over Tree Structure". Equations 6 and 10-12 are those of
the tag-guided hyper TreeLSTM paper, which compares itself with these models; what it leaves open is our reading.

W(z) is a product of three learnt factors, so that a step of an optimiser moves it further than a plain matrix: on the
built-in reviews, with Adagrad, DC-RecNN learns as well as RecNN at a rate of 0.02 but far worse at 0.05, where
DC-TreeLSTM still learns well. At 0.02 sizes m = z = 20 do as well as the default.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.nn.cells import lstm_cell, without_forget_gates
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate
from graphs.errors import check_whole


class DynamicComposition(nn.Module):
    """Sums W(z) [x; h_l; h_r] + b(z) with W(z) = P diag(z) Q and b(z) = B z, where z = W_z hm.

    The input x is zero at a phrase, the children's states are at a word, so that each has its own columns of Q.

    Args:
        dim: dimensions d of the input x.
        hidden: size h of a child's state.
        sums: size s of the result.
        meta: size m of the meta network's state hm.
        z: size of z.
    """

    def __init__(self, dim: int, hidden: int, sums: int, meta: int, z: int) -> None:
        super().__init__()
        self.W_z = StepLinear(meta, z, bias=False)
        self.Q_x = StepLinear(dim, z, bias=False)
        self.Q_h = StepLinear(2 * hidden, z, bias=False)
        self.PB = StepLinear(2 * z, sums, bias=False)

    def start_near_mean(self) -> None:
        """Starts a phrase near the mean of its children, as far as a W(z) of rank z can: in z dimensions.

        z = W_z hm + b_z then has a bias, at first 1, and P and Q start near R and R^T [I I] / 2, where R [h, z] is
        orthogonal, so that W(z) is near R R^T [I I] / 2.
        """
        z = self.W_z.out_features
        R = nn.init.orthogonal_(torch.empty(self.PB.out_features, z))
        with torch.no_grad():
            self.PB.weight[:, :z] += R
            self.Q_h.weight += R.T.repeat(1, 2) / 2
            self.W_z.bias = nn.Parameter(torch.ones(z))

    def word(self, x: Tensor, hm: Tensor) -> tuple[Tensor, Tensor]:
        """The sums [n, s] and z at words x [n, d]."""
        return self._sums(self.Q_x(x), hm)

    def phrase(self, h: Tensor, hm: Tensor) -> tuple[Tensor, Tensor]:
        """The sums [n, s] and z at phrases over the states [h_l; h_r] [n, 2 h]."""
        return self._sums(self.Q_h(h), hm)

    def _sums(self, q: Tensor, hm: Tensor) -> tuple[Tensor, Tensor]:
        z = self.W_z(hm)
        return self.PB(torch.cat([z * q, z], -1)), z


class DCRecNN(Encoder):
    """Dynamic compositional RecNN (eq. 6 with W(z) and b(z)) over binary trees with words at the leaves.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        meta: size m of the meta RecNN's state.
        z: size of the vector z from which a node's weights are made, the rank of W(z).
        near_mean: start a phrase near the mean of its children, as RecNN does (`DynamicComposition.start_near_mean`).
            Where all factors start around 0, W(z) starts near 0. Where Adagrad's sums of squares start at 0.1, it gains
            on SICK's entailment; on single sentences it does not.

    Raises:
        InputError: `meta` or `z` is no whole number from 1.
    """

    shows = ("z",)

    def __init__(
        self, embedding: WordEmbedding, hidden: int = 150, meta: int = 30, z: int = 40, near_mean: bool = False
    ) -> None:
        super().__init__(embedding, hidden)
        check_whole(meta=meta, z=z)
        self.W_m = StepLinear(embedding.dim, meta)
        self.U_m = StepLinear(2 * hidden + 2 * meta, meta)
        self.compose = DynamicComposition(embedding.dim, hidden, hidden, meta, z)
        if near_mean:
            self.compose.start_near_mean()

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields h, hm and z."""
        self.require_binary(batch)
        propagate(batch, self.message, self.reduce, self.update, leaf=self.leaf)
        return batch.nodes["h"]

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """A word."""
        x = self.embedding.of(nodes.data)
        hm = torch.tanh(self.W_m(x))
        pre, z = self.compose.word(x, hm)
        return {"h": torch.tanh(pre), "hm": hm, "z": z}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends the states of both networks."""
        return {"h": edges.src["h"], "hm": edges.src["hm"]}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """The states [h_l; h_r] and [hm_l; hm_r]."""
        return {"h_children": nodes.mailbox["h"].flatten(1), "hm_children": nodes.mailbox["hm"].flatten(1)}

    def update(self, nodes: NodesSeen) -> Outputs:
        """The meta network reads the states of both; its own makes the weights of eq. 6."""
        h = nodes.data["h_children"]
        hm = torch.tanh(self.U_m(torch.cat([h, nodes.data["hm_children"]], -1)))
        pre, z = self.compose.phrase(h, hm)
        return {"h": torch.tanh(pre), "hm": hm, "z": z}


class DCTreeLSTM(Encoder):
    """Dynamic compositional Tree-LSTM (eq. 10-12 with W(z) and b(z)) over binary trees with words at the leaves.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        meta: size m of the meta Tree-LSTM's state.
        z: size of the vector z from which a node's weights are made, the rank of W(z).

    Raises:
        InputError: `meta` or `z` is no whole number from 1.
    """

    shows = ("z",)

    def __init__(self, embedding: WordEmbedding, hidden: int = 150, meta: int = 30, z: int = 40) -> None:
        super().__init__(embedding, hidden)
        check_whole(meta=meta, z=z)
        self.W_m = StepLinear(embedding.dim, 3 * meta)
        self.U_m = StepLinear(2 * hidden + 2 * meta, 5 * meta)
        self.compose = DynamicComposition(embedding.dim, hidden, 5 * hidden, meta, z)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields h, c, hm, cm and z."""
        self.require_binary(batch)
        propagate(batch, self.message, self.reduce, self.update, leaf=self.leaf)
        return batch.nodes["h"]

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """A word, where the forget gates meet zero memories."""
        x = self.embedding.of(nodes.data)
        hm, cm = lstm_cell(self.W_m(x))
        pre, z = self.compose.word(x, hm)
        h, c = lstm_cell(without_forget_gates(pre))
        return {"h": h, "c": c, "hm": hm, "cm": cm, "z": z}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends the states and memories of both networks."""
        return {name: edges.src[name] for name in ("h", "c", "hm", "cm")}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """The states [h_l; h_r] and [hm_l; hm_r], and the memories of the children."""
        return {
            "h_children": nodes.mailbox["h"].flatten(1),
            "hm_children": nodes.mailbox["hm"].flatten(1),
            "c_children": nodes.mailbox["c"],
            "cm_children": nodes.mailbox["cm"],
        }

    def update(self, nodes: NodesSeen) -> Outputs:
        """The meta network reads the states of both; its own makes the weights of eq. 10."""
        h = nodes.data["h_children"]
        hm, cm = lstm_cell(self.U_m(torch.cat([h, nodes.data["hm_children"]], -1)), nodes.data["cm_children"])
        pre, z = self.compose.phrase(h, hm)
        h, c = lstm_cell(pre, nodes.data["c_children"])
        return {"h": h, "c": c, "hm": hm, "cm": cm, "z": z}
