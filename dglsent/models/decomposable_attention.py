"""Modified decomposable attention between the sentences of a pair, over any structure.

Gupta, Zhang 2018, "To Attend or not to Attend: A Case Study on Syntactic Structures for Semantic Relatedness",
eq. 14-18. "Modified" because states of an encoder attend, and only the roots compare: in Parikh et al. 2016 vectors of
words attend, and every word compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder, PairEncoder, made
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, EdgesSeen, Outputs, dot, softmax_sum, update_all
from graphs.columns import IntArray
from graphs.errors import check_choice
from graphs.fields import ATTEND, REAL


class DecomposableAttention(PairEncoder):
    """Sentence vectors G [h_root; context_root], the context a mean of the other sentence's nodes by similarity.

    Args:
        embedding: word vectors.
        structure: the encoder of one sentence; d is its `memory_size`, of a BiLSTM that of one direction. How it would
            read out a sentence counts for nothing: h is that of the root, in a chain the last word's.
        mda_G: whether G is a "linear" map, as in the released code, or followed by a "relu".

    Raises:
        InputError: `mda_G` is neither, or `structure` makes no encoder.
    """

    def __init__(
        self,
        embedding: WordEmbedding,
        structure: Callable[[WordEmbedding], Encoder],
        mda_G: Literal["linear", "relu"] = "linear",
    ) -> None:
        check_choice("mda_G", mda_G, ("linear", "relu"))
        encoder = made(structure, embedding)
        super().__init__(encoder, encoder.memory_size)
        self.mda_G = mda_G
        self.shows = (*encoder.shows, f"{ATTEND}.attention", f"{ATTEND}.E")
        self.G = nn.Linear(2 * self.size, self.size)

    def encode(self, batch: Batch) -> Tensor:
        """Memories [N, d] of all nodes.

        Sets them as field `memory`, and `context`; on attend edges `attention`, and `E`, of which it is the softmax.

        Raises:
            ValueError: the graphs are windows.
        """
        if REAL in batch.nodes:
            raise ValueError("sentences would attend to padding nodes; give it other graphs than windows")
        memory = batch.nodes["memory"] = self.memories(self.structure.encode(batch))
        # Eq. 14-16: both directions in one round, for every node hears the other sentence.
        average = softmax_sum(score="score", value="memory", out="context", weight="attention")
        update_all(batch, self.message, average, relation=ATTEND)
        attend = batch.relation(ATTEND)
        attend.edges.set_lazy("E", lambda: _alignment(memory, *attend.ends))  # no round keeps its scores
        return memory

    def message(self, edges: EdgesSeen) -> Outputs:
        """Eq. 14: how alike two nodes are."""
        return {"score": dot(edges.dst["memory"], edges.src["memory"])}

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Eq. 17-18: sentence vectors [2 B, d]."""
        roots = torch.cat([batch.at_roots(states), batch.at_roots(batch.nodes["context"])], -1)
        compared: Tensor = self.G(roots)
        return torch.relu(compared) if self.mda_G == "relu" else compared


def _alignment(memory: Tensor, senders: IntArray, receivers: IntArray) -> Tensor:
    """Eq. 14 of listed edges, [E]."""
    return dot(memory[receivers], memory[senders])
