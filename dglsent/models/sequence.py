"""Sequence models over chain graphs: LSTM, GRU and bidirectional LSTM, whose recurrences are `dglsent.nn.chains`."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from dglsent.models.encoder import Encoder
from dglsent.nn.chains import GRUChain, LSTMChain
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, Direction
from graphs.errors import check_choice


class SeqLSTM(Encoder):
    """LSTM, left to right, over chains; the sentence vector is the last state.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
        output_gate: False gives h = tanh(c), as the code released with the attentive tree encoders.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 150, output_gate: bool = True) -> None:
        super().__init__(embedding, hidden)
        self.chain = LSTMChain(embedding.dim, hidden, output_gate)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all words; sets the fields x, h and c."""
        batch.nodes["x"] = self.embedding.of(batch.nodes)
        return self.chain.run(batch)


class SeqGRU(Encoder):
    """GRU, left to right, over chains; the sentence vector is the last state.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the state.
    """

    def __init__(self, embedding: WordEmbedding, hidden: int = 150) -> None:
        super().__init__(embedding, hidden)
        self.chain = GRUChain(embedding.dim, hidden)

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all words; sets the fields x and h."""
        batch.nodes["x"] = self.embedding.of(batch.nodes)
        return self.chain.run(batch)


class BiLSTM(Encoder):
    """LSTMs in both directions over chains; a state is [left to right; right to left].

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of either state; `size` is 2 h.
        tie_directions: one set of weights for both directions, as the code of "To Attend or not to Attend".
        bilstm_readout: where the sentence vector takes the right-to-left state: "last_word", as that paper, at
            the last word, when it has read nothing else; "ends" at the first word, when it has read them all.
        output_gate: False gives h = tanh(c), as the code released with the attentive tree encoders.

    Raises:
        InputError: `bilstm_readout` is neither.
    """

    directions: tuple[Direction, ...] = ("up", "down")

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 150,
        tie_directions: bool = True,
        bilstm_readout: Literal["last_word", "ends"] = "last_word",
        output_gate: bool = True,
    ) -> None:
        super().__init__(embedding, 2 * hidden)
        check_choice("bilstm_readout", bilstm_readout, ("last_word", "ends"))
        self.bilstm_readout = bilstm_readout
        self.rightward = LSTMChain(embedding.dim, hidden, output_gate)
        self.leftward = None if tie_directions else LSTMChain(embedding.dim, hidden, output_gate)

    def encode(self, batch: Batch) -> Tensor:
        """States [N, 2 hidden] of all words; sets the fields x, h_forward and h_backward, and h and c."""
        batch.nodes["x"] = self.embedding.of(batch.nodes)
        batch.nodes["h_forward"] = self.rightward.run(batch, "up")
        batch.nodes["h_backward"] = (self.leftward or self.rightward).run(batch, "down")
        return torch.cat([batch.nodes["h_forward"], batch.nodes["h_backward"]], -1)

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, 2 hidden], taken as `bilstm_readout` says."""
        if self.bilstm_readout == "last_word":
            return batch.at_roots(states)
        forward, backward = states.chunk(2, -1)
        return torch.cat([batch.at_roots(forward), batch.at_first(backward)], -1)

    @property
    def memory_size(self) -> int:
        """Dimensions of a word's memory: those of one direction."""
        return self.size // 2

    def memory(self, states: Tensor) -> Tensor:
        """What another sentence attends to at a word: tanh(h_forward + h_backward), [N, hidden]."""
        forward, backward = states.chunk(2, -1)
        return torch.tanh(forward + backward)
