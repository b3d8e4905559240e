"""Sentences in columns -> complete graphs, where every token hears from every token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from graphs import builders, fields, trees
from graphs.columns import Dependencies, IntArray, Sentence
from graphs.errors import check_kind
from graphs.features import UNKNOWN, Vocabularies, Vocabulary
from graphs.sentence_graph import SentenceGraph


@dataclass(eq=False, slots=True)
class CompleteGraph(SentenceGraph):
    """A graph of N tokens whose N^2 edges are not listed in `src` and `dst` until `listed` does so.

    Attributes:
        self_loop: whether a token hears itself; `pairwise` has its place either way. Without it, the edges are to be
            listed before graphs are merged.
    """

    self_loop: bool = True

    def listed(self) -> SentenceGraph:
        """The same graph with every edge, receiver by receiver, and edge fields `distance` and those of `pairwise`."""
        receiver, sender = (ends.ravel() for ends in np.indices((self.size, self.size)))
        kept = slice(None) if self.self_loop else receiver != sender
        edges = {fields.DISTANCE: receiver - sender, **self.pairwise}
        return SentenceGraph(
            size=self.size,
            src=sender[kept],
            dst=receiver[kept],
            nodes=self.nodes,
            edges={name: column[kept] for name, column in edges.items()},
            level=self.level,
            origin=self.origin,
        )


@dataclass(frozen=True, slots=True)
class LexicalRelation:
    """A relation between words that is known from elsewhere, such as from a thesaurus.

    Attributes:
        relation: what two words, the receiver's and the sender's, are to each other; None for nothing.
        vocabulary: of its answers, with special ids: 0 for nothing, 1 for an answer that is not in it.
    """

    relation: Callable[[str, str], str | None]
    vocabulary: Vocabulary


def complete(
    sentence: Sentence,
    vocabularies: Vocabularies,
    *,
    self_loop: bool = True,
    lexical: LexicalRelation | None = None,
) -> CompleteGraph:
    """The complete graph of a sentence: a node a token, an edge from every token to every one.

    The graph has cycles, so no propagation runs over it: it is for rounds, and its levels are all 0.

    Args:
        sentence: a sentence of N tokens.
        vocabularies: what turns words, tags and relations into ids; with co-occurrence, there is a field `pmi`.
        self_loop: whether a token hears itself.
        lexical: a relation between words for the field `lexical`, which is asked for every two tokens.

    Returns:
        Node fields word, tag, position, each [N], and those of spelling. Pairwise fields, each [N^2]: relation, an
        index of `token_relations`, where the sentence has dependencies; pmi; lexical, where it is given.

    Raises:
        InputError: the sentence, the vocabularies or `lexical` are something else.
        SentenceError: no words, columns of several lengths, a word, tag or relation, among them a lexical one, that is
            no text, or a head that is no whole number or out of range.
    """
    tokens = builders.chain(sentence, vocabularies)
    none = np.zeros(0, dtype=np.int64)
    pairwise: dict[str, IntArray] = {}
    if isinstance(sentence, Dependencies):
        pairwise[fields.RELATION] = _relations(sentence, vocabularies.relation).ravel()
    if vocabularies.cooccurrence is not None:
        word = tokens.nodes[fields.WORD]
        pairwise[fields.PMI] = vocabularies.cooccurrence.bucket(word[:, None], word).ravel()
    if lexical is not None:
        check_kind(lexical, LexicalRelation, "it has the relation and the vocabulary of its answers")
        check_kind(lexical.vocabulary, Vocabulary, "graphs.Vocabulary makes one of the names of the answers")
        words = sentence.words
        found = [lexical.relation(receiver, sender) for receiver in words for sender in words]
        pairwise[fields.LEXICAL] = builders.ids_of(found, lexical.vocabulary, "lexical relation", sentence.origin)
    return CompleteGraph(
        size=tokens.size,
        src=none,
        dst=none,
        nodes=tokens.nodes,
        edges={},
        level=np.zeros(tokens.size, dtype=np.int64),
        origin=tokens.origin,
        pairwise=pairwise,
        self_loop=self_loop,
    )


def token_relations(relation: Vocabulary) -> list[str]:
    """What a receiver may be to a sender, by the ids of the field `relation` of complete graphs.

    Of R dependency relations, special ids included: r where the receiver heads the sender as r, R + r ("r^-1") where
    the sender heads the receiver, 2 R ("NONE") for neither, 2 R + 1 ("SELF") for a token and itself.
    """
    return [*relation, *(f"{label}^-1" for label in relation), "NONE", "SELF"]


def _relations(sentence: Dependencies, vocabulary: Vocabulary) -> IntArray:
    """[N, N] ids of `token_relations`; an arc without a name has an unknown one."""
    size, known = len(sentence), len(vocabulary)
    head = trees.heads(sentence)
    label = np.maximum(builders.relation_ids(sentence, vocabulary), UNKNOWN)
    dependent = np.flatnonzero(head >= 0)
    matrix = np.full((size, size), 2 * known)
    np.fill_diagonal(matrix, 2 * known + 1)
    matrix[head[dependent], dependent] = label[dependent]
    matrix[dependent, head[dependent]] = known + label[dependent]
    return matrix
