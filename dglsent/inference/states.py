"""What an encoder makes of a sentence, as features for another model."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from torch import Tensor

from dglsent.analysis.node_columns import node_spans
from dglsent.inference.predictor import Seen
from graphs import fields
from graphs.columns import IntArray, Sentence
from graphs.sentence_graph import SentenceGraph


@dataclass(frozen=True, eq=False, slots=True)
class States:
    """The states of a sentence's n nodes, and its vector.

    Attributes:
        text: of the sentence, its tokens with a space between each two.
        span: [n, 2] words of each node, the first and one past the last; padding nodes are left out.
        nodes: [n, d] a state for each node, in the order of the graph: words and phrases of a tree, words elsewhere.
            The tree is that of the graph, not the one given; see `Model.predict`. Match its nodes by `span`.
        vector: [d_s] of the sentence, which the task read.
    """

    text: str
    span: IntArray
    nodes: Tensor = field(repr=False)
    vector: Tensor = field(repr=False)


def states_of(seen: Seen) -> list[tuple[States, ...]]:
    """The states of the sentences of each example, on the model's device and without history."""
    # A layer that learns cannot read tensors made for inference alone; it can read copies.
    nodes = iter(seen.states.clone().split(seen.batch.node_counts.tolist()))
    vectors = iter(seen.vectors.clone())
    return [
        tuple(_states(*each, next(nodes), next(vectors)) for each in zip(shaped, graphs, strict=True))
        for shaped, graphs in zip(seen.shaped, seen.graphs, strict=True)
    ]


def _states(sentence: Sentence, graph: SentenceGraph, nodes: Tensor, vector: Tensor) -> States:
    real = np.flatnonzero(graph.nodes.get(fields.REAL, np.ones(graph.size)))
    return States(" ".join(sentence.words), node_spans(sentence, graph)[real], nodes[real], vector)
