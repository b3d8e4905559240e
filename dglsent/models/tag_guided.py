"""Tag-guided hyper networks: a small network over the same tree scales the weights of a RecNN or a Tree-LSTM.

Shen, Deng, Huang, Chen, "Learning to Compose over Tree Structures via POS Tags"; equation numbers are the paper's.
Trees are binary, with words at the leaves and a tag at every node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.models.fusion import Fusion, InformationFusion
from dglsent.nn.cells import lstm_cell, without_forget_gates
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.initialisation import start_near_mean
from dglsent.nn.tags import require_tags
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate
from graphs.errors import check_choice, check_share, check_whole


class TagGuidedHyperRecNN(Encoder):
    """TG-HRecNN (eq. 7-9): a RecNN (eq. 6) for which a hyper RecNN scales the rows of U and makes the bias.

    The paper gives no state for a word; here it is tanh(W x + b), as in `RecNN`, and untouched by the hyper network. As
    there, U starts near [I I] / 2.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        hyper: size of the hyper network's state.
        fusion_size: size of the hyper network's input.
        tag_dim: size of a tag's embedding.
        fusion: how tags meet words and states: "concat" (eq. 19) or "multi" (eq. 21).
        hyper_at_leaf: whether the hyper network runs at leaves; if not, its state is zero there.
        recurrent_dropout: share of [h_l; h_r] dropped before U in training, anew at each node.
        tags: strings of the tag vocabulary, which the field `tag` indexes.

    Raises:
        ValueError: there are no tags.
        InputError: `fusion` is neither, a size is no whole number from 1, or `recurrent_dropout` is no share.
    """

    shows = ("z_u", "z_b")

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 150,
        hyper: int = 50,
        fusion_size: int = 100,
        tag_dim: int = 50,
        fusion: Fusion = "concat",
        hyper_at_leaf: bool = True,
        recurrent_dropout: float = 0.0,
        tags: Sequence[str] = (),
    ) -> None:
        require_tags(tags)
        super().__init__(embedding, hidden)
        check_whole(hyper=hyper)
        check_share(recurrent_dropout=recurrent_dropout)
        self.hyper_at_leaf = hyper_at_leaf
        self.fusion = InformationFusion(embedding.dim, hidden, fusion_size, len(tags), tag_dim, fusion)
        self.hyper_W = StepLinear(fusion_size, hyper)
        self.hyper_U = StepLinear(2 * hyper, hyper, bias=False)
        self.W = StepLinear(embedding.dim, hidden)
        self.U = StepLinear(2 * hidden, hidden, bias=False)
        start_near_mean(self.U.weight)
        self.A_u, self.A_b = _scale(hyper, hidden), _shift(hyper, hidden)
        self.recurrent_dropout = nn.Dropout(recurrent_dropout)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes; sets the fields h, hyper_h, x and a, and z_u and z_b [N, hidden]."""
        self.require_binary(batch)
        self.fusion.find_heads(batch, self.embedding)
        propagate(batch, self.message, self.reduce, leaf=self.leaf, inputs=self.inputs)
        hyper_h = batch.nodes["hyper_h"]
        for name, A in (("z_u", self.A_u), ("z_b", self.A_b)):
            batch.nodes.set_lazy(name, _as_now(A, hyper_h))
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """What eq. 19-21 know beforehand, and the masks of recurrent dropout."""
        fields = self.fusion.inputs(nodes)
        if _drops(self.recurrent_dropout):
            fields["mask"] = self.recurrent_dropout(nodes.data["x"].new_ones(nodes.batch_size(), 2 * self.size))
        return fields

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 7 without children, and the state of a word."""
        x = nodes.data["x"]
        hyper_h = torch.tanh(self.hyper_W(self.fusion(self.fusion.inputs(nodes))))
        return {
            "h": torch.tanh(self.W(x)),
            "hyper_h": hyper_h if self.hyper_at_leaf else torch.zeros_like(hyper_h),
        }

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends the states of both networks."""
        return {"h": edges.src["h"], "hyper_h": edges.src["hyper_h"]}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """Eq. 7-9."""
        h, hyper_h = nodes.mailbox["h"].flatten(1), nodes.mailbox["hyper_h"].flatten(1)
        hyper_h = torch.tanh(self.hyper_U(hyper_h) + self.hyper_W(self.fusion(nodes.data, h)))
        z_u, z_b = self.A_u(hyper_h), self.A_b(hyper_h)
        if _drops(self.recurrent_dropout):
            h = h * nodes.data["mask"]
        return {"h": torch.tanh(z_u * self.U(h) + z_b), "hyper_h": hyper_h}


class TagGuidedHyperTreeLSTM(Encoder):
    """TG-HTreeLSTM (eq. 13-16): a Tree-LSTM (eq. 10-12) of which a hyper one scales the rows of W and U and makes b.

    At a leaf there are no memories to forget: W and what scales it have rows for forget gates only where phrases
    have an x too.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        hyper: size of the hyper network's state.
        fusion_size: size of the hyper network's input.
        tag_dim: size of a tag's embedding.
        fusion: how tags meet words and states: "concat" (eq. 19) or "multi" (eq. 21).
        z_scope: "per_gate" has a scale for each row of each gate, "shared" the same h scales for all gates.
        head_in_main: whether a phrase's head word is the main network's x, which else is zero there (eq. 10).
        hyper_at_leaf: whether the hyper network runs at leaves; if not, its state and memory are zero there.
        recurrent_dropout: share of the candidate g dropped in training, anew at each node.
        tags: strings of the tag vocabulary, which the field `tag` indexes.

    Raises:
        ValueError: there are no tags.
        InputError: `fusion` or `z_scope` is none of its choices, a size is no whole number from 1, or
            `recurrent_dropout` is no share.
    """

    shows = ("z_w", "z_u", "z_b")

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 150,
        hyper: int = 50,
        fusion_size: int = 100,
        tag_dim: int = 50,
        fusion: Fusion = "concat",
        z_scope: Literal["per_gate", "shared"] = "per_gate",
        head_in_main: bool = False,
        hyper_at_leaf: bool = True,
        recurrent_dropout: float = 0.0,
        tags: Sequence[str] = (),
    ) -> None:
        require_tags(tags)
        super().__init__(embedding, hidden)
        check_whole(hyper=hyper)
        check_share(recurrent_dropout=recurrent_dropout)
        check_choice("z_scope", z_scope, ("per_gate", "shared"))
        self.z_scope, self.head_in_main, self.hyper_at_leaf = z_scope, head_in_main, hyper_at_leaf
        self.fusion = InformationFusion(embedding.dim, hidden, fusion_size, len(tags), tag_dim, fusion)
        self.hyper_W = StepLinear(fusion_size, 5 * hyper)
        self.hyper_U = StepLinear(2 * hyper, 5 * hyper, bias=False)
        self.gates_of_W = 5 if head_in_main else 3
        self.W = StepLinear(embedding.dim, self.gates_of_W * hidden, bias=False)
        self.U = StepLinear(2 * hidden, 5 * hidden, bias=False)
        shared = z_scope == "shared"
        self.A_w = _scale(hyper, hidden if shared else self.gates_of_W * hidden)
        self.A_u = _scale(hyper, hidden if shared else 5 * hidden)
        self.A_b = _shift(hyper, hidden if shared else 5 * hidden)
        self.recurrent_dropout = nn.Dropout(recurrent_dropout)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all nodes.

        Sets the fields h, c, hyper_h, hyper_c, x and a, and z_w, z_u and z_b: what would scale or shift the rows at
        this node, the gates in the order g, i, f_l, f_r, o ([N, 5 hidden]; z_w without f_l and f_r unless
        `head_in_main`), or [N, hidden] where they share it.
        """
        self.require_binary(batch)
        self.fusion.find_heads(batch, self.embedding)
        propagate(batch, self.message, self.reduce, leaf=self.leaf, inputs=self.inputs)
        hyper_h = batch.nodes["hyper_h"]
        for name, A in (("z_w", self.A_w), ("z_u", self.A_u), ("z_b", self.A_b)):
            batch.nodes.set_lazy(name, _as_now(A, hyper_h))
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """What eq. 16 and 19-21 know beforehand, and the masks of recurrent dropout."""
        fields = self.fusion.inputs(nodes)
        if self.head_in_main:
            fields["wx"] = self.W(nodes.data["x"])
        if _drops(self.recurrent_dropout):
            fields["mask"] = self.mask(nodes)
        return fields

    def z(self, A: StepLinear, hyper_h: Tensor, gates: int = 5) -> Tensor:
        """Eq. 9, for the rows of so many gates."""
        z = A(hyper_h)
        return z.repeat(1, gates) if self.z_scope == "shared" else z

    def mask(self, nodes: NodesSeen) -> Tensor:
        """A fresh mask [n, h] of recurrent dropout."""
        return self.recurrent_dropout(nodes.data["x"].new_ones(nodes.batch_size(), self.size))

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 13-16 without children."""
        pre = self.hyper_W(self.fusion(self.fusion.inputs(nodes)))
        hyper_h, hyper_c = lstm_cell(without_forget_gates(pre))
        if not self.hyper_at_leaf:
            hyper_h, hyper_c = torch.zeros_like(hyper_h), torch.zeros_like(hyper_c)
        scaled = self.z(self.A_w, hyper_h, self.gates_of_W) * self.W(nodes.data["x"])
        if self.head_in_main:
            scaled = without_forget_gates(scaled)
        pre = scaled + without_forget_gates(self.z(self.A_b, hyper_h))
        h, c = lstm_cell(pre, mask=self.mask(nodes) if _drops(self.recurrent_dropout) else None)
        return {"h": h, "c": c, "hyper_h": hyper_h, "hyper_c": hyper_c}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends the states and memories of both networks."""
        return {name: edges.src[name] for name in ("h", "c", "hyper_h", "hyper_c")}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """Eq. 13-16."""
        mail = nodes.mailbox
        h = mail["h"].flatten(1)
        pre = self.hyper_U(mail["hyper_h"].flatten(1)) + self.hyper_W(self.fusion(nodes.data, h))
        hyper_h, hyper_c = lstm_cell(pre, mail["hyper_c"])
        pre = self.z(self.A_u, hyper_h) * self.U(h) + self.z(self.A_b, hyper_h)
        if self.head_in_main:
            pre = pre + self.z(self.A_w, hyper_h) * nodes.data["wx"]
        mask = nodes.data["mask"] if _drops(self.recurrent_dropout) else None
        h, c = lstm_cell(pre, mail["c"], mask=mask)
        return {"h": h, "c": c, "hyper_h": hyper_h, "hyper_c": hyper_c}


def _scale(hyper: int, rows: int) -> StepLinear:
    """A map from the hyper network's state to scales, at first 1."""
    A = StepLinear(hyper, rows)
    nn.init.zeros_(A.weight)
    nn.init.ones_(A.bias)
    return A


def _shift(hyper: int, rows: int) -> StepLinear:
    """A map from the hyper network's state to biases, at first about 0."""
    A = StepLinear(hyper, rows)
    nn.init.normal_(A.weight, std=0.01)
    nn.init.zeros_(A.bias)
    return A


def _as_now(A: StepLinear, hyper_h: Tensor) -> Callable[[], Tensor]:
    """What makes A hyper_h when it is asked for, with the weights of now, which a step of training may change."""
    return partial(nn.functional.linear, hyper_h, A.weight.clone(), A.bias.clone())


def _drops(dropout: nn.Dropout) -> bool:
    return dropout.training and dropout.p > 0
