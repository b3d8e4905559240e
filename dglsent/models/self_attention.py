"""Self-attention as the paper of `CN3` compares it: pooling by a learned query, and the encoder of the Transformer.

The third of their kinds, attention over preceding words, is `LSTMN`.
"""

from __future__ import annotations

from typing import Literal

from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.models.sequence import BiLSTM
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.positions import PositionEmbedding, Sinusoids
from dglsent.nn.readout import QueryPooling, mean_over_words
from dglsent.passing import Batch, Direction, EdgesSeen, Outputs, dot, softmax_sum, update_all
from graphs.errors import check_choice, check_share, check_whole
from graphs.fields import COMPLETE, POSITION

_POSITIONS = 512


class AttentiveBiLSTM(BiLSTM):
    """A bidirectional LSTM over chains, whose states a learned query pools (SelfAtt1).

    Lin et al. 2017, "A Structured Self-attentive Sentence Embedding", with one hop.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of either state; `size` is 2 h.
    """

    shows = ("attention",)

    def __init__(self, embedding: WordEmbedding, hidden: int = 150) -> None:
        super().__init__(embedding, hidden, tie_directions=False)
        self.pooling = QueryPooling(self.size, hidden)

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, 2 hidden]; keeps the weights as the node field `attention`."""
        pooled: Tensor = self.pooling(batch, states)
        return pooled


class Transformer(Encoder):
    """The encoder of the Transformer over the words of a sentence (SelfAtt3); the sentence vector is their mean.

    Vaswani et al. 2017, "Attention Is All You Need". The first states are W x plus the vectors of the positions; the
    paper multiplies the embeddings that it learns by sqrt(h), and W x so multiplied would drown the positions. The
    weights of layer l are kept as the edge field `attention_l` [E, heads] of the relation `complete`.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the states.
        layers: number of layers.
        heads: number of heads; h is a multiple of it.
        inner: size of the hidden layer of the feed-forward networks; 4 h by default.
        positions: "sinusoidal", or "learned" for the first 512 words, of which later ones have the last vector.
        dropout: share of what each sublayer says, and of the first states, dropped in training.

    Raises:
        ValueError: h is odd, or no multiple of the heads.
        InputError: `positions` is neither, a size or number is no whole one, there are no heads, or `dropout` is no
            share.
    """

    directions: tuple[Direction, ...] = ()
    relations = (COMPLETE,)

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 128,
        layers: int = 2,
        heads: int = 4,
        inner: int | None = None,
        positions: Literal["sinusoidal", "learned"] = "sinusoidal",
        dropout: float = 0.1,
    ) -> None:
        super().__init__(embedding, hidden)
        check_whole(heads=heads)
        check_whole(0, layers=layers, inner=inner or 0)
        check_share(dropout=dropout)
        if hidden % heads or hidden % 2:
            raise ValueError(f"hidden {hidden}; give an even multiple of the {heads} heads")
        check_choice("positions", positions, ("sinusoidal", "learned"))
        self.W = nn.Linear(embedding.dim, hidden, bias=False)
        self.positions = Sinusoids(hidden) if positions == "sinusoidal" else PositionEmbedding(_POSITIONS, hidden)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(
            TransformerLayer(hidden, heads, inner or 4 * hidden, dropout) for _ in range(layers)
        )
        self.shows = tuple(f"{COMPLETE}.attention_{number}" for number in range(1, layers + 1))

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all words; sets the field h, and `attention_1` .. on the edges."""
        self.require_words(batch)
        x = self.W(self.embedding.of(batch.nodes))
        batch.nodes["h"] = self.dropout(x + self.positions(batch.nodes[POSITION]).to(x.dtype))
        for number, layer in enumerate(self.layers, 1):
            layer.run(batch, f"attention_{number}")  # type: ignore[operator]
        return batch.nodes["h"]

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, hidden]."""
        return mean_over_words(batch, states)


class TransformerLayer(nn.Module):
    """Attention with several heads, then a feed-forward network, each added to its input and normalised.

    Args:
        size: dimensions d of h.
        heads: number of heads.
        inner: size of the hidden layer of the feed-forward network.
        dropout: share of what either says dropped in training.
    """

    def __init__(self, size: int, heads: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.W_qkv = nn.Linear(size, 3 * size)
        self.W_o = nn.Linear(size, size)
        self.feed_forward = nn.Sequential(nn.Linear(size, inner), nn.ReLU(), nn.Linear(inner, size))
        self.norms = nn.ModuleList([nn.LayerNorm(size), nn.LayerNorm(size)])
        self.dropout = nn.Dropout(dropout)

    def run(self, batch: Batch, weight: str) -> None:
        """Update the field h [N, d] by a round over all words, whose weights are kept as the edge field `weight`."""
        h = batch.nodes["h"]
        query, key, value = self.W_qkv(h).unflatten(-1, (3, self.heads, -1)).unbind(1)
        batch.nodes.update({"query": query / query.shape[-1] ** 0.5, "key": key, "value": value})
        attention = softmax_sum(score="score", value="value", out="heard", weight=weight)
        update_all(batch, self.message, attention, relation=COMPLETE)
        heard = self.W_o(batch.nodes["heard"].flatten(1))
        h = self.norms[0](h + self.dropout(heard))
        batch.nodes["h"] = self.norms[1](h + self.dropout(self.feed_forward(h)))

    def message(self, edges: EdgesSeen) -> Outputs:
        """How much a word counts for another, in each head (eq. 1)."""
        return {"score": dot(edges.dst["query"], edges.src["key"])}
