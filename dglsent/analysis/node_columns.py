"""What is known of the nodes of a sentence without the model: where they stand, their text, tags and gold classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dglsent.corpora.example import Parsed
from graphs import features, fields
from graphs.columns import Constituency, Dependencies, IntArray, Sentence
from graphs.sentence_graph import SentenceGraph

NONE = -1


def node_columns(sentence: Parsed, shaped: Sentence, graph: SentenceGraph) -> dict[str, Any]:
    """Columns [n] of the nodes: number, parent, words, text and tag, and of those that are words head and relation.

    Args:
        sentence: the sentence as it was given.
        shaped: what became its graph.
        graph: the graph, of n nodes.
    """
    words, position = shaped.words, node_positions(shaped, graph)
    span = node_spans(shaped, graph)
    parent = np.full(graph.size, NONE)
    # In windows and complete graphs a node sends to many, or to itself.
    if len(np.unique(graph.src)) == len(graph.src) and (graph.src != graph.dst).all():
        parent[graph.src] = graph.dst
    head, relation = _dependencies(sentence, shaped)
    at_word = np.where(position >= 0, position, len(words))
    return {
        "node": np.arange(graph.size),
        "parent": parent,
        "start": span[:, 0],
        "end": span[:, 1],
        "text": [" ".join(words[a:b]) if a >= 0 else "" for a, b in span.tolist()],
        "tag": _tags(shaped, graph, position),
        "head": np.append(head, NONE)[at_word],
        "dependency": [relation[place] for place in at_word.tolist()],
    }


def node_positions(shaped: Sentence, graph: SentenceGraph) -> IntArray:
    """The word [n] that each node is, -1 where it is none.

    A graph of one's own may not say: its nodes are the words then if there are as many.
    """
    count = len(shaped.words)
    position = graph.nodes.get(fields.POSITION)
    if position is None:
        return np.arange(count) if graph.size == count else np.full(graph.size, NONE)
    return position


def node_spans(shaped: Sentence, graph: SentenceGraph) -> IntArray:
    """The words [n, 2] of each node, the first and one past the last; [-1, -1] where it has none."""
    span = graph.nodes.get(fields.SPAN)
    if span is not None:
        return span
    position = node_positions(shaped, graph)
    return np.stack([position, position + (position >= 0)], 1)


def is_root(graph: SentenceGraph) -> np.ndarray[Any, Any]:
    """Whether each node [n] is the root; complete and window graphs have none, unless of one node."""
    return (graph.level == 0) & (graph.size == 1 or bool(graph.level.any()))


def gold_labels(sentence: Parsed, graph: SentenceGraph) -> np.ndarray[Any, Any]:
    """The gold classes [n] of the nodes, -1 where one has none."""
    gold: np.ndarray[Any, Any] = graph.nodes.get(fields.LABEL, np.full(graph.size, NONE)).copy()
    if sentence.labels is not None and fields.SPAN in graph.nodes and len(sentence.labels) == graph.size:
        gold[:] = sentence.labels
    return gold


def _dependencies(sentence: Parsed, shaped: Sentence) -> tuple[np.ndarray[Any, Any], list[str]]:
    """Heads [n] of the words, -1 at roots and -2 where there is no parse, and n + 1 relations."""
    parse, size = sentence.dependencies, len(shaped.words)
    if parse is not None and isinstance(shaped, Dependencies) and shaped.words != parse.words:
        parse = None if shaped.headless else shaped  # one's own graph is of other words, such as of a path alone
    if parse is None or len(parse) != size:
        return np.full(size, -2), [""] * (size + 1)
    return np.asarray(parse.head), [*parse.relation, ""]


def _tags(shaped: Sentence, graph: SentenceGraph, position: np.ndarray[Any, Any]) -> list[str]:
    tags = [tag or "" for tag in features.tags(shaped)]
    if len(tags) == graph.size and fields.SPAN in graph.nodes:
        return tags
    if isinstance(shaped, Constituency):
        tags = [tag for tag, word in zip(tags, shaped.word, strict=True) if word is not None]
    return [tags[place] if place >= 0 else "" for place in position.tolist()]
