"""What must hold of everything that a reader accepts; an AssertionError says what does not."""

from __future__ import annotations

import networkx as nx
import numpy as np

from graphs import builders, trees
from graphs.columns import Constituency, Dependencies, Sentence, Tagged
from graphs.errors import SentenceError
from graphs.features import Vocabularies
from graphs.formats.brackets import parse_brackets, to_brackets
from graphs.formats.conllu import parse_conllu, to_conllu


def check(sentence: Sentence) -> None:
    """AssertionError unless a sentence is one: columns of one length, words without breaks, trees that are trees."""
    assert len(sentence) > 0, "a sentence without words"
    assert all(word and not {"\n", "\r"} & set(word) for word in sentence.words), "a word with a line end, or none"
    if isinstance(sentence, Tagged):
        assert all(len(column) == len(sentence) for column in sentence.columns.values()), "columns of other lengths"
    elif isinstance(sentence, Dependencies):
        _dependencies(sentence)
    else:
        _constituency(sentence)


def check_graph(sentence: Sentence) -> None:
    """AssertionError unless the graphs of a sentence have ids in range, levels that fall along edges, and are trees.

    What is a tree NetworkX says. This takes longer than the reading, so that not every case comes here.
    """
    vocabularies = Vocabularies.of([sentence])
    graphs = [builders.chain(sentence, vocabularies)]
    if isinstance(sentence, Dependencies):
        graphs += [builders.dependency(sentence, vocabularies, roots=roots) for roots in ("attach", "keep")]
    if isinstance(sentence, Constituency):
        graphs.append(builders.constituency(sentence, vocabularies))
    for graph in graphs:
        assert ((graph.src >= 0) & (graph.src < graph.size)).all(), "a sender out of range"
        assert ((graph.dst >= 0) & (graph.dst < graph.size)).all(), "a receiver out of range"
        assert (graph.level[graph.src] > graph.level[graph.dst]).all(), "a level that does not fall"
        drawn = nx.DiGraph(list(zip(graph.dst.tolist(), graph.src.tolist(), strict=True)))
        drawn.add_nodes_from(range(graph.size))
        assert nx.is_forest(drawn), "no forest"
        for name, vocabulary in (("word", vocabularies.word), ("tag", vocabularies.tag)):
            ids = graph.nodes[name]
            assert ((ids >= 0) & (ids < len(vocabulary))).all(), f"an id of {name} out of range"


def _dependencies(sentence: Dependencies) -> None:
    size, head = len(sentence), sentence.head
    columns = (sentence.relation, sentence.upos, sentence.xpos, sentence.lemma, head)
    assert all(len(column) == size for column in columns), "columns of other lengths"
    trees.heads(sentence)
    assert not len(trees.find_cycle(head)), "a cycle"
    assert all(0 <= first < end <= size for first, end, _ in sentence.multiword), "a multiword token out of range"
    try:
        text = to_conllu(sentence)
    except SentenceError:  # an empty column, which CoNLL-U cannot write
        return
    (again,) = parse_conllu(text)
    assert (again.word, again.head.tolist()) == (list(sentence.word), head.tolist()), "another sentence when written"


def _constituency(tree: Constituency) -> None:
    size, parent = len(tree), tree.parent.tolist()
    assert len(tree.word) == len(parent) == size, "columns of other lengths"
    assert parent[0] == -1, "a first node that is not the root"
    assert all(0 <= above < node for node, above in enumerate(parent[1:], 1)), "not in pre-order"
    inner = set(parent) - {-1}
    assert all((word is None) == (node in inner) for node, word in enumerate(tree.word)), "words that are no leaves"
    span = trees.spans(tree)
    above = np.maximum(tree.parent, 0)
    nested = (span[:, 0] >= span[above, 0]) & (span[:, 1] <= span[above, 1]) & (span[:, 0] < span[:, 1])
    assert nested.all(), "spans that do not nest"
    assert span[0].tolist() == [0, len(tree.words)], "a root that does not span the sentence"
    try:
        text = to_brackets(tree)
    except SentenceError:  # words that brackets cannot tell from labels
        return
    (again,) = parse_brackets(text)
    same = (again.label, again.word, again.parent.tolist()) == (list(tree.label), list(tree.word), parent)
    assert same, "another tree when written"
