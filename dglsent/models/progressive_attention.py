"""Progressive attention between the sentences of a pair, over any structure.

Gupta, Zhang 2018, "To Attend or not to Attend: A Case Study on Syntactic Structures for Semantic Relatedness",
eq. 19-24: every node looks at the other sentence while its own sentence is being composed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder, PairEncoder, made
from dglsent.nn.attention import additive_score
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, EdgesSeen, NodesSeen, Outputs, StepLinear, frontier_pass, softmax_sum, update_all
from graphs.door import fn
from graphs.errors import check_choice, check_size
from graphs.fields import ATTEND, CHILD


class ProgressiveAttention(PairEncoder):
    """A plain pass gives every node a memory H; in a second pass the nodes of each sentence attend to the other's.

    After the cell of node j gave h_j, attention a over the nodes k of the other sentence (eq. 19-21) turns it into

        h'_j = sum_k (1 - a_k) H_k + sum_k a_k h_j    (eq. 22)

    which is what its parent sees. As a sums to 1 this is h_j + sum_k H_k - sum_k a_k H_k, and so it is computed. The
    sentence vector is tanh(h' + h) at the root (eq. 23-24). Cell and attention are shared by both sentences. Near 0,
    where weights start, tanh is linear and W h_j of eq. 21, alike for all k, cancels: with L2 it is hardly learnt.
    Dropout of word vectors is drawn anew in the second pass.

    Args:
        embedding: word vectors.
        structure: the encoder of one sentence, any whose propagations over `child` compute the field h, of
            `memory_size` dimensions: Tree-LSTMs and Tree-GRUs, LSTMs and GRUs of chains.
        pa_propagate: False mixes into the states h_j of the plain pass instead, and no parent sees the outcome.
        pa_mix: "paper" is eq. 22; "mean" divides sum_k H_k - sum_k a_k H_k by the number of nodes k; "context" is
            h_j + sum_k a_k H_k, the attended context added instead of subtracted.

    Raises:
        ValueError: the structure has no propagations.
        InputError: `pa_mix` is none of these, `structure` makes no encoder, or without propagation the states that it
            makes in a direction are no memories.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        structure: Callable[[WordEmbedding], Encoder],
        pa_propagate: bool = True,
        pa_mix: Literal["paper", "context", "mean"] = "paper",
    ) -> None:
        check_choice("pa_mix", pa_mix, ("paper", "context", "mean"))
        encoder = made(structure, embedding)
        if not encoder.directions:
            raise ValueError(f"{type(encoder).__name__} propagates nothing; take a structure that does, such as BiLSTM")
        if not pa_propagate:
            what = f"the states of {type(encoder).__name__} in each direction"
            given, wanted = encoder.size // len(encoder.directions), encoder.memory_size
            check_size(what, given, wanted, "take a structure such as BiLSTM or a Tree-LSTM")
        super().__init__(encoder, encoder.size)
        self.pa_propagate, self.pa_mix = pa_propagate, pa_mix
        if pa_propagate:
            self.relations = (*self.relations, *((ATTEND, direction) for direction in self.directions))
        self.shows = (*encoder.shows, *(f"{ATTEND}.attention_{direction}" for direction in encoder.directions))
        hidden = encoder.memory_size
        self.W_own = StepLinear(hidden, hidden)
        self.W_other = StepLinear(hidden, hidden, bias=False)
        self.w = nn.Parameter(torch.randn(hidden) * 0.05)

    def encode(self, batch: Batch) -> Tensor:
        """States tanh(h' + h) [N, size] of all nodes.

        Sets the fields `memory`, H, and of the structure those of the second pass; on attend edges `attention_up`, and
        of a BiLSTM `attention_down`.
        """
        plain = self.structure.encode(batch)
        memory = self.memories(plain)
        batch.nodes["memory"], batch.nodes["memory_key"] = memory, self.W_other(memory)
        if self.pa_mix != "context":
            update_all(batch, fn.copy_u("memory", "m"), fn.sum("m", "memory_sum"), relation=ATTEND)
        if self.pa_mix == "mean":
            batch.nodes["one"] = memory.new_ones(len(memory), 1)
            update_all(batch, fn.copy_u("one", "m"), fn.sum("m", "memory_count"), relation=ATTEND)
        if self.pa_propagate:
            attention = softmax_sum(score="score", value="memory", out="context", weight="attention")
            with frontier_pass(ATTEND, self.message, attention, self.mix, inputs=self.own, along=CHILD):
                attended = self.structure.encode(batch)
        else:
            attended = self._attended_once(batch, plain)
        return torch.tanh(attended + plain)

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [2 B, size], as the structure reads them out."""
        vectors: Tensor = self.structure.readout(batch, states)
        return vectors

    def own(self, nodes: NodesSeen) -> Outputs:
        """The part of eq. 21 that is the node's own."""
        h, wanted = nodes.data["h"], self.W_own.in_features
        what = f"the states h that {type(self.structure).__name__} propagates"
        check_size(what, h.shape[-1], wanted, "take a structure whose memories are of that size, as a Tree-LSTM")
        return {"own_key": self.W_own(h)}

    def message(self, edges: EdgesSeen) -> Outputs:
        """The score of eq. 21: w . tanh(W [h_j; H_k] + b)."""
        return {"score": additive_score(edges.dst["own_key"], edges.src["memory_key"], self.w)}

    def mix(self, nodes: NodesSeen) -> Outputs:
        """Eq. 22."""
        h, context = nodes.data["h"], nodes.data["context"]
        if self.pa_mix == "context":
            return {"h": h + context}
        rest = nodes.data["memory_sum"] - context
        return {"h": h + (rest / nodes.data["memory_count"] if self.pa_mix == "mean" else rest)}

    def _attended_once(self, batch: Batch, plain: Tensor) -> Tensor:
        """Eq. 22 at the states of the plain pass, those of each direction apart."""
        parts = []
        for direction, h in zip(self.directions, plain.chunk(len(self.directions), -1), strict=True):
            batch.nodes["h"], batch.nodes["own_key"] = h, self.W_own(h)
            average = softmax_sum(score="score", value="memory", out="context", weight=f"attention_{direction}")
            update_all(batch, self.message, average, self.mix, relation=ATTEND)
            parts.append(batch.nodes["h"])
        del batch.nodes["own_key"]  # a field of this name is made by `own` where parents see the outcome
        return torch.cat(parts, -1)
