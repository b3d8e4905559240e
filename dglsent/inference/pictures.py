"""Explanations as drawings: the one place where they meet `graphs.drawing`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphs.columns import Constituency, Dependencies, Sentence
from graphs.drawing import Svg, dependencies_svg, heat_svg, tree_svg
from graphs.fields import ATTEND, CHILD

if TYPE_CHECKING:
    from dglsent.inference.explanation import Explanation

_TREE, _ARCS = "tree", "dependencies"
_NOT_SHOWN = ("relation", "sentence", "sender", "receiver", "from", "to", "slot")


def pictures(explanation: Explanation) -> dict[str, Svg]:
    """Drawings of an explanation by name: its trees, then a heat map of each edge field that a tree cannot show."""
    drawn: dict[str, Svg] = {}
    sides = range(len(explanation.sentences))
    for side in sides:
        nodes = [node for node in explanation.nodes if node["sentence"] == side]
        edges = [edge for edge in explanation.edges if edge["sentence"] == side]
        name = f" {side + 1}" if len(sides) > 1 else ""
        sentence = explanation.sentences[side]
        if explanation.kind.startswith("constituency") and isinstance(sentence, Constituency):
            drawn[_TREE + name] = _tree(sentence, nodes, edges)
        elif explanation.kind == "dependency" and isinstance(sentence, Dependencies):
            drawn[_ARCS + name] = _arcs(sentence, edges)
        for relation, field in dict.fromkeys((edge["relation"], key) for edge in edges for key in _fields(edge)):
            if relation == CHILD and explanation.kind in ("dependency", "constituency", "constituency-nary"):
                continue
            of_field = [edge for edge in edges if edge["relation"] == relation and field in edge]
            senders = [node for node in explanation.nodes if node["sentence"] == (1 - side)]
            drawn[f"{relation}.{field}{name}"] = _heat(of_field, field, nodes, senders if relation == ATTEND else nodes)
    return drawn or _words(explanation.sentences)


def _tree(tree: Constituency, nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]]) -> Svg:
    """Coloured by what parents give to their children where that is shown; with what is predicted at each node."""
    weights = _child_weights(len(tree), edges)
    labels = [node.get("label", "") for node in nodes]
    notes = labels if any(labels) else None
    if weights is None:
        return tree_svg(tree, notes=notes)
    return tree_svg(tree, values=weights, notes=notes, palette="sequential", low=0.0, high=1.0)


def _arcs(sentence: Dependencies, edges: Sequence[Mapping[str, Any]]) -> Svg:
    weights = _child_weights(len(sentence), edges)
    return dependencies_svg(sentence, weights=weights)


def _child_weights(size: int, edges: Sequence[Mapping[str, Any]]) -> list[float] | None:
    """[size] what each node's parent gives to it, NaN at roots; None where no field says so."""
    found = [math.nan] * size
    for edge in edges:
        values = list(_fields(edge).values())
        if edge["relation"] == CHILD and values:
            found[edge["sender"]] = _scalar(values[0])
    return None if all(map(math.isnan, found)) else found


def _heat(
    edges: Sequence[Mapping[str, Any]], field: str, to: Sequence[Mapping[str, Any]], of: Sequence[Mapping[str, Any]]
) -> Svg:
    """Receivers as rows and senders as columns."""
    matrix = np.full((len(to), len(of)), math.nan)
    for edge in edges:
        matrix[edge["receiver"], edge["sender"]] = _scalar(edge[field])
    return heat_svg(matrix, [node["text"] for node in to], [node["text"] for node in of])


def _words(sentences: Sequence[Sentence]) -> dict[str, Svg]:
    """Sentences of which the model shows nothing."""
    bare = [Dependencies(one.words, np.full(len(one.words), -1), ["_"] * len(one.words)) for one in sentences]
    return {f"words {number}": dependencies_svg(one) for number, one in enumerate(bare, 1)}


def _fields(edge: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in edge.items() if name not in _NOT_SHOWN}


def _scalar(value: Any) -> float:
    """A gate that is a vector counts by its mean."""
    return float(np.mean(value))
