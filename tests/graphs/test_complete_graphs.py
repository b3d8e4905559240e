from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from random_trees import parents

import graphs
from graphs.batching import merge
from graphs.columns import Dependencies, Tagged
from graphs.complete_graphs import LexicalRelation, complete, token_relations
from graphs.cooccurrence import Cooccurrence
from graphs.errors import InputError, Origin, SentenceError
from graphs.features import Vocabularies, Vocabulary

SENTENCE = Dependencies(
    ["She", "saw", "it"], np.array([1, -1, 1]), ["nsubj", "root", "obj"], xpos=["PRP", "VBD", "PRP"]
)
TAGGED = Tagged(["It", "rains"], {"pos": ["PRP", "VBZ"]})
VOCABULARIES = Vocabularies.of([SENTENCE, TAGGED])
NAMES = token_relations(VOCABULARIES.relation)


def names(graph):
    """The relation of each receiver (row) to each sender, as strings."""
    matrix = graph.pairwise["relation"].reshape(graph.size, graph.size)
    return [[NAMES[each] for each in row] for row in matrix]


def test_relations_of_receivers_to_senders():
    assert names(complete(SENTENCE, VOCABULARIES)) == [
        ["SELF", "nsubj^-1", "NONE"],
        ["nsubj", "SELF", "obj"],
        ["NONE", "obj^-1", "SELF"],
    ]
    assert len(NAMES) == 2 * len(VOCABULARIES.relation) + 2


@settings(derandomize=True, deadline=None, max_examples=40)
@given(parents(8))
def test_relations_of_any_forest(head):
    sentence = Dependencies(["w"] * len(head), head, [f"r{i % 3}" for i in range(len(head))])
    vocabularies = Vocabularies.of([sentence])
    known = token_relations(vocabularies.relation)
    graph = complete(sentence, vocabularies)
    found = iter(graph.pairwise["relation"])
    for receiver in range(len(head)):
        for sender in range(len(head)):
            wanted = "SELF" if receiver == sender else "NONE"
            if head[sender] == receiver:
                wanted = sentence.relation[sender]
            if head[receiver] == sender:
                wanted = f"{sentence.relation[receiver]}^-1"
            assert known[next(found)] == wanted


def test_unknown_and_missing_relations_still_have_a_direction():
    other = Dependencies(["a", "b", "c"], np.array([1, -1, 1]), ["dislocated", "root", "_"])
    row = names(complete(other, VOCABULARIES))[1]
    assert row == ["<unknown>", "SELF", "<unknown>"]
    assert names(complete(other, VOCABULARIES))[0][1] == "<unknown>^-1"


def test_nothing_is_listed_and_only_dependencies_have_relations():
    graph = complete(TAGGED, VOCABULARIES)
    assert len(graph.src) == len(graph.dst) == 0
    assert graph.edges == graph.pairwise == {}
    assert graph.level.tolist() == [0, 0]
    chain = graphs.chain(TAGGED, VOCABULARIES)
    assert {name: column.tolist() for name, column in graph.nodes.items()} == {
        name: column.tolist() for name, column in chain.nodes.items()
    }


def test_edges_of_the_dgl_graph_are_receiver_major():
    graph = complete(SENTENCE, VOCABULARIES).dgl()
    src, dst = (ends.tolist() for ends in graph.edges(order="eid"))
    assert dst == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    assert src == [0, 1, 2] * 3
    assert graph.edata["distance"].tolist() == [0, -1, -2, 1, 0, -1, 2, 1, 0]
    assert [NAMES[each] for each in graph.edata["relation"].tolist()][3:6] == ["nsubj", "SELF", "obj"]


def test_without_self_loops():
    graph = complete(SENTENCE, VOCABULARIES, self_loop=False)
    assert len(graph.pairwise["relation"]) == 9
    assert graph.listed().level.tolist() == [0, 0, 0]
    origin = Origin("f", 3, "1")
    assert complete(replace(SENTENCE, origin=origin), VOCABULARIES, self_loop=False).listed().origin == origin
    listed = graph.dgl()
    assert [ends.tolist() for ends in listed.edges(order="eid")] == [[1, 2, 0, 2, 0, 1], [0, 0, 1, 1, 2, 2]]
    assert 0 not in listed.edata["distance"].tolist()
    assert NAMES.index("SELF") not in listed.edata["relation"].tolist()


def test_without_self_loops_edges_are_listed_or_refused():
    """Of edges that are not listed, nothing would say which are missing."""
    built = [complete(each, VOCABULARIES, self_loop=number == 0) for number, each in enumerate([SENTENCE] * 2)]
    with pytest.raises(InputError, match=r"graph 1 of the batch is complete without self-loops.*; give graph.listed"):
        merge(built)
    assert merge([built[1].listed()]).edge_counts.tolist() == graphs.batch(built[1:]).batch_num_edges().tolist() == [6]


def test_batches():
    pair = Dependencies(["a", "b"], np.array([-1, 0]), ["root", "obj"])
    built = [complete(SENTENCE, VOCABULARIES), complete(pair, VOCABULARIES)]
    merged = merge(built)
    assert len(merged.src) == 0
    assert merged.pairwise["relation"].tolist() == [*built[0].pairwise["relation"], *built[1].pairwise["relation"]]
    listed = graphs.batch(built)
    assert listed.batch_num_edges().tolist() == [9, 4]
    assert listed.edges(order="eid")[0].tolist()[9:] == [3, 4, 3, 4]
    assert listed.edata["relation"].tolist() == merged.pairwise["relation"].tolist()
    assert graphs.batch_pairs([tuple(built)]).num_edges("child") == 13


def test_graphs_with_and_without_relations_do_not_mix():
    with pytest.raises(InputError, match=r"graph 1 .* fields word, tag, position, graph 0 has .*, relation; batch"):
        merge([complete(SENTENCE, VOCABULARIES), complete(TAGGED, VOCABULARIES)])


def test_cooccurrence_comes_with_the_vocabularies():
    vocabularies = Vocabularies.of([SENTENCE, TAGGED])
    vocabularies.cooccurrence = Cooccurrence.of([SENTENCE] * 2, vocabularies.word)
    graph = complete(SENTENCE, vocabularies)
    word = graph.nodes["word"]
    wanted = vocabularies.cooccurrence.bucket(word[:, None], word[None, :])
    assert wanted[0, 1] != 0
    assert graph.pairwise["pmi"].tolist() == wanted.ravel().tolist()


def test_lexical_relations():
    vocabulary = Vocabulary(["same", "pronoun-verb"])

    def relate(receiver, sender):
        if receiver == sender:
            return "same"
        return "pronoun-verb" if (receiver, sender) == ("She", "saw") else None

    graph = complete(SENTENCE, VOCABULARIES, lexical=LexicalRelation(relate, vocabulary))
    assert graph.pairwise["lexical"].reshape(3, 3).tolist() == [[2, 3, 0], [0, 2, 0], [0, 0, 2]]
    for strange in (False, 2):  # they were unknown relations, without a word of it
        with pytest.raises(SentenceError, match=rf"lexical relation 1 is {strange}; give its text$"):
            complete(SENTENCE, VOCABULARIES, lexical=LexicalRelation(lambda *_, made=strange: made, vocabulary))


def test_what_cannot_be_complete_is_refused():
    with pytest.raises(SentenceError, match="f:3, sentence 2: the sentence has no words"):
        complete(Tagged([], {}, Origin("f", 3, "2")), VOCABULARIES)
    with pytest.raises(SentenceError, match="head 8 of word 1 is out of range"):
        complete(Dependencies(["a", "b"], np.array([7, -1]), ["x", "y"]), VOCABULARIES)
