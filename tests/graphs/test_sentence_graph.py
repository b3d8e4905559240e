"""Columns of one's own make a graph, or are refused in a line that says which does not fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphs.builders import chain
from graphs.columns import Tagged
from graphs.complete_graphs import complete
from graphs.errors import Origin, SentenceError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph

CHAIN = SentenceGraph(
    size=3,
    src=np.array([0, 1]),
    dst=np.array([1, 2]),
    nodes={"word": np.arange(3)},
    edges={"slot": np.array([0, 0])},
    level=np.array([2, 1, 0]),
    origin=Origin("a.conllu", 7, "s1"),
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"nodes": {"word": np.arange(2)}}, "node field 'word' has 2 entries for its nodes, which are 3"),
        ({"edges": {"slot": np.zeros(1)}}, "edge field 'slot' has 1 entries for its edges, which are 2"),
        ({"pairwise": {"seen": np.zeros(8)}}, "pairwise 'seen' has 8 entries for its pairs, which are 9"),
        ({"dst": np.array([1])}, "dst has 1 entries"),
        ({"level": np.array([1, 0])}, "level has 2 entries"),
        ({"src": np.array([[0, 1]])}, r"src has the shape \[1, 2\]; give one number for each of its edges"),
        ({"level": np.array([[2], [1], [0]])}, r"level has the shape \[3, 1\]; give one number for each of its nodes"),
        ({"nodes": {"word": np.array(1)}}, r"node field 'word' has the shape \[\]; give one number"),
        *(({"size": size}, f"size is {size!r}; give the number of nodes") for size in ("3", None, 3.0)),
        ({"size": 0}, "size is 0; a graph has a node at least"),
        ({"src": None}, "src is of type NoneType; give a NumPy array"),
        ({"src": [0, 1]}, "src is of type list; give a NumPy array"),
        ({"src": np.array([0.0, 1.0])}, "src is an array of float64; give whole numbers"),
        ({"nodes": {"word": np.array(["a", "b", "c"])}}, "node field 'word' is an array of <U1; give numbers"),
        ({"nodes": {"x": np.ones(3, ">f4")}}, "node field 'x' is an array of >f4, which torch does not know"),
        ({"nodes": {"x": np.ones(3, np.longdouble)}}, "node field 'x' is an array of float128, which torch does not"),
    ],
)
def test_columns_that_do_not_fit_are_refused_at_once(changed, said):
    with pytest.raises(SentenceError, match=f"a.conllu:7, sentence s1: {said}"):
        replace(CHAIN, **changed)


def test_complete_graphs_of_ones_own_too():
    sentence = Tagged(["a", "b"])
    made = complete(sentence, Vocabularies.of([sentence]))
    with pytest.raises(SentenceError, match="pairwise 'seen' has 3 entries for its pairs, which are 4"):
        replace(made, pairwise={"seen": np.zeros(3)})


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"src": np.array([0, 3])}, "src has numbers from 0 to 3, and its nodes are 0 to 2"),
        ({"dst": np.array([-1, 2])}, "dst has numbers from -1 to 2"),
        ({"level": np.array([2, 2, 0])}, "level is not the longest way"),
        ({"level": np.array([7, 3, 0])}, "level is not the longest way"),
        ({"level": np.array([3, 2, 1])}, "level is not the longest way"),
    ],
)
def test_what_is_wrong_with_a_graph(changed, said):
    assert said in replace(CHAIN, **changed).fault()
    assert CHAIN.fault() == ""
    assert replace(CHAIN, dst=np.array([1, 0]), level=np.zeros(3, int)).fault() == ""  # a cycle, for `update_all` alone


def test_columns_that_were_changed_later():
    graph = replace(CHAIN, edges=dict(CHAIN.edges))
    graph.edges["slot"] = graph.edges["slot"][:-1]
    assert "edge field 'slot' has 1 entries" in graph.fault()


@pytest.mark.parametrize("relations", [False, True])
def test_what_is_done_to_a_dgl_graph_is_done_to_it_alone(relations):
    sentence, vocabularies = Tagged(["a", "b", "c"]), Vocabularies.of([Tagged(["a", "b", "c"])])
    columns = complete(sentence, vocabularies) if relations else chain(sentence, vocabularies)
    made, untouched = columns.dgl(), columns.dgl()
    there = values_of(untouched)
    for columns_of in (made.ndata, made.edata):
        for name in columns_of:
            columns_of[name] += 1  # positions from 1, say, in which the edges of a chain stand, too
    assert values_of(made)[0] == there[0]
    assert values_of(untouched) == values_of(columns.dgl()) == there


def values_of(graph):
    """The ends of its edges, and its fields, as lists: what is done to the graph later is not done to them."""
    fields = ({name: values.tolist() for name, values in of.items()} for of in (graph.ndata, graph.edata))
    return [[end.tolist() for end in graph.edges()], *fields]


def test_columns_of_any_whole_numbers_in_any_order_become_a_dgl_graph():
    given = replace(CHAIN, src=np.array([0, 1], np.uint8), nodes={"word": np.arange(3)[::-1]})
    assert [end.tolist() for end in given.dgl().edges()] == [[0, 1], [1, 2]]
    assert given.dgl().ndata["word"].tolist() == [2, 1, 0]
