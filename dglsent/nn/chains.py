"""Recurrences along chains: what a word hears of the one before, LSTM and GRU.

The step from a word to the next is a message; "up" runs left to right and ends in the last word, the root.
Equations 1-6, the LSTM, are those of Gupta, Zhang 2018, "To Attend or not to Attend: A Case Study on Syntactic
Structures for Semantic Relatedness". The GRU is that of Cho et al. 2014, "Learning Phrase Representations using RNN
Encoder-Decoder for Statistical Machine Translation", section 2.3; in that of Chung et al. 2014, which Zhou, Liu,
Pan 2016 take, z and 1 - z change places, which is the same function of other weights.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dglsent.nn.cells import lstm_cell
from dglsent.passing import Batch, Direction, EdgesSeen, NodesSeen, Outputs, StepLinear, propagate
from dglsent.passing.functions import NodeFunction
from graphs.fields import CHILD


def along_chain(
    batch: Batch,
    fields: tuple[str, ...],
    update: NodeFunction,
    *,
    leaf: NodeFunction,
    inputs: NodeFunction,
    relation: str = CHILD,
    direction: Direction = "up",
) -> None:
    """A recurrence: each word computes its fields from its inputs and the fields of the word before.

    Args:
        batch: the sentences.
        fields: those that a word sends to the next, which hears h as h_before.
        update: the step at a word after another; it returns all of `fields`.
        leaf: the step at a first word; likewise.
        inputs: see `propagate`.
        relation: `child` in chains, `next` in graphs where that is another relation.
        direction: "up" from left to right, "down" from right to left.

    Raises:
        ValueError: a node hears from several.
    """

    def message(edges: EdgesSeen) -> Outputs:
        return {name: edges.src[name] for name in fields}

    def reduce(nodes: NodesSeen) -> Outputs:
        heard = nodes.mailbox[fields[0]].shape[1]
        if heard != 1:
            raise ValueError(f"a sequence model runs over chains; here a node hears from {heard} others")
        return {f"{name}_before": nodes.mailbox[name].squeeze(1) for name in fields}

    propagate(batch, message, reduce, update, relation=relation, direction=direction, leaf=leaf, inputs=inputs)


def half(name: str, size: int) -> int:
    """The size of either of two LSTMs, from the left and from the right, whose states are `size` dimensions together.

    Raises:
        ValueError: it is odd; `name` is that of the option.
    """
    if size % 2:
        raise ValueError(f"{name} {size}: an LSTM from either side makes half of it; give an even number")
    return size // 2


class LSTMChain(nn.Module):
    """An LSTM (eq. 1-6) along chains whose nodes have the field x, d dimensions.

    Args:
        dim: d.
        hidden: size h of the state.
        output_gate: False gives h = tanh(c), as the code released with the attentive tree encoders.
    """

    def __init__(self, dim: int, hidden: int, output_gate: bool = True) -> None:
        super().__init__()
        self.output_gate = output_gate
        gates = 4 if output_gate else 3
        self.W = StepLinear(dim, gates * hidden)
        self.U = StepLinear(hidden, gates * hidden, bias=False)

    def run(self, batch: Batch, direction: Direction = "up", *, relation: str = CHILD) -> Tensor:
        """States h [N, hidden] of all words; sets the fields h and c.

        Args:
            batch: the sentences.
            direction: "up" from left to right, "down" from right to left.
            relation: `child` in chains, `next` in graphs where that is another relation.

        Raises:
            ValueError: a node hears from several.
        """
        along_chain(
            batch, ("h", "c"), self.update, leaf=self.leaf, inputs=self.inputs, relation=relation, direction=direction
        )
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b, in the order g, i, f, o, the last only with an output gate."""
        return {"wx": self.W(nodes.data["x"])}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """Eq. 1-6 at the first word, which meets no state and an empty memory."""
        wx = self.W(nodes.data["x"])
        return self.cell(wx, wx.new_zeros(len(wx), self.U.in_features))

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 1-6."""
        return self.cell(self.U(nodes.data["h_before"]) + nodes.data["wx"], nodes.data["c_before"])

    def cell(self, pre: Tensor, c_before: Tensor) -> Outputs:
        """Memory and state from the sums of candidate and gates."""
        h, c = lstm_cell(pre, c_before.unsqueeze(1), output_gate=self.output_gate)
        return {"h": h, "c": c}


class GRUChain(nn.Module):
    """A GRU along chains whose nodes have the field x, d dimensions.

    Unlike torch's, it resets the state before U, as the paper does: torch's fused GRU is another function.

    Args:
        dim: d.
        hidden: size h of the state.
    """

    def __init__(self, dim: int, hidden: int) -> None:
        super().__init__()
        self.W = StepLinear(dim, 3 * hidden)
        self.U_zr = StepLinear(hidden, 2 * hidden, bias=False)
        self.U_g = StepLinear(hidden, hidden, bias=False)

    def run(self, batch: Batch, direction: Direction = "up", *, relation: str = CHILD) -> Tensor:
        """States h [N, hidden] of all words; sets the field h. See `LSTMChain.run`."""
        along_chain(
            batch, ("h",), self.update, leaf=self.leaf, inputs=self.inputs, relation=relation, direction=direction
        )
        return batch.nodes["h"]

    def inputs(self, nodes: NodesSeen) -> Outputs:
        """W x + b, in the order g, z, r."""
        hidden = self.U_g.in_features
        wx_g, wx_zr = self.W(nodes.data["x"]).split([hidden, 2 * hidden], -1)
        return {"wx_g": wx_g, "wx_zr": wx_zr}

    def leaf(self, nodes: NodesSeen) -> Outputs:
        """The first word, which meets no state: h = (1 - z) * g."""
        g, z, _ = self.W(nodes.data["x"]).chunk(3, -1)
        return {"h": (1 - torch.sigmoid(z)) * torch.tanh(g)}

    def update(self, nodes: NodesSeen) -> Outputs:
        """State h = z * h' + (1 - z) * g with the candidate g = tanh(W x + U (r * h') + b)."""
        h = nodes.data["h_before"]
        z, r = torch.sigmoid(self.U_zr(h) + nodes.data["wx_zr"]).chunk(2, -1)
        g = torch.tanh(self.U_g(r * h) + nodes.data["wx_g"])
        return {"h": torch.lerp(g, h, z)}
