"""The layers of contextualised non-local networks, over any relation between words.

Liu, Chang, Huang, Tang, Cheung 2019, "Contextualized Non-local Neural Networks for Sequence Learning", eq. 1-6; where
the text at hand lacks a formula, its simplest reading is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, TypeAlias, get_args

import torch
from torch import Tensor, nn

from dglsent.nn.attention import additive_score, scoring_vector
from dglsent.nn.edge_attributes import EdgeAttributes
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, at_once, dot, softmax_sum, update_all
from graphs.errors import check_choice
from graphs.fields import POSITION

Scorer: TypeAlias = Literal["additive", "dot", "bilinear"]
Update: TypeAlias = Literal["interp", "gru_like"]

_NEVER = -1e9  # finite, so that a word that hears nobody else hears itself


class NonLocalLayer(nn.Module):
    """Structure update, aggregation and node update of one layer.

        s_ij = v . tanh(W_1 h_i + W_2 h_j + W_3 e_ij + b)             eq. 1, "additive"
        s_ij = (Q h_i) . (K h_j) / sqrt(d) + w . e_ij                 "dot"
        s_ij = (W h_i) . h_j + w . e_ij                               "bilinear"
        alpha_ij = softmax over the senders j of s_ij                 eq. 2
        m_i = sum_j alpha_ij h_j                                      eq. 4
        g = sigmoid(W_g h_i + U_g m_i + b_g)                          eq. 6
        h_i <- g * m_i + (1 - g) * h_i                                eq. 5, "interp"
        h_i <- g * tanh(W_m m_i + U_m h_i) + (1 - g) * h_i            "gru_like"

    Args:
        size: dimensions d of h.
        edges: the attributes e of edges.
        scorer: how s is made.
        update: how h is.
        self_loop: whether a word hears itself; without it, one that hears nobody else does.
        reinjected: dimensions of the field x of words and their attributes, where a score reads [h; x] instead of h;
            0 otherwise.

    Raises:
        InputError: `scorer` or `update` is none of these words.
    """

    def __init__(
        self,
        size: int,
        edges: EdgeAttributes,
        scorer: Scorer,
        update: Update,
        self_loop: bool,
        reinjected: int = 0,
    ) -> None:
        super().__init__()
        check_choice("scorer", scorer, get_args(Scorer))
        check_choice("update", update, get_args(Update))
        self.scorer, self.self_loop, self.reinjected = scorer, self_loop, reinjected
        additive, bilinear, seen = scorer == "additive", scorer == "bilinear", size + reinjected
        self.W_own = nn.Linear(seen, seen if bilinear else size, bias=additive)
        self.W_other = None if bilinear else nn.Linear(seen, size, bias=False)
        self.W_edge = nn.Linear(edges.size, size if additive else 1, bias=False) if edges.size else None
        self.v = scoring_vector(size) if additive else None
        self.W_g, self.U_g = StepLinear(size, size, bias=False), StepLinear(size, size)
        gru_like = update == "gru_like"
        self.W_m = StepLinear(size, size, bias=False) if gru_like else None
        self.U_m = StepLinear(size, size, bias=False) if gru_like else None

    def run(self, batch: Batch, edges: EdgeAttributes, relation: str, weight: str) -> None:
        """Update the field h [N, d] by a round over a relation, whose weights are kept as its edge field `weight`."""
        h = batch.nodes["h"]
        seen = torch.cat([h, batch.nodes["x"]], -1) if self.reinjected else h
        own = self.W_own(seen)
        batch.nodes["own"] = own / own.shape[-1] ** 0.5 if self.scorer == "dot" else own
        batch.nodes["other"] = seen if self.W_other is None else self.W_other(seen)
        tables = {} if self.W_edge is None else edges.project(self.W_edge)
        message: Callable[[EdgesSeen], Outputs] = partial(self.message, tables=tables)
        attention = softmax_sum(score="score", value="h", out="m", weight=weight)
        heard = message if self.scorer == "additive" else at_once(message)
        update_all(batch, heard, attention, self.update, relation=relation)

    def message(self, edges: EdgesSeen, tables: dict[str, Tensor]) -> Outputs:
        """Eq. 1: how much a word counts for another."""
        own, other = edges.dst["own"], edges.src["other"]
        said = EdgeAttributes.look_up(edges, tables) if tables else None
        if self.v is not None:
            score = additive_score(own if said is None else own + said, other, self.v)
        else:
            score = dot(own, other) if said is None else dot(own, other) + said.squeeze(-1)
        if not self.self_loop:
            score = score.masked_fill(edges.dst[POSITION] == edges.src[POSITION], _NEVER)
        return {"score": score}

    def update(self, nodes: NodesSeen) -> Outputs:
        """Eq. 5-6, of what a word has heard."""
        h, m = nodes.data["h"], nodes.data["m"]
        g = torch.sigmoid(self.W_g(h) + self.U_g(m))
        if self.W_m is not None and self.U_m is not None:
            m = torch.tanh(self.W_m(m) + self.U_m(h))
        return {"h": torch.lerp(h, m, g)}
