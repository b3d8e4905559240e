"""Contextualised non-local networks (CN3): every word hears every word, and learns whom to listen to.

Liu, Chang, Huang, Tang, Cheung 2019, "Contextualized Non-local Neural Networks for Sequence Learning".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import torch
from torch import Tensor, nn

from dglsent.models.encoder import Encoder
from dglsent.nn.context import CONTEXTS, Context
from dglsent.nn.edge_attributes import EdgeAttribute, EdgeAttributes
from dglsent.nn.embeddings import WordEmbedding
from dglsent.nn.node_attributes import Attributes, NodeAttributes
from dglsent.nn.non_local import NonLocalLayer, Scorer, Update
from dglsent.nn.readout import mean_over_words
from dglsent.passing import Batch, Direction
from graphs.errors import check_choice, check_whole
from graphs.features import Vocabularies
from graphs.fields import COMPLETE


class CN3(Encoder):
    """CN3: layers of attention in which every word of a sentence hears every word, on top of attributes in context.

    The first states h^0 (eq. 3) are those of words and their attributes in context. Each layer then weighs every two
    words (structure update), gathers (aggregation) and moves the states (node update). The weights of layer l are kept
    as the edge field `attention_l` of the relation `complete`. Without layers and with a CRF it is a BiLSTM-CRF.

    Args:
        embedding: word vectors, d dimensions.
        hidden: size h of the states.
        layers: number L of layers.
        context: "lstm" (an LSTM from either side), "cnn" (three words at a time), "none" (tanh(W x + b)) or
            "concat" (x, the word's vector beside those of its attributes, which has `hidden` dimensions then).
        attributes: attributes of words.
        edges: attributes of edges: "relation" in the dependency tree, "distance" in tokens, "pmi" (pointwise mutual
            information) and "lexical" relation.
        edge_dim: dimensions of the embedding of each of them.
        lexical: number of ids of lexical relations, the length of their vocabulary, where they are among the edges'
            attributes.
        scorer: how a word is scored for another: "additive", "dot" or "bilinear" (`NonLocalLayer` has the equations).
        update: how a gate puts a state together: "interp" of the old one and what was heard, "gru_like" of the old one
            and a candidate made of both.
        self_loop: whether a word hears itself.
        tie_layers: one set of weights for all layers.
        reinject_attr: whether the scores of every layer read words and their attributes again, beside the states.
        vocabularies: those of the graphs, where attributes need them.

    Raises:
        InputError: an option is none of its choices, a size or `layers` is no whole number, or the vocabularies lack
            what attributes need.
        ValueError: `hidden` does not go with `context`, or an attribute of edges is unknown or has no vocabulary.
    """

    directions: tuple[Direction, ...] = ()
    relation = COMPLETE

    def __init__(
        self,
        embedding: WordEmbedding,
        hidden: int = 100,
        layers: int = 2,
        context: Context = "lstm",
        attributes: Attributes = Attributes(),  # noqa: B008  # frozen
        edges: Sequence[EdgeAttribute] = (),
        edge_dim: int = 20,
        lexical: int = 0,
        scorer: Scorer = "additive",
        update: Update = "interp",
        self_loop: bool = True,
        tie_layers: bool = False,
        reinject_attr: bool = False,
        vocabularies: Vocabularies | None = None,
    ) -> None:
        check_choice("context", context, get_args(Context))
        check_whole(0, layers=layers)
        super().__init__(embedding, hidden)
        self.attributes = NodeAttributes(attributes, vocabularies, embedding.dropout)
        size = embedding.dim + self.attributes.size
        self.context = CONTEXTS[context](size, hidden)
        self.edges = EdgeAttributes(edges, edge_dim, vocabularies, lexical)
        self.depth = layers
        self.layers = nn.ModuleList(
            NonLocalLayer(hidden, self.edges, scorer, update, self_loop, size if reinject_attr else 0)
            for _ in range(min(layers, 1) if tie_layers else layers)
        )
        self.relations = (*self.context.relations, self.relation)
        self.shows = tuple(f"{self.relation}.attention_{number}" for number in range(1, layers + 1))

    def encode(self, batch: Batch) -> Tensor:
        """States h [N, hidden] of all words; sets the fields x and h, and `attention_1` .. on the edges."""
        self.require_words(batch)
        batch.nodes["x"] = torch.cat([self.embedding.of(batch.nodes), *self.attributes(batch)], -1)
        batch.nodes["h"] = self.context.run(batch)
        for number in range(self.depth):
            layer = self.layers[number % len(self.layers)]
            layer.run(batch, self.edges, self.relation, f"attention_{number + 1}")  # type: ignore[operator]
        return batch.nodes["h"]

    def readout(self, batch: Batch, states: Tensor) -> Tensor:
        """Sentence vectors [S, hidden]: the mean over the words."""
        return mean_over_words(batch, states)
