"""Explanations as drawings: the one place where they meet `graphs.drawing`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from dglsent.inference.predictor import TREES
from graphs.columns import Constituency, Dependencies, Sentence
from graphs.drawing import Svg, attention_svg, dependencies_svg, heat_svg, pair_svg, tree_svg, window_svg
from graphs.fields import ATTEND, CHILD

if TYPE_CHECKING:
    from dglsent.inference.explanation import Explanation

_Side: TypeAlias = "Constituency | Dependencies | list[str]"
_TREE, _ARCS = "tree", "dependencies"
_NOTHING = "the words alone: this model shows nothing more of them"
_MOST = 20  # words whose arcs can still be told apart
_NOT_SHOWN = ("relation", "sentence", "sender", "receiver", "from", "to", "slot")


def pictures(explanation: Explanation) -> dict[str, Svg]:
    """Drawings of an explanation by name: its trees, each number of a node, then each edge field that no tree can show.

    Attention between two sentences is lines between them, within one arcs beside the parse, or a matrix where words are
    many; gates of windows are a table, with nothing where the window reaches beyond the sentence. Titles say the field,
    and who listens to whom. Between sentences, what does not add up to 1 for a listener, such as scores, is a table.
    """
    drawn: dict[str, Svg] = {}
    for side, sentence in enumerate(explanation.sentences):
        nodes = [node for node in explanation.nodes if node["sentence"] == side]
        edges = [edge for edge in explanation.edges if edge["sentence"] == side]
        name = _side_name(side, explanation.sentences)
        if explanation.drawn_as.startswith("constituency") and isinstance(sentence, Constituency):
            drawn[_TREE + name] = _tree(sentence, nodes, edges)
        elif explanation.drawn_as == "dependency" and isinstance(sentence, Dependencies):
            drawn[_ARCS + name] = _arcs(sentence, edges)
        # Numbers of a row that are no fields are whole.
        for field in dict.fromkeys(key for node in nodes for key, value in node.items() if isinstance(value, float)):
            drawn[field + name] = _of_nodes(sentence, nodes, field)
        for relation, field in dict.fromkeys((edge["relation"], key) for edge in edges for key in _fields(edge)):
            if relation == CHILD and explanation.drawn_as in TREES:
                continue
            of_field = [edge for edge in edges if edge["relation"] == relation and field in edge]
            called = _called(of_field, field)
            if relation == ATTEND:
                senders = [node for node in explanation.nodes if node["sentence"] == 1 - side]
                matrix = _matrix(of_field, field, "sender", len(nodes), len(senders))
                there = explanation.sentences[1 - side]
                sentences = _side(sentence, len(nodes)), _side(there, len(senders))
                picture = _between(sentences, [nodes, senders], matrix, called)
            elif explanation.drawn_as.startswith("window"):
                size, slots = len(sentence.words), 1 + max(edge["slot"] for edge in of_field)
                inside = [edge for edge in of_field if edge["sender"] < size]  # and not the padding node
                title = f"{called}: rows listen to the words before and after them"
                picture = window_svg(sentence.words, _matrix(inside, field, "slot", size, slots), title=title)
            else:
                matrix = _matrix(of_field, field, "sender", len(nodes), len(nodes))
                picture = _within(sentence, nodes, matrix, called)
            drawn[f"{relation}.{field}{name}"] = picture
    return drawn or _words(explanation.sentences)


def _tree(tree: Constituency, nodes: Sequence[Mapping[str, Any]], edges: Sequence[Mapping[str, Any]]) -> Svg:
    """Coloured by what parents give to their children where that is shown; with what is predicted at each node."""
    name, weights = _child_weights(len(tree), edges)
    labels = [node.get("label", "") for node in nodes]
    notes = labels if any(labels) else None
    if weights is None:
        return tree_svg(tree, notes=notes)
    title = f"{name}: how much parents hear of their children"
    return tree_svg(tree, values=weights, notes=notes, palette="sequential", low=0.0, high=1.0, title=title)


def _arcs(sentence: Dependencies, edges: Sequence[Mapping[str, Any]]) -> Svg:
    name, weights = _child_weights(len(sentence), edges)
    title = f"{name}: how much heads hear of their dependents"
    return dependencies_svg(sentence, weights=weights, title=title if weights else None)


def _child_weights(size: int, edges: Sequence[Mapping[str, Any]]) -> tuple[str, list[float] | None]:
    """The name of what parents give to children, and that number for each node [size]; None where none is given."""
    name, found = "", [math.nan] * size
    for edge in edges:
        if edge["relation"] == CHILD and _fields(edge):
            field, value = next(iter(_fields(edge).items()))
            name, found[edge["sender"]] = _called([edge], field), _scalar(value)
    return name, None if all(map(math.isnan, found)) else found


def _of_nodes(sentence: Sentence, nodes: Sequence[Mapping[str, Any]], field: str) -> Svg:
    """A number of each node: as colours of a tree, else a row under the words."""
    if isinstance(tree := _side(sentence, len(nodes)), Constituency):
        values = [node.get(field, math.nan) for node in nodes]
        return tree_svg(tree, values=values, palette="sequential", title=f"{field} of each node")
    words = [node for node in nodes if node["text"]]
    values = [node.get(field, math.nan) for node in words]
    columns = [node["text"] for node in words]
    return heat_svg([values], [field], columns, title=f"{field} of each word", low=None, high=None)


def _matrix(
    edges: Sequence[Mapping[str, Any]], field: str, column: str, rows: int, columns: int
) -> npt.NDArray[np.float64]:
    """Receivers as rows, their senders or slots as columns; NaN where no edge is."""
    matrix = np.full((rows, columns), math.nan)
    for edge in edges:
        matrix[edge["receiver"], edge[column]] = _scalar(edge[field])
    return matrix


def _side(sentence: Sentence, nodes: int) -> _Side:
    """A sentence as what its nodes are: a tree, or words."""
    if isinstance(sentence, Constituency) and nodes == len(sentence):
        return sentence
    if isinstance(sentence, Dependencies) and _is_parsed(sentence):
        return sentence
    return sentence.words


def _between(
    sentences: tuple[_Side, _Side],
    nodes: Sequence[Sequence[Mapping[str, Any]]],
    matrix: npt.NDArray[np.float64],
    name: str,
) -> Svg:
    """Whom the nodes of one sentence listen to in the other, or how alike they are."""
    if np.allclose(matrix.sum(1), 1, atol=1e-3):  # digits were rounded
        return pair_svg(*sentences, matrix, title=f"{name}: the upper sentence listens to the lower")
    rows, columns = ([node["text"] for node in side] for side in nodes)
    return heat_svg(matrix, rows, columns, title=name, low=None, high=None, palette="diverging")


def _within(sentence: Sentence, nodes: Sequence[Mapping[str, Any]], matrix: npt.NDArray[np.float64], name: str) -> Svg:
    """Whom the nodes of a sentence listen to."""
    if len(nodes) != len(sentence.words) or not 1 < len(nodes) <= _MOST:  # phrases among them, or many, or one alone
        return heat_svg(matrix, [node["text"] for node in nodes], title=f"{name}: rows listen to columns", high=None)
    parse = sentence if isinstance(sentence, Dependencies) and _is_parsed(sentence) else None
    return attention_svg(sentence.words, matrix, parse=parse, title=f"{name}: arrows point at the word that listens")


def _is_parsed(sentence: Dependencies) -> bool:
    return bool((sentence.head >= 0).any())


def _words(sentences: Sequence[Sentence]) -> dict[str, Svg]:
    """Sentences of which the model shows nothing."""
    bare = (dependencies_svg(Dependencies.unparsed(one.words), title=_NOTHING) for one in sentences)
    return {f"words{_side_name(side, sentences)}": picture for side, picture in enumerate(bare)}


def _side_name(side: int, sentences: Sequence[Sentence]) -> str:
    """What ends the names of drawings of one side of a pair; "" where there is one sentence alone."""
    return f" {side + 1}" if len(sentences) > 1 else ""


def _fields(edge: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in edge.items() if name not in _NOT_SHOWN}


def _called(edges: Sequence[Mapping[str, Any]], field: str) -> str:
    """The name of a field, such as "complete.attention_1", with how many numbers it is drawn as the mean of."""
    value = edges[0][field]
    return f"{edges[0]['relation']}.{field}" + (f", mean of {len(value)}" if isinstance(value, list) else "")


def _scalar(value: Any) -> float:
    """A gate that is a vector, or the weights of several heads, count by their mean."""
    return float(np.mean(value))
