"""LSTMN: an LSTM whose words attend to all words before them, in place of a single state and memory.

Cheng, Dong, Lapata 2016, "Long Short-Term Memory-Networks for Machine Reading".
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor

from dglsent.models.encoder import Encoder
from dglsent.nn.attention import scoring_vector
from dglsent.nn.cells import lstm_cell
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.readout import mean_over_words
from dglsent.passing import (
    Batch,
    EdgesSeen,
    NodesSeen,
    Outputs,
    StepLinear,
    apply_edges,
    edge_softmax,
    propagate,
)
from graphs.fields import PRECEDING


class LSTMN(Encoder):
    """An LSTM with attention over the preceding words (SelfAtt2 in the paper of `CN3`).

        a_i = v . tanh(W_h h_i + W_x x_t + W_h~ h~_{t-1})             eq. 4, for all i < t
        [h~_t; c~_t] = sum_i softmax(a)_i [h_i; c_i]                  eq. 5-6
        h_t, c_t = LSTM cell of W x_t + U h~_t + b and c~_t           eq. 7-9

    The first word meets h~ = c~ = 0. The sentence vector is the mean of the states.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
    """

    directions = ()
    relations = ((PRECEDING, "up"),)
    shows = ("preceding.attention",)

    def __init__(self, embedding: WordEmbedding, hidden: int = 150) -> None:
        super().__init__(embedding, hidden)
        self.W = StepLinear(embedding.dim, 4 * hidden)
        self.U = StepLinear(hidden, 4 * hidden, bias=False)
        self.W_h, self.W_s = StepLinear(hidden, hidden, bias=False), StepLinear(hidden, hidden, bias=False)
        self.W_x = StepLinear(embedding.dim, hidden, bias=False)
        self.v = scoring_vector(hidden)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all words.

        Sets the fields x, h and c, s, which is h~, and asked, what eq. 4 asks with; `attention` on the edges of
        `preceding`.
        """
        self.require_words(batch)
        batch.nodes["x"] = self.embedding.of(batch.nodes)
        propagate(batch, self.message, self.reduce, self.update, relation=PRECEDING, leaf=self.leaf, inputs=self.inputs)
        # A copy of v, which a step of training may have changed when somebody reads this.
        batch.relation(PRECEDING).edges.set_lazy("attention", partial(self.attention, batch, self.v.clone()))
        return batch.nodes["h"]

    def attention(self, batch: Batch, v: Tensor) -> Tensor:
        """The weights of eq. 5 once more, [E], for no edge keeps them on the way."""
        edges = batch.relation(PRECEDING).edges
        edges["attention"] = v.new_zeros(len(batch.relation(PRECEDING).ends[0]))  # an engine may read all fields
        apply_edges(batch, partial(self.score, v), relation=PRECEDING)
        return edge_softmax(batch, edges["attention"], relation=PRECEDING)

    def score(self, v: Tensor, edges: EdgesSeen) -> Outputs:
        """Eq. 4."""
        return {"attention": torch.tanh(edges.src["key"] + edges.dst["asked"]) @ v}

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b of the cell and W_x x of the attention."""
        x = nodes.data["x"]
        return {"wx": self.W(x), "x_query": self.W_x(x)}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The first word."""
        wx = self.W(nodes.data["x"])
        nothing = wx.new_zeros(len(wx), self.size)
        return self.cell(wx, nothing, nothing, nothing)

    def message(self, edges: EdgesSeen) -> Outputs:
        """A word sends its state and memory, what it has summed, and how it counts, to all later ones."""
        return {name: edges.src[name] for name in ("h", "c", "s", "key")}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """Eq. 4-6; the last of the mailbox is the word before, whose h~ asks too."""
        mailbox = nodes.mailbox
        # Cloned, for a view would keep the s of all words until the backward pass.
        query = self.W_s(mailbox["s"][:, -1].clone()) + nodes.data["x_query"]
        score = (mailbox["key"] + query.unsqueeze(1)).tanh_() @ self.v  # in place: it is as large as the mailbox
        weight = score.softmax(1).unsqueeze(1)
        before = {f"{name}_before": (weight @ mailbox[name]).squeeze(1) for name in ("h", "c")}
        return {**before, "asked": query}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 7-9."""
        s = nodes.data["h_before"]
        return self.cell(self.U(s) + nodes.data["wx"], s, nodes.data["c_before"], nodes.data["asked"])

    def cell(self, pre: Tensor, s: Tensor, c_before: Tensor, asked: Tensor) -> Outputs:
        """State and memory from the sums of candidate and gates, and W_h h for later words."""
        h, c = lstm_cell(pre, c_before.unsqueeze(1))
        return {"h": h, "c": c, "s": s, "asked": asked, "key": self.W_h(h)}

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, hidden]."""
        return mean_over_words(batch, states)
