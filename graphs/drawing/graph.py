"""A sentence's graph as SVG, whatever builder made it."""

from __future__ import annotations

from typing import Final

import numpy as np

from graphs import fields
from graphs.columns import Constituency
from graphs.drawing.arcs import arcs_svg
from graphs.drawing.canvas import Svg
from graphs.drawing.given import wants
from graphs.drawing.heat import heat_svg
from graphs.drawing.tree import tree_svg
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph
from graphs.vocabulary import Vocabulary

_MOST: Final = 3  # arcs a node, beyond which they are drawn as a matrix


def graph_svg(graph: SentenceGraph, vocabularies: Vocabularies | None = None, *, title: str | None = None) -> Svg:
    """Draws a graph: one over phrases as a tree, others as arcs from senders to receivers, dense ones as a matrix.

    The trees of a document stand side by side.

    Args:
        graph: N nodes.
        vocabularies: with them nodes have their words and tags, without them the ids.
        title: a line above the drawing.

    Raises:
        InputError: `graph` is something else or has no nodes, or its ids are not those of the vocabularies.
    """
    wants(graph, SentenceGraph, "graph_svg", "a SentenceGraph, such as graphs.constituency makes")
    word, tag = _names(graph, fields.WORD, vocabularies), _names(graph, fields.TAG, vocabularies)
    if fields.SPAN in graph.nodes and (tree := _tree(graph, word, tag)):
        return tree_svg(tree, title=title)
    names = [one or other or "·" for one, other in zip(word, tag, strict=True)]
    listed = graph.listed()
    if len(listed.src) <= _MOST * graph.size:
        arcs = zip(listed.src.tolist(), listed.dst.tolist(), strict=True)
        return arcs_svg(names, arcs, notes=[tag], title=title)
    cells = np.zeros((graph.size, graph.size))
    np.add.at(cells, (listed.dst, listed.src), 1.0)
    about = f"{len(listed.src)} edges, a row a receiver"
    return heat_svg(cells, names, names, title=title or about)


def _names(graph: SentenceGraph, name: str, vocabularies: Vocabularies | None) -> list[str]:
    """The strings of a field of nodes, "" for none.

    Raises:
        InputError: the vocabulary has no such id.
    """
    ids = graph.nodes.get(name, np.zeros(graph.size, dtype=np.int64)).tolist()
    vocabulary: Vocabulary | None = getattr(vocabularies, name, None)
    if vocabulary and max(ids, default=0) >= len(vocabulary):
        raise InputError(
            f"the graph has {name} {max(ids)}, and its vocabulary has {len(vocabulary)} ids; give the vocabularies of "
            "which the graph was made"
        )
    return ["" if not id_ else vocabulary.strings[id_] if vocabulary else f"{name} {id_}" for id_ in ids]


def _tree(graph: SentenceGraph, word: list[str], tag: list[str]) -> Constituency | None:
    """The trees of a graph over phrases; None where it is no forest in pre-order with words at the leaves."""
    parent = np.full(graph.size, -1)
    parent[graph.src] = graph.dst
    above = parent.tolist()
    if len(np.unique(graph.src)) < len(graph.src) or any(up >= node for node, up in enumerate(above)):
        return None
    inner = set(above)
    return Constituency(tag, [None if node in inner else word[node] or "·" for node in range(graph.size)], parent)
