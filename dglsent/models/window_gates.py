"""Dynamic windows: every token weighs the tokens around it, slot by slot, before an encoder reads them.

Wu, Zhang, Zong, "A Dynamic Window Neural Network for CCG Supertagging"; equation numbers are the paper's.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor, nn

from dglsent.passing import Batch, NodesSeen, Outputs, update_all
from graphs.door import fn
from graphs.errors import check_choice, check_share, check_whole
from graphs.fields import SLOT

Filter: TypeAlias = Literal["one_layer", "cnn", "mlp", "averaging", "ones"]
DropoutStyle: TypeAlias = Literal["classic", "inverted"]

GATE = "gate"


class OneLayerGates(nn.Module):
    """One gate for each slot, r = sigmoid(Wr x + br) (eq. 9): windows [n, k, F] -> [n, k, 1]."""

    def __init__(self, slots: int, dim: int) -> None:
        super().__init__()
        self.W = nn.Linear(slots * dim, slots)

    def forward(self, window: Tensor) -> Tensor:
        """Gates of windows."""
        return self.squash(self.W(window.flatten(1))).unsqueeze(-1)

    def squash(self, pre: Tensor) -> Tensor:
        """Each gate by itself."""
        return torch.sigmoid(pre)


class CNNGates(nn.Module):
    """One gate for each dimension of each slot, r = sigmoid(conv(x)) (eq. 24-25): windows [n, k, F] -> [n, k, F].

    The filters are three slots wide, of which the text at hand says nothing, with zeros beyond the window.
    """

    def __init__(self, slots: int, dim: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(dim, dim, kernel_size=3, padding=1)

    def forward(self, window: Tensor) -> Tensor:
        """Gates of windows."""
        return torch.sigmoid(self.conv(window.transpose(1, 2))).transpose(1, 2)


class MLPGates(nn.Module):
    """One gate for each slot, r = sigmoid(W2 tanh(W1 x)) (eq. 26-27): windows [n, k, F] -> [n, k, 1].

    The hidden layer has as many units as a token has dimensions, of which the text at hand says nothing. With the
    paper's weights, two maps near 0, gates hardly differ at first and W1 gets little gradient: Adam makes up for it,
    SGD does not.
    """

    def __init__(self, slots: int, dim: int) -> None:
        super().__init__()
        self.W1, self.W2 = nn.Linear(slots * dim, dim), nn.Linear(dim, slots)

    def forward(self, window: Tensor) -> Tensor:
        """Gates of windows."""
        return torch.sigmoid(self.W2(torch.tanh(self.W1(window.flatten(1))))).unsqueeze(-1)


class AveragingGates(OneLayerGates):
    """Attention over the slots, a = softmax(Wr x + br): windows [n, k, F] -> [n, k, 1]."""

    def squash(self, pre: Tensor) -> Tensor:
        """Weights of the slots."""
        return torch.softmax(pre, -1)


class Ones(nn.Module):
    """r = 1 (eq. 12), the plain window; with dropout, one of random size: windows [n, k, F] -> [n, k, 1]."""

    def __init__(self, slots: int, dim: int) -> None:
        super().__init__()

    def forward(self, window: Tensor) -> Tensor:
        """Gates of windows."""
        return window.new_ones(*window.shape[:2], 1)


_FILTERS: dict[Filter, type[nn.Module]] = {
    "one_layer": OneLayerGates,
    "cnn": CNNGates,
    "mlp": MLPGates,
    "averaging": AveragingGates,
    "ones": Ones,
}


class DynamicWindow(nn.Module):
    """The gated window x~ = [r_0 f_{t-d}; ..; r_2d f_{t+d}] of every token (eq. 7-12), over window graphs.

    Args:
        dim: dimensions F of a token.
        half_width: tokens on either side, d; that of the graph.
        filter: what makes the gates. "averaging" gives the mean of the tokens, weighted by them, instead of the tokens
            side by side; "ones" is the plain window.
        dropout: share of the slots dropped in training (eq. 10), drawn anew for every token.
        dropout_style: "classic" multiplies gates by 1 - dropout outside training, as the paper; "inverted" divides them
            by it in training.

    Attributes:
        slots: tokens of a window, k = 2 d + 1.
        size: dimensions of x~: k F, or F with "averaging".

    Raises:
        InputError: there is no such filter or style, `half_width` is no whole number from 0, or `dropout` no share.
    """

    def __init__(
        self,
        dim: int,
        half_width: int = 1,
        filter: Filter = "one_layer",
        dropout: float = 0.5,
        dropout_style: DropoutStyle = "classic",
    ) -> None:
        super().__init__()
        check_choice("filter", filter, get_args(Filter))
        check_choice("dropout_style", dropout_style, get_args(DropoutStyle))
        check_whole(0, half_width=half_width)
        check_share(dropout=dropout)
        self.slots, self.averages = 2 * half_width + 1, filter == "averaging"
        self.size = dim if self.averages else self.slots * dim
        self.filter = _FILTERS[filter](self.slots, dim)
        self.dropout, self.dropout_style = dropout, dropout_style

    def run(self, batch: Batch, *, plain: bool = False) -> None:
        """Gates the windows of tokens f [N, F].

        Sets the node fields x [N, size] and mask [N, k, 1], with `plain` also window [N, k F], the plain window, all
        but the mask 0 at padding nodes, and the edge field gate: r before dropout, [E], or [E, F] with "cnn".
        """
        batch.nodes["mask"] = self._mask(batch.nodes["f"])
        update_all(batch, fn.copy_u("f", "f"), partial(self.reduce, plain=plain))
        batch.edges.set_lazy(GATE, partial(self._at_edges, batch, batch.nodes.pop("gates")))

    def reduce(self, nodes: NodesSeen, plain: bool = False) -> Outputs:
        """Eq. 7-11.

        Raises:
            ValueError: a node hears from more or fewer words than the window has slots.
        """
        window = nodes.mailbox["f"]
        if window.shape[1] != self.slots:
            raise ValueError(f"the encoder runs over windows of {self.slots} words; here a node has {window.shape[1]}")
        gates = self.filter(window)
        gated = nodes.data["mask"] * gates * window
        made = {"gates": gates, "x": gated.sum(1) if self.averages else gated.flatten(1)}
        return {**made, "window": window.flatten(1)} if plain else made

    @staticmethod
    def _at_edges(batch: Batch, gates: Tensor) -> Tensor:
        """The gate of each edge, among those [N, k, .] of its receiver."""
        gate = gates[batch.relation().nodes("dst"), batch.edges[SLOT]]
        return gate.squeeze(-1) if gate.shape[-1] == 1 else gate

    def _mask(self, f: Tensor) -> Tensor:
        """What the gates are multiplied by, [N, k, 1]: m (eq. 10) in training."""
        mask, keep = f.new_ones(len(f), self.slots, 1), 1 - self.dropout
        if self.dropout_style == "inverted":
            return nn.functional.dropout(mask, self.dropout, self.training)
        return mask.bernoulli_(keep) if self.training else mask.fill_(keep)
