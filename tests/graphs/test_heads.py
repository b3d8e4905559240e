from __future__ import annotations

import pytest
from hypothesis import given, settings
from random_trees import constituencies

from graphs import trees
from graphs.columns import Constituency
from graphs.errors import SentenceError
from graphs.formats.brackets import parse_brackets
from graphs.heads import bare_label, constituency_to_heads, head_child, head_children, head_children_collapsed
from graphs.transforms import collapse_unary


@pytest.mark.parametrize(
    ("label", "below", "head"),
    [
        ("S", "NP-SBJ VP .", 1),
        ("S-TPC-1", "ADVP NP VP", 2),
        ("VP", "MD RB VP", 0),
        ("VP", "ADVP VBZ NP", 1),
        ("PP", "ADVP IN NP", 1),
        ("NP", "DT JJ NN", 2),
        ("NP", "NP PP", 0),
        ("NP", "DT NN POS", 2),
        ("NP", "NN CD", 0),
        ("NP", "$ CD", 0),
        ("NP", "DT JJ", 1),
        ("NP", "DT FW", 1),
        ("NP", "NP , NP CC NP", 0),
        ("VP", "VB CC VB", 0),
        ("UCP", "ADJP CC NP", 0),
        ("NP", "NP , CC NP", 0),
        ("NP", "CC NP PP", 1),
        ("CONJP", "RB RB IN", 1),
        ("SBAR", "WHNP S", 0),
        ("ROOT", "`` S", 1),
        ("PRN", ", :", 0),
        ("FRAG", "NP .", 0),
        ("3", "2 4", 0),
        ("VP", "VBZ TO VP", 1),
        ("ADJP", "ADVP JJ NN", 2),
        ("NAC", "NNP CD", 0),
        ("QP", "CD $ CD", 1),
        ("SBARQ", "WHNP S SQ", 2),
        ("SINV", "ADJP VP VBZ NP", 2),
        ("SQ", "VBZ NP VP", 0),
        ("WHADJP", "JJ WRB", 1),
        ("WHNP", "WHNP WHPP WP", 2),
        ("ADVP", "IN RB RBR", 1),
        ("LST", ": LS :", 1),
        ("PRT", "RP RB", 0),
        ("RRC", "NP VP NP", 1),
        ("WHADVP", "WRB RB", 0),
        ("WHPP", "IN WHNP", 0),
        ("INTJ", "UH NN", 0),
        ("NX", "JJ NN", 1),
        ("NML", "NN NN", 1),
        ("NP", "NP PP NP", 0),
        ("NP", "$ CD ADJP DT", 2),
        ("NP", "CD CD PP", 1),
        # Rules are searched from the left or from the right.
        ("VP", "VBD VBD", 0),
        ("PP", "IN IN", 1),
        ("ADVP", "RB RB", 1),
        ("NP", "-LRB- FW -RRB-", 1),
        # A label that is wanted more goes before one that the search meets first.
        ("PP", "IN TO NP", 0),
        ("S", "NP UCP", 1),
        ("NP", "DT JJR PP", 1),
        ("NP", "DT JJS JJ", 2),
        ("X", "HYPH NN", 1),
        ("X", "-NONE- NN", 1),
        ("X", "'' NN", 1),
        # Marks stand anywhere in a coordination.
        ("NP", "NN CC `` NN", 0),
        ("NP", "NN , CC NN", 0),
    ],
)
def test_head_child(label, below, head):
    assert head_child(label, below.split()) == head


@pytest.mark.parametrize(
    ("label", "bare"),
    [
        ("NP-SBJ-1", "NP"),
        ("NP=2", "NP"),
        ("-LRB-", "-LRB-"),
        ("-NONE-", "-NONE-"),
        ("", ""),
        ("=", "="),
        ("PRP$", "PRP$"),
    ],
)
def test_bare_label(label, bare):
    assert bare_label(label) == bare


def test_heads_of_words():
    (tree,) = parse_brackets("(S (NP (DT the) (NN cat)) (VP (VBZ naps) (PP (IN on) (NP (NNS mats)))) (. .))")
    assert constituency_to_heads(tree).tolist() == [1, 2, -1, 2, 3, 2]
    (single,) = parse_brackets("(UH hm)")
    assert constituency_to_heads(single).tolist() == [-1]


@settings(derandomize=True, deadline=None)
@given(constituencies())
def test_every_phrase_is_a_subtree_of_the_heads(tree):
    head = constituency_to_heads(tree)
    assert len(trees.roots(head)) == 1
    assert not len(trees.find_cycle(head))
    for start, end in trees.spans(tree):
        outside = [word for word in range(start, end) if not start <= head[word] < end]
        assert len(outside) == 1
    assert all(
        node == child if tree.word[node] is not None else tree.parent[child] == node
        for node, child in enumerate(head_children(tree))
    )


def test_a_phrase_without_words_heads_nothing():
    tree = Constituency(["S", "A", "B"], [None, None, "b"], [-1, 0, 0])
    with pytest.raises(SentenceError, match="phrase 'A' has no words"):
        constituency_to_heads(tree)


def test_heads_of_a_collapsed_tree_are_those_of_its_own():
    texts = (
        "(S (NP (NN cats)) (VP (VBP nap)))",
        "(S (NP (NN cats)) (VP (VBP eat)))",  # other words
        "(S (NP (NN cats)) (VP (VBP nap) (RB well)))",  # more of them
        "(NN cats)",
    )
    trees = parse_brackets("\n".join(texts))
    for tree in trees:
        heads = head_children_collapsed(tree, collapse_unary(tree))
        assert len(heads) == len(collapse_unary(tree))
        for other in trees:
            if other is not tree:
                with pytest.raises(SentenceError, match="was not made of this one; give what transforms"):
                    head_children_collapsed(tree, collapse_unary(other))
    flat, deep = parse_brackets("(S (A a) (B b) (C c)) (S (X (A a) (B b)) (C c))")
    with pytest.raises(SentenceError, match="was not made of this one"):
        head_children_collapsed(flat, deep)
