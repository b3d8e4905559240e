"""Parsed sentences -> the graph that a recipe names: of a kind that dglsent knows, or of one's own shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from inspect import signature
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from dglsent.corpora.example import Parsed
from graphs import builders, complete_graphs, fields, windows
from graphs.columns import Constituency, Dependencies, Sentence, Tagged
from graphs.documents import forest
from graphs.errors import SentenceError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph
from graphs.transforms import TRACE, binarise, collapse_unary, drop_outer, drop_traces

GraphKind: TypeAlias = Literal[
    "dependency", "constituency", "constituency-nary", "chain", "window", "window-0", "window-1", "window-4", "complete"
]
_TREES: tuple[GraphKind, ...] = ("constituency", "constituency-nary")
KINDS: tuple[GraphKind, ...] = get_args(GraphKind)
HALF_WIDTHS: dict[GraphKind, int] = {"window": 2, "window-0": 0, "window-1": 1, "window-4": 4}
"""Tokens on either side of a window's middle, by kind of graph."""


class OwnGraph(ABC):
    """Graphs of one's own shape.

    A recipe names a subclass, with its arguments, in place of a kind:

        graph: {class_path: mine.SkipChain, init_args: {gap: 2}}

    Attributes:
        reads: the kind whose form of a sentence it is given: "dependency" for a dependency parse, "constituency" for a
            binary tree, "constituency-nary" for a tree as it is, "chain" for whatever there is.
    """

    reads: GraphKind = "chain"

    def prepare(self, sentence: Sentence) -> Sentence:
        """The sentence that vocabularies and the graph are made of: as it is, unless a subclass changes it.

        A tree whose nodes have gold classes is not prepared, for these are of its nodes as they are.
        """
        return sentence

    @abstractmethod
    def build(self, sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
        """The graph of a sentence, such as `graphs.over_words` makes it; its first nodes are those of a tree."""

    def __str__(self) -> str:
        """The class with its arguments; with all attributes where an argument is none of them."""
        attributes = vars(self)
        arguments = list(signature(type(self)).parameters)
        shown = arguments if attributes.keys() >= set(arguments) else attributes
        return f"{type(self).__name__}({', '.join(f'{name}={attributes[name]!r}' for name in shown)})"


Graph: TypeAlias = GraphKind | OwnGraph


def reads(kind: Graph) -> GraphKind:
    """The kind whose form of a sentence a graph is made of."""
    return kind.reads if isinstance(kind, OwnGraph) else kind


def of_tree(kind: Graph) -> bool:
    """Whether gold classes are of the nodes of a constituency tree, and not of tokens."""
    return reads(kind) in _TREES


def shape(kind: Graph, sentence: Parsed) -> Sentence:
    """The parse of a sentence that a kind of graph is made of, brought into form.

    A tree whose nodes have gold labels stays as it is; others lose traces and an outer ROOT, and for
    "constituency" are collapsed and binarised. A graph of one's own may `prepare` them further. The trees of a document
    are a forest.

    Raises:
        SentenceError: the sentence has no such parse, or `prepare` gives no sentence.
    """
    if sentence.parts and reads(kind) in ("dependency", *_TREES):
        return forest([shape(kind, part) for part in sentence.parts], sentence.origin)  # type: ignore[arg-type]
    found = _parse(reads(kind), sentence)
    if not isinstance(kind, OwnGraph) or (of_tree(kind) and sentence.labels is not None):
        return found
    prepared = kind.prepare(found)
    if not isinstance(prepared, Constituency | Dependencies | Tagged):
        what = f"{kind}: prepare gives a value of type {type(prepared).__name__}; return the sentence"
        raise SentenceError(what, found.origin)
    return prepared


def _parse(kind: GraphKind, sentence: Parsed) -> Sentence:
    tree, dependencies = sentence.constituency, sentence.dependencies
    if kind in ("chain", "complete", *HALF_WIDTHS):
        for found in (dependencies, tree, sentence.unparsed):
            if found is not None:
                return _without_traces(found, sentence.labels is not None)
        raise SentenceError("the sentence has no words")
    if kind == "dependency":
        if dependencies is None:
            remedy = sentence.remedy or "give the sentence as CoNLL-U"
            raise SentenceError(f"the model reads dependency trees; {remedy}", sentence.origin)
        return dependencies
    if tree is None:
        remedy = sentence.remedy or "give the sentence in brackets"
        raise SentenceError(f"the model reads constituency trees; {remedy}", sentence.origin)
    if sentence.labels is not None:
        return tree
    tree = drop_outer(drop_traces(tree))
    return binarise(collapse_unary(tree)) if kind == "constituency" else tree


def _without_traces(found: Sentence, labelled: bool) -> Sentence:
    """A parse as words alone, which have no traces either; gold labels are of all nodes, and stay with them."""
    if isinstance(found, Constituency) and not labelled and TRACE in found.label:
        return drop_traces(found)
    return found


def gold_classes(kind: Graph, sentence: Parsed) -> Sequence[int] | None:
    """The gold classes of the nodes that a kind of graph has, of a tree's or of tokens; None where it has others."""
    return sentence.labels if of_tree(kind) == (sentence.constituency is not None) else None


def build(
    kind: Graph,
    shaped: Sentence,
    vocabularies: Vocabularies,
    *,
    labels: Sequence[int] | None = None,
    labelled: bool = False,
) -> SentenceGraph:
    """The graph of a sentence.

    Args:
        kind: its kind.
        shaped: what `shape` made of the sentence.
        vocabularies: what turns words, tags and relations into ids.
        labels: gold classes of all nodes of a constituency tree, or of all tokens, see `gold_classes`.
        labelled: give the graph the field `label`, -1 where there is no gold class, and at the root of a
            tree, whose label is that of the sentence.

    Raises:
        SentenceError: the sentence cannot be such a graph, or one of one's own is none.
    """
    graph: SentenceGraph
    if isinstance(kind, OwnGraph):
        graph = kind.build(shaped, vocabularies)
        wrong = _fault(graph, len(labels) if labelled and labels is not None else 0, of_tree(kind))
        if wrong:
            raise SentenceError(f"as {kind} makes its graph: {wrong}", shaped.origin)
    elif kind in HALF_WIDTHS:
        graph = windows.window(shaped, vocabularies, HALF_WIDTHS[kind])
    elif kind == "complete":
        graph = complete_graphs.complete(shaped, vocabularies)
    elif isinstance(shaped, Constituency) and kind != "chain":
        graph = builders.constituency(shaped, vocabularies, binary=kind == "constituency")
    elif isinstance(shaped, Dependencies) and kind == "dependency":
        graph = builders.dependency(shaped, vocabularies)
    else:
        graph = builders.chain(shaped, vocabularies)
    if labelled:
        label = np.full(graph.size, fields.NO_LABEL, dtype=np.int64)
        if labels is not None:
            wanted = len(shaped if of_tree(kind) else shaped.words)
            if len(labels) != wanted:
                what = "nodes of the tree" if of_tree(kind) else "tokens"
                raise SentenceError(f"{len(labels)} gold classes, and {wanted} {what}; give each one", shaped.origin)
            label[:wanted] = builders.classes(labels, shaped.origin)
            if of_tree(kind):
                label[graph.level == 0] = fields.NO_LABEL
        graph.nodes[fields.LABEL] = label
    return graph


def _fault(graph: Any, classes: int, of_nodes: bool) -> str:
    """What is wrong with what an `OwnGraph` has built, "" if nothing is.

    Args:
        graph: what it has built.
        classes: so many gold classes will be laid on its first nodes.
        of_nodes: whether they are of the nodes of a tree, and not of tokens.
    """
    if not isinstance(graph, SentenceGraph):
        return f"build gives a value of type {type(graph).__name__}; return a graphs.SentenceGraph"
    wrong = graph.fault()
    if wrong:
        return wrong
    if of_nodes and graph.size < classes:
        return f"it has {graph.size} nodes, and there are gold classes of {classes}; put the nodes of the tree first"
    position = graph.nodes.get(fields.POSITION, np.empty(0))
    if not of_nodes and not np.array_equal(position[:classes], np.arange(classes)):
        return (
            "gold classes are laid on its first nodes, which are not the tokens in order; put the tokens first, with "
            "position 0, 1, ..., and other nodes behind them, with position -1"
        )
    return ""
