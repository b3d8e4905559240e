"""Sentences in columns -> sentence graphs: dependency, constituency (binary, n-ary), chain, and any edges over words.

Where the vocabularies have spelling, nodes have its fields too (`Spelling.node_fields`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from types import NoneType
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from graphs import fields, trees
from graphs.columns import (
    NUMBERS,
    Constituency,
    Dependencies,
    IntArray,
    Sentence,
    as_array,
    check_lengths,
    check_sentence,
    whole_numbers,
)
from graphs.errors import Origin, SentenceError, check_choice, check_kind
from graphs.features import Vocabularies, Vocabulary, relations, tags
from graphs.sentence_graph import SentenceGraph
from graphs.topology import levels


def spelled(words: Sequence[str | None], vocabularies: Vocabularies) -> dict[str, IntArray]:
    """The spelling of N words as node fields, none where the vocabularies have no spelling."""
    return vocabularies.spelling.node_fields(words) if vocabularies.spelling else {}


def classes(labels: Sequence[int] | IntArray, origin: Origin | None = None) -> IntArray:
    """Gold classes [N], -1 where there is none.

    Raises:
        SentenceError: they have not one dimension, or one is no whole number.
    """
    return whole_numbers(labels, "gold class", origin)


def dependency(
    sentence: Dependencies, vocabularies: Vocabularies, *, roots: Literal["attach", "keep"] = "attach"
) -> SentenceGraph:
    """The dependency graph of a sentence: a node a token, an edge dependent -> head.

    Args:
        sentence: N tokens with heads.
        vocabularies: what turns words, tags and relations into ids.
        roots: with several roots, "attach" hangs the later ones under the first, "keep" leaves a forest; the trees of
            a document (`documents.forest`) stay apart.

    Returns:
        N nodes and an edge for each token with a head, E. Node fields word, tag, position, each [N], and those of
        spelling; edge fields slot (order among the dependents of a head) and relation, each [E].

    Raises:
        InputError: `roots` is neither word, or the sentence or the vocabularies are something else.
        SentenceError: no words, no heads, a head that is no whole number or out of range, a cycle, columns of several
            lengths, or a word, tag or relation that is no text.
    """
    check_choice("roots", roots, ("attach", "keep"))
    check_kind(sentence, Dependencies, "of a Constituency, graphs.constituency makes the graph")
    _check_vocabularies(vocabularies)
    if not len(sentence):
        raise SentenceError("the sentence has no words", sentence.origin)
    head = trees.heads(sentence)
    trees.require_heads(sentence)
    if roots == "attach" and not sentence.forest:
        head = trees.attach_roots(head)
    src = np.flatnonzero(head >= 0)
    return SentenceGraph(
        size=len(head),
        src=src,
        dst=head[src],
        nodes={
            fields.WORD: ids_of(sentence.word, vocabularies.word, "word", sentence.origin),
            fields.TAG: ids_of(tags(sentence), vocabularies.tag, "tag", sentence.origin),
            fields.POSITION: np.arange(len(head)),
            **spelled(sentence.word, vocabularies),
        },
        edges={
            fields.SLOT: trees.slots(head)[src],
            fields.RELATION: relation_ids(sentence, vocabularies.relation)[src],
        },
        level=trees.depths(head, sentence.origin),
        origin=sentence.origin,
    )


def constituency(
    tree: Constituency,
    vocabularies: Vocabularies,
    *,
    binary: bool = False,
    labels: Sequence[int] | IntArray | None = None,
) -> SentenceGraph:
    """The constituency graph of a sentence: a node a word or phrase, an edge child -> parent.

    Args:
        tree: N nodes in pre-order; binarise and collapse it beforehand where the model wants that.
        vocabularies: what turns words and tags into ids.
        binary: demand that every phrase has exactly two children.
        labels: [N] gold label of each node, -1 where there is none.

    Returns:
        N nodes and, of a single tree, E = N - 1 edges. Node fields word (0 at phrases), tag, position (-1 at phrases),
        each [N], span [N, 2], those of spelling, and label [N] where labels are given; edge field slot [E] (order
        among siblings).

    Raises:
        InputError: the tree or the vocabularies are something else.
        SentenceError: no nodes, columns or labels of another length, a gold label that is no whole number, a phrase
            without words, nodes that are not in pre-order, a word or label that is no text, or with binary a phrase
            that has not two children.
    """
    check_kind(tree, Constituency, "of Dependencies, graphs.dependency makes the graph")
    _check_vocabularies(vocabularies)
    parent = trees.parents(tree)
    size = len(tree)
    arity = np.bincount(parent[parent >= 0], minlength=size)
    is_word = arity == 0
    if binary:
        wrong = np.flatnonzero((arity != 2) & (arity != 0))
        if len(wrong):
            node = int(wrong[0])
            first, end = trees.spans_below(tree, parent)[node].tolist()
            raise SentenceError(
                f"phrase {tree.label[node]!r} has {arity[node]} children in words {first + 1} to {end}, where a binary "
                "tree wants 2; collapse unary chains and binarise it first",
                tree.origin,
            )
    word = np.zeros(size, dtype=np.int64)
    word[is_word] = ids_of(tree.words, vocabularies.word, "word", tree.origin)
    position = np.full(size, -1, dtype=np.int64)
    position[is_word] = np.arange(is_word.sum())
    span, src = trees.spans_below(tree, parent), np.flatnonzero(parent >= 0)
    trees.require_pre_order(parent, span, tree.origin)
    nodes = {
        fields.WORD: word,
        fields.TAG: ids_of(tags(tree), vocabularies.tag, "label", tree.origin),
        fields.POSITION: position,
        fields.SPAN: span,
        **spelled(tree.word, vocabularies),
    }
    if labels is not None:
        nodes[fields.LABEL] = classes(labels, tree.origin)
    return SentenceGraph(
        size=size,
        src=src,
        dst=parent[src],
        nodes=nodes,
        edges={fields.SLOT: trees.slots(parent)[src]},
        level=trees.depths(parent),
        origin=tree.origin,
    )


def chain(sentence: Sentence, vocabularies: Vocabularies) -> SentenceGraph:
    """The chain of a sentence: a node a token, an edge from each token to the next.

    A propagation "up" runs left to right and ends in the last token, the root; "down" runs right to left.

    Args:
        sentence: a sentence of N tokens; only its words and tags are used.
        vocabularies: what turns words and tags into ids.

    Returns:
        N nodes and E = N - 1 edges. Node fields word, tag, position, each [N], and those of spelling; edge field
        slot [E] (all 0).

    Raises:
        InputError: the sentence or the vocabularies are something else.
        SentenceError: no words, columns of several lengths, or a word or tag that is no text.
    """
    nodes = _of_words(sentence, vocabularies)
    token = nodes[fields.POSITION]
    size = len(token)
    return SentenceGraph(
        size=size,
        src=token[:-1],
        dst=token[1:],
        nodes=nodes,
        edges={fields.SLOT: np.zeros(size - 1, dtype=np.int64)},
        level=token[::-1].copy(),
        origin=sentence.origin,
    )


def over_words(
    sentence: Sentence,
    vocabularies: Vocabularies,
    edges: Iterable[tuple[int, int]],
    ids: Mapping[str, Sequence[float] | npt.NDArray[Any]] | None = None,
) -> SentenceGraph:
    """A graph of one's own shape: a node a token, and the edges that are given.

    Args:
        sentence: a sentence of N tokens.
        vocabularies: what turns words and tags into ids.
        edges: (sender, receiver) of each of E edges, numbers of tokens from 0; a receiver hears its senders in the
            order in which they stand here.
        ids: further fields of the edges by name, each [E, ...]: whole numbers, which become int64, or others, which are
            float32 or keep the dtype of their array. Where a sentence may have no edges, an array says which.

    Returns:
        Node fields word, tag, position, each [N], and those of spelling; edge fields slot [E] (order among the edges
        of a receiver) and those given.

    Raises:
        InputError: the sentence, the vocabularies, `edges` or `ids` are something else.
        SentenceError: no words, columns of several lengths, a word or tag that is no text, an edge that is no pair of
            tokens, a cycle, or a field of another length, without numbers or of the name slot.
    """
    nodes = _of_words(sentence, vocabularies)
    check_kind(edges, Iterable, "give pairs of a sender and a receiver")
    check_kind(ids or {}, Mapping, "give fields of edges by name")
    size = len(nodes[fields.POSITION])
    pairs = [_pair(edge, sentence.origin) for edge in edges]
    if fields.SLOT in (ids or {}):
        raise SentenceError(
            f"field {fields.SLOT!r} is the order of the edges; give yours another name", sentence.origin
        )
    # Before NumPy, which has no numbers as large as Python's.
    wrong = next(((src, dst) for src, dst in pairs if not (0 <= src < size and 0 <= dst < size)), None)
    if wrong is not None:
        src, dst = wrong
        raise SentenceError(f"edge {src} -> {dst} has an end that is none of the {size} tokens", sentence.origin)
    src, dst = np.array(pairs, dtype=np.int64).reshape(-1, 2).T.copy()
    columns = {name: _numbers(name, values, len(dst), sentence.origin) for name, values in (ids or {}).items()}
    return SentenceGraph(
        size=size,
        src=src,
        dst=dst,
        nodes=nodes,
        edges={fields.SLOT: trees.slots(dst), **columns},
        level=levels(size, src, dst, sentence.origin),
        origin=sentence.origin,
    )


def _pair(edge: Sequence[int], origin: Origin) -> tuple[int, int]:
    """The two ends of an edge; a fraction is none, which NumPy would cut off."""
    try:
        src, dst = (index(edge[end]) for end in range(len(edge)))  # by place: a set has no order
    except (TypeError, ValueError, KeyError):
        said = " ".join(str(edge).split())
        raise SentenceError(f"edge {said} is no pair; give the numbers of its sender and receiver", origin) from None
    return src, dst


def _numbers(
    name: str, values: Sequence[float] | npt.NDArray[Any], size: int, origin: Origin | None = None
) -> npt.NDArray[Any]:
    """A field [size, ...] of edges: whole numbers as int64, others with the dtype that torch would give them."""
    given = hasattr(values, "dtype")
    try:
        column = as_array(values)
    except ValueError:  # rows of several lengths
        raise SentenceError(f"field {name!r} has rows of several lengths; give one", origin) from None
    if column.shape[:1] != (size,):
        raise SentenceError(f"field {name!r} has another length than the {size} edges", origin)
    if column.dtype.kind == "u" and (column > np.iinfo(np.int64).max).any():
        raise SentenceError(f"field {name!r} has {column.max()}, which int64 cannot hold; give smaller numbers", origin)
    if column.dtype.kind not in NUMBERS:
        raise SentenceError(f"field {name!r} holds {column.dtype} values; give numbers", origin)
    if column.dtype.kind != "f" or not (given or size):
        return column.astype(np.int64, copy=False)
    return column if given else column.astype(np.float32)


def _of_words(sentence: Sentence, vocabularies: Vocabularies) -> dict[str, IntArray]:
    """The fields of graphs with a node a token."""
    check_sentence(sentence)
    check_lengths(sentence)
    _check_vocabularies(vocabularies)
    words = sentence.words
    if not words:
        raise SentenceError("the sentence has no words", sentence.origin)
    at_words = tags(sentence)
    if isinstance(sentence, Constituency):
        at_words = [tag for tag, word in zip(at_words, sentence.word, strict=True) if word is not None]
    return {
        fields.WORD: ids_of(words, vocabularies.word, "word", sentence.origin),
        fields.TAG: ids_of(at_words, vocabularies.tag, "tag", sentence.origin),
        fields.POSITION: np.arange(len(words)),
        **spelled(words, vocabularies),
    }


def relation_ids(sentence: Dependencies, vocabulary: Vocabulary) -> IntArray:
    """The ids [N] of the relations of words to their heads.

    Raises:
        SentenceError: one is no text.
    """
    return ids_of(relations(sentence), vocabulary, "relation", sentence.origin)


def ids_of(strings: Sequence[str | None], vocabulary: Vocabulary, what: str, origin: Origin) -> IntArray:
    """The ids [N] of strings; a vocabulary would make padding of a word that is None, and others unknown.

    Raises:
        SentenceError: a string is no text; `what` they are names it.
    """
    kinds = str if what == "word" else (str, NoneType)
    if not all(issubclass(kind, kinds) for kind in set(map(type, strings))):
        place = next(place for place, string in enumerate(strings) if not isinstance(string, kinds))
        raise SentenceError(f"{what} {place + 1} is {strings[place]!r}; give its text", origin)
    return vocabulary.ids(strings)


def _check_vocabularies(vocabularies: Vocabularies) -> None:
    check_kind(vocabularies, Vocabularies, "graphs.Vocabularies.of makes them of sentences")
