"""Bidirectional Tree-LSTM over binary constituency trees, with head words.

Teng, Zhang 2017, "Head-Lexicalized Bidirectional Tree LSTMs". The equations are those of the code released with the
paper, whose peepholes are full matrices.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.nn.cells import lstm_cell
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, Direction, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate
from graphs.door import fn
from graphs.errors import check_whole
from graphs.fields import SLOT


class BiTreeLSTM(Encoder):
    """A Tree-LSTM up and one down a binary tree, both of which read a soft head word at every node.

    A node's state is made of its state on the way up, its state on the way down, and the mean of the latter over
    the words under it.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the states up and down.
        units: size of the state that is made of them.

    Raises:
        InputError: `hidden` is no whole number from 1.
    """

    directions: tuple[Direction, ...] = ("up", "down")

    def __init__(self, embedding: WordEmbedding, hidden: int = 150, units: int = 128) -> None:
        super().__init__(embedding, units)
        check_whole(hidden=hidden)
        self.head = StepLinear(2 * embedding.dim, embedding.dim)
        self.up = UpwardTreeLSTM(embedding.dim, hidden)
        self.down = DownwardTreeLSTM(embedding.dim, hidden)
        self.output = nn.Linear(3 * hidden, units)

    def encode(self, batch: Batch) -> Tensor:
        """States r [N, units] of all nodes.

        Sets the fields x (the head word, [N, d]), h_up, c_up, h_down, c_down, h_words (h_down averaged over the
        words under a node) and r.
        """
        self.require_binary(batch)
        propagate(batch, self.message, self.reduce, self.update, leaf=self.leaf)
        self.down.run(batch)
        propagate(batch, fn.copy_u("sum", "sum"), fn.sum("sum", "sum"), leaf=self.words)
        total = batch.nodes["sum"]
        batch.nodes["h_words"] = total[:, :-1] / total[:, -1:]
        states = [batch.nodes[name] for name in ("h_up", "h_words", "h_down")]
        batch.nodes["r"] = torch.relu(self.output(torch.cat(states, -1)))
        return batch.nodes["r"]

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The head of a word is the word."""
        x = self.embedding.of(nodes.data)
        return {"x": x, **self.up.leaf(x)}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A child sends its head word, state and memory."""
        return {name: edges.src[name] for name in ("x", "h_up", "c_up")}

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """The head is a x_l + (1 - a) x_r with the gate a = sigmoid(P_l x_l + P_r x_r + b)."""
        x = nodes.mailbox["x"]
        x_l, x_r = x.unbind(1)
        head = torch.lerp(x_r, x_l, torch.sigmoid(self.head(x.flatten(1))))
        return {"x": head, "h_children": nodes.mailbox["h_up"], "c_children": nodes.mailbox["c_up"]}

    def update(self, nodes: NodesSeen) -> Outputs:
        """The state of a phrase, of its head word and its children."""
        x = nodes.data["x"]
        return {"x": x, **self.up.phrase(x, nodes.data["h_children"], nodes.data["c_children"])}

    def words(self, nodes: NodesSeen) -> Outputs:
        """At a word, the sum of h_down over the words under it, and their number."""
        h = nodes.data["h_down"]
        return {"sum": torch.cat([h, torch.ones_like(h[:, :1])], -1)}


class UpwardTreeLSTM(nn.Module):
    """A binary Tree-LSTM cell with peepholes and an input at every node.

    Args:
        dim: dimensions d of the input x.
        hidden: size h of the state.
    """

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.W = StepLinear(dim, 4 * hidden, bias=False)  # x -> g, i, f, o: both forget gates share W_f
        self.U = StepLinear(2 * hidden, 5 * hidden)  # [h_l; h_r] -> g, i, f_l, f_r, o, and the biases of all
        self.C = StepLinear(2 * hidden, 3 * hidden, bias=False)  # [c_l; c_r] -> i, f_l, f_r
        self.C_o = StepLinear(hidden, hidden, bias=False)  # c -> o

    def leaf(self, x: Tensor) -> Outputs:
        """A word: i, g and o of x alone."""
        g, i, _, o = self.W(x).chunk(4, -1)
        b_g, b_i, _, _, b_o = self.U.bias.chunk(5)
        squashed, c = lstm_cell(torch.cat([g + b_g, i + b_i], -1), output_gate=False)
        return {"h_up": torch.sigmoid(o + b_o) * squashed, "c_up": c}

    def phrase(self, x: Tensor, h: Tensor, c: Tensor) -> Outputs:
        """A phrase with head x [n, d] over children with states and memories [n, 2, h]."""
        g, i, f, o = self.W(x).chunk(4, -1)
        sums = self.U(h.flatten(1)) + torch.cat([g, i, f, f, o], -1)
        g, i_f, o = sums.split([self.hidden, 3 * self.hidden, self.hidden], -1)
        squashed, c = lstm_cell(torch.cat([g, self.C(c.flatten(1)) + i_f], -1), c, output_gate=False)
        return {"h_up": torch.sigmoid(self.C_o(c) + o) * squashed, "c_up": c}


class DownwardTreeLSTM(nn.Module):
    """An LSTM with peepholes from the root down, whose matrices depend on the side on which a child stands.

    Args:
        dim: dimensions d of the input, the field x.
        hidden: size h of the state.
    """

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.W = StepLinear(dim, 4 * hidden)  # x -> g, i, f, o, the same on both sides
        self.U = StepLinear(2 * hidden, 4 * hidden, bias=False)  # [h; 0] or [0; h] -> g, i, f, o
        self.C = StepLinear(2 * hidden, 2 * hidden, bias=False)  # [c; 0] or [0; c] -> i, f
        self.C_o = StepLinear(hidden, hidden, bias=False)  # c -> o

    def run(self, batch: Batch) -> None:
        """Set the fields h_down and c_down [N, h]."""
        propagate(batch, self.message, self.reduce, self.update, direction="down", leaf=self.root, inputs=self.inputs)

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b."""
        return {"wx": self.W(nodes.data["x"])}

    def root(self, nodes: NodesSeen) -> Outputs:
        """The root: i, g and o of x alone."""
        g, i, _, o = self.W(nodes.data["x"]).chunk(4, -1)
        squashed, c = lstm_cell(torch.cat([g, i], -1), output_gate=False)
        return {"h_down": torch.sigmoid(o) * squashed, "c_down": c}

    def message(self, edges: EdgesSeen) -> Outputs:
        """A parent sends state and memory, on the side of the child."""
        right = edges.data[SLOT].unsqueeze(-1)
        h, c = edges.src["h_down"], edges.src["c_down"]
        return {
            "h": torch.cat([h * (1 - right), h * right], -1),
            "c_sided": torch.cat([c * (1 - right), c * right], -1),
            "c": c,
        }

    def reduce(self, nodes: NodesSeen) -> Outputs:
        """What the one parent sends."""
        h, c_sided = nodes.mailbox["h"].flatten(1), nodes.mailbox["c_sided"].flatten(1)
        return {"h": h, "c_sided": c_sided, "c_parent": nodes.mailbox["c"]}

    def update(self, nodes: NodesSeen) -> Outputs:
        """A child."""
        sums = self.U(nodes.data["h"]) + nodes.data["wx"]
        g, i_f, o = sums.split([self.hidden, 2 * self.hidden, self.hidden], -1)
        pre = torch.cat([g, self.C(nodes.data["c_sided"]) + i_f], -1)
        squashed, c = lstm_cell(pre, nodes.data["c_parent"], output_gate=False)
        return {"h_down": torch.sigmoid(self.C_o(c) + o) * squashed, "c_down": c}
