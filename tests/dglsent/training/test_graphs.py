from __future__ import annotations

import numpy as np
import pytest

from dglsent.corpora.example import Parsed
from dglsent.training.graphs import KINDS, OwnGraph, build, gold_classes, shape
from graphs import over_words
from graphs.builders import chain, constituency
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import SentenceError
from graphs.features import Vocabularies
from graphs.formats.brackets import parse_brackets

SENTENCE = Dependencies(["She", "saw", "it"], np.array([1, -1, 1]), ["nsubj", "root", "obj"])
TAGGED = Tagged(["It", "rains"], {"pos": ["PRP", "VBZ"], "chunk": ["B-NP", "B-VP"]})
VOCABULARIES = Vocabularies.of([SENTENCE, TAGGED])


@pytest.mark.parametrize(("kind", "slots"), [("window-0", 1), ("window", 5), ("window-1", 3), ("window-4", 9)])
def test_windows_of_several_widths(kind, slots):
    graph = build(kind, shape(kind, Parsed(dependencies=SENTENCE)), VOCABULARIES)
    assert graph.size == 4
    assert np.bincount(graph.dst).tolist() == [slots] * 3


def test_complete_graphs():
    graph = build("complete", shape("complete", Parsed(dependencies=SENTENCE)), VOCABULARIES)
    assert (graph.size, len(graph.src), len(graph.pairwise["relation"])) == (3, 0, 9)


@pytest.mark.parametrize("kind", ["chain", "window-1", "complete"])
def test_tokens_of_tagged_sentences_have_gold_classes(kind):
    graph = build(kind, TAGGED, VOCABULARIES, labels=[3, 5], labelled=True)
    assert graph.nodes["label"].tolist() == [3, 5, -1][: graph.size]
    assert kind in KINDS


@pytest.mark.parametrize("kind", ["dependency", "chain", "complete"])
def test_tokens_of_parsed_sentences_have_gold_classes(kind):
    parsed = Parsed(dependencies=SENTENCE, labels=[3, 5, 4])
    graph = build(kind, shape(kind, parsed), VOCABULARIES, labels=gold_classes(kind, parsed), labelled=True)
    assert graph.nodes["label"].tolist() == [3, 5, 4]


def test_gold_classes_of_a_tree_are_not_those_of_tokens():
    (tree,) = parse_brackets("(S (NP She) (VP (V saw) (NP it)))")
    parsed = Parsed(constituency=tree, dependencies=SENTENCE, labels=[0, 1, 2, 3, 4])
    assert gold_classes("constituency-nary", parsed) == [0, 1, 2, 3, 4]
    assert [gold_classes(kind, parsed) for kind in ("dependency", "chain", "window", "complete")] == [None] * 4


def test_gold_classes_of_too_few_nodes_are_refused():
    with pytest.raises(SentenceError, match="2 gold classes, and 3 tokens; give each one"):
        build("dependency", SENTENCE, VOCABULARIES, labels=[3, 5], labelled=True)
    (tree,) = parse_brackets("(S (NP She) (VP saw))")
    with pytest.raises(SentenceError, match="4 gold classes, and 3 nodes of the tree"):
        build("constituency-nary", tree, VOCABULARIES, labels=[0, 1, 2, 3], labelled=True)


class Siblings(OwnGraph):
    """A dependency tree in which words of one head hear those on their left, too."""

    reads = "dependency"

    def __init__(self, most=9):
        self.most = most

    def build(self, sentence, vocabularies):
        head = sentence.head.tolist()
        up = [(word, above) for word, above in enumerate(head) if above >= 0]
        beside = [(a, b) for a in range(len(head)) for b in range(a + 1, len(head)) if head[a] == head[b] >= 0]
        return over_words(sentence, vocabularies, up + beside[: self.most])


class Backwards(OwnGraph):
    """Chains of the words from the last to the first."""

    def prepare(self, sentence):
        return Tagged(sentence.words[::-1])

    def build(self, sentence, vocabularies):
        return chain(sentence, vocabularies)


class Phrases(OwnGraph):
    reads = "constituency-nary"

    def build(self, sentence, vocabularies):
        return constituency(sentence, vocabularies)


def test_a_graph_of_ones_own():
    kind = Siblings(most=1)
    assert str(kind) == "Siblings(most=1)"
    shaped = shape(kind, Parsed(dependencies=SENTENCE))
    assert shaped is SENTENCE
    graph = build(kind, shaped, VOCABULARIES)
    assert list(zip(graph.src.tolist(), graph.dst.tolist(), strict=True)) == [(0, 1), (2, 1), (0, 2)]
    assert graph.level.tolist() == [2, 0, 1]
    with pytest.raises(SentenceError, match="reads dependency trees"):
        shape(kind, Parsed(unparsed=TAGGED))


def test_a_graph_of_ones_own_prepares_sentences():
    shaped = shape(Backwards(), Parsed(dependencies=SENTENCE))
    assert shaped.words == ["it", "saw", "She"]
    words = VOCABULARIES.word.strings
    assert [words[word] for word in build(Backwards(), shaped, VOCABULARIES).nodes["word"]] == ["it", "saw", "She"]


class Forgetful(Backwards):
    def prepare(self, sentence):
        """Returns nothing."""


def test_what_is_prepared_is_a_sentence():
    with pytest.raises(
        SentenceError, match=r"^Forgetful\(\): prepare gives a value of type NoneType; return the sentence"
    ):
        shape(Forgetful(), Parsed(dependencies=SENTENCE))


def test_a_graph_of_ones_own_has_the_gold_classes_of_its_tree():
    (tree,) = parse_brackets("(S (NP (DT The) (NN cat)) (VP (VBD slept)))")
    shaped = shape(Phrases(), Parsed(constituency=tree, labels=[0, 1, 2, 3, 4, 5]))
    own = build(Phrases(), shaped, VOCABULARIES, labels=[0, 1, 2, 3, 4, 5], labelled=True)
    known = build("constituency-nary", shaped, VOCABULARIES, labels=[0, 1, 2, 3, 4, 5], labelled=True)
    assert own.nodes["label"].tolist() == known.nodes["label"].tolist() == [-1, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("kind", ["chain", "complete", "window-1"])
def test_traces_are_no_words(kind):
    (tree,) = parse_brackets("( (S (NP (DT the) (NN film)) (VP (VBD was) (VP (VBN seen) (NP (-NONE- *-1))))))")
    assert shape(kind, Parsed(constituency=tree)).words == ["the", "film", "was", "seen"]
    labelled = Parsed(constituency=tree, labels=[0] * len(tree))
    assert shape(kind, labelled) is tree
    whole = Parsed(constituency=Constituency(["S", "A"], [None, "a"], np.array([-1, 0])))
    assert shape(kind, whole) is whole.constituency


class Gapped(OwnGraph):
    """Keeps what it has seen beside its argument."""

    def __init__(self, gap: int = 2) -> None:
        self.gap, self.seen = gap, set[str]()

    def build(self, sentence, vocabularies):
        self.seen.update(sentence.words)
        return over_words(sentence, vocabularies, [])


class Hidden(Gapped):
    """Keeps its argument under another name."""

    def __init__(self, gap: int = 2) -> None:
        self._wide = gap


def test_graphs_of_ones_own_are_told_by_their_arguments():
    graph = Gapped(3)
    build(graph, SENTENCE, VOCABULARIES)
    assert (str(graph), str(Hidden(3))) == ("Gapped(gap=3)", "Hidden(_wide=3)")
