from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import constituencies, parents

from graphs import trees
from graphs.errors import Origin, SentenceError
from graphs.formats.brackets import parse_brackets

relaxed = settings(derandomize=True, deadline=None)


def array(*values):
    return np.array(values, dtype=np.int64)


def test_roots_and_slots_of_a_forest():
    parent = array(1, -1, 1, -1, 3, 1)
    assert trees.roots(parent).tolist() == [1, 3]
    assert trees.slots(parent).tolist() == [0, 0, 1, 1, 0, 2]
    assert trees.slots(array()).tolist() == []


@relaxed
@given(parents())
def test_slots_count_the_siblings_before(parent):
    expected = [int(np.count_nonzero(parent[:node] == parent[node])) for node in range(len(parent))]
    assert trees.slots(parent).tolist() == expected


@relaxed
@given(parents(), st.randoms(use_true_random=False))
def test_depths_count_the_steps_to_a_root(parent, random):
    # Renamed at random, so that a parent may stand on either side of its children.
    names = list(range(len(parent)))
    random.shuffle(names)
    mixed = np.empty_like(parent)
    for node, above in enumerate(parent):
        mixed[names[node]] = names[above] if above >= 0 else -1

    def steps(node):
        return 0 if mixed[node] < 0 else 1 + steps(mixed[node])

    before = mixed.copy()
    assert trees.depths(mixed).tolist() == [steps(node) for node in range(len(mixed))]
    assert (mixed == before).all()


@relaxed
@given(st.lists(st.integers(-1, 8), min_size=1, max_size=9).filter(lambda heads: max(heads) < len(heads)))
def test_find_cycle_finds_a_cycle_if_there_is_one(heads):
    parent = np.array(heads)
    cycle = trees.find_cycle(parent).tolist()
    if cycle:
        assert len(set(cycle)) == len(cycle)
        assert parent[cycle].tolist() == cycle[1:] + cycle[:1]
    else:
        for node in range(len(heads)):
            for _ in heads:
                node = heads[node] if node >= 0 else -1
            assert node == -1


def test_cycles_are_named_in_one_line():
    trees.refuse_cycle(array(1, -1))
    with pytest.raises(SentenceError, match=r"f:2: word 2 is its own head"):
        trees.refuse_cycle(array(-1, 1), Origin("f", 2))
    with pytest.raises(SentenceError, match="form a cycle") as caught:
        trees.refuse_cycle(np.roll(np.arange(1000), 1))
    assert len(str(caught.value)) < 120
    with pytest.raises(SentenceError, match="cycle"):
        trees.depths(array(1, 0, -1))


def test_long_chains_are_no_deeper_than_short_ones():
    chain = np.arange(-1, 99_999)
    assert trees.depths(chain)[-1] == 99_999
    assert not len(trees.find_cycle(chain))
    assert len(trees.find_cycle(np.roll(np.arange(100_000), 1))) == 100_000


def test_attach_roots_hangs_later_roots_on_the_first():
    head = array(1, -1, -1, 2, -1)
    assert trees.attach_roots(head).tolist() == [1, -1, 1, 2, 1]
    assert head.tolist() == [1, -1, -1, 2, -1]
    assert trees.attach_roots(array(-1, 0)).tolist() == [-1, 0]


def test_spans():
    (tree,) = parse_brackets("(S (NP (DT the) (NN cat)) (VP (VBZ naps)) (. .))")
    assert trees.spans(tree).tolist() == [[0, 4], [0, 2], [0, 1], [1, 2], [2, 3], [2, 3], [3, 4]]


@relaxed
@given(constituencies())
def test_a_span_holds_the_words_under_a_node(tree):
    below = trees.children(tree.parent)

    def words(node):
        return [tree.word[node]] if not below[node] else [word for kid in below[node] for word in words(kid)]

    assert [tree.words[start:end] for start, end in trees.spans(tree)] == [words(n) for n in range(len(tree))]


@relaxed
@given(constituencies(), st.randoms(use_true_random=False))
def test_from_children_puts_nodes_in_pre_order(tree, random):
    names = list(range(len(tree)))
    random.shuffle(names)
    label, word, below = [""] * len(tree), [None] * len(tree), [[] for _ in names]
    for node, kids in enumerate(trees.children(tree.parent)):
        label[names[node]], word[names[node]] = tree.label[node], tree.word[node]
        below[names[node]] = [names[kid] for kid in kids]
    again = trees.from_children(label, word, below, names[0], Origin("f"))
    assert (again.label, again.word) == (tree.label, tree.word)
    assert again.parent.tolist() == tree.parent.tolist()
    assert again.origin == Origin("f")
