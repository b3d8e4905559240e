from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_trees import columns, constituencies

from graphs import transforms, trees
from graphs.columns import Constituency
from graphs.documents import forest
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets, to_brackets
from graphs.heads import constituency_to_heads

relaxed = settings(derandomize=True, deadline=None)
WIDE = "(X (A a) (B b) (C c) (D d))"

OF_ONE_TREE = [
    transforms.binarise,
    transforms.collapse_unary,
    transforms.drop_outer,
    transforms.drop_traces,
    constituency_to_heads,
]


def one(text):
    (tree,) = parse_brackets(text)
    return tree


def brood(tree):
    """Number of children of each phrase."""
    return [int(np.count_nonzero(tree.parent == node)) for node, word in enumerate(tree.word) if word is None]


def assert_pre_order(tree):
    assert columns(one(to_brackets(tree))) == columns(tree)


def test_drop_traces_drops_phrases_left_empty():
    tree = one("(S (NP (-NONE- *)) (VP (VB go) (NP (NP (-NONE- *T*)) (PP (-NONE- *)))) (. .))")
    assert to_brackets(transforms.drop_traces(tree)) == "(S (VP (VB go)) (. .))"
    assert len(tree) == 11
    with pytest.raises(SentenceError, match="nothing but traces"):
        transforms.drop_traces(one("(S (-NONE- *))"))


@relaxed
@given(constituencies())
def test_drop_traces_keeps_all_else(tree):
    words = [w for w, label in zip(tree.word, tree.label, strict=True) if w and label != "-NONE-"]
    if not words:
        with pytest.raises(SentenceError):
            transforms.drop_traces(tree)
        return
    bare = transforms.drop_traces(tree)
    assert bare.words == words
    assert 0 not in brood(bare)
    assert_pre_order(bare)


def test_strip_functional_tags():
    text = "(S-1 (NP-SBJ=2 (-NONE- *-1)) (NP=2 (-LRB- -LRB-) (HYPH a-b)) (@NP-TMP ( (PRP$ my) (: --))) (= =))"
    expected = "(S (NP (-NONE- *-1)) (NP (-LRB- -LRB-) (HYPH a-b)) (@NP ( (PRP$ my) (: --))) (= =))"
    assert to_brackets(transforms.strip_functional_tags(one(text))) == expected


@pytest.mark.parametrize(
    "change",
    [
        transforms.strip_functional_tags,
        partial(transforms.collapse_unary, label="joined"),
        transforms.expand_unary,
        partial(transforms.binarise, branching="head"),
        partial(transforms.binarise, label="at"),
        transforms.debinarise,
    ],
)
def test_labels_are_text_or_none(change):
    """Other ones were a bare AttributeError or TypeError, of None too, which is no label."""
    words, parent = [None, "a", "b", "c"], [-1, 0, 0, 0]
    with pytest.raises(SentenceError, match=r"^f:3: label 1 is 4; give its text$"):
        change(Constituency([4, 2, 2, 2], words, parent, Origin("f", 3)))
    without = change(Constituency([None, "A", None, "C"], words, parent))
    assert to_brackets(without) == to_brackets(change(Constituency(["", "A", "", "C"], words, parent)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(ROOT (S (A a) (B b)))", "(S (A a) (B b))"),
        ("(ROOT (S (A a)))", "(S (A a))"),
        ("(TOP (A a))", "(A a)"),
        ("(S1 (S (A a) (B b)))", "(S (A a) (B b))"),
        ("( ( (S (A a) (B b))))", "(S (A a) (B b))"),  # reading takes off one
        ("(ROOT (TOP (S (A a) (B b))))", "(TOP (S (A a) (B b)))"),
        ("(ROOT (A a) (B b))", "(ROOT (A a) (B b))"),
        ("(ROOT a)", "(ROOT a)"),
        ("(S (VP (A a)))", "(S (VP (A a)))"),
    ],
)
def test_drop_outer(text, expected):
    assert to_brackets(transforms.drop_outer(one(text))) == expected


@pytest.mark.parametrize(
    ("text", "top", "joined"),
    [
        ("(ROOT (S (VP (A a) (B b))))", "(S (A a) (B b))", "(ROOT+S+VP (A a) (B b))"),
        ("(ROOT (S (VP (A a))))", "(A a)", "(ROOT+S+VP+A a)"),
        (
            "(S (NP (N n)) (VP (VP (A a) (B b))))",
            "(S (N n) (VP (A a) (B b)))",
            "(S (NP+N n) (VP+VP (A a) (B b)))",
        ),
        ("(A a)", "(A a)", "(A a)"),
    ],
)
def test_collapse_unary(text, top, joined):
    assert to_brackets(transforms.collapse_unary(one(text))) == top
    assert to_brackets(transforms.collapse_unary(one(text), "joined")) == joined


@relaxed
@given(constituencies())
def test_joined_chains_come_back(tree):
    joined = transforms.collapse_unary(tree, "joined")
    assert 1 not in brood(joined)
    assert_pre_order(joined)
    assert columns(transforms.expand_unary(joined)) == columns(tree)
    top = transforms.collapse_unary(tree)
    assert (top.word, top.parent.tolist()) == (joined.word, joined.parent.tolist())


def test_joining_is_refused_where_it_could_not_be_undone():
    with pytest.raises(SentenceError, match=r"'\+' already"):
        transforms.collapse_unary(one("(S (A+B a))"), "joined")


@pytest.mark.parametrize(
    ("branching", "label", "expected"),
    [
        ("right", "parent", "(X (A a) (X (B b) (X (C c) (D d))))"),
        ("left", "at", "(X (@X (@X (A a) (B b)) (C c)) (D d))"),
        ("right", "at", "(X (A a) (@X (B b) (@X (C c) (D d))))"),
    ],
)
def test_binarise(branching, label, expected):
    assert to_brackets(transforms.binarise(one(WIDE), branching, label)) == expected


def test_binarise_goes_out_from_the_head():
    tree = one("(VP (ADVP b) (ADVP a) (VB do) (NP c) (PP d))")
    expected = "(VP (ADVP b) (@VP (ADVP a) (@VP (@VP (VB do) (NP c)) (PP d))))"
    assert to_brackets(transforms.binarise(tree, "head", "at")) == expected
    last = one("(NP-SBJ (DT a) (JJ b) (NN c))")
    assert to_brackets(transforms.binarise(last, "head", "at")) == "(NP-SBJ (DT a) (@NP-SBJ (JJ b) (NN c)))"


def test_heads_are_children_of_their_phrases():
    tree = one("(S (NP (DT a) (NN b) (NN c)) (VP d))")
    heads = [1, 3, 2, 3, 4, 5]
    assert to_brackets(transforms.binarise(tree, "head", heads=heads)) == "(S (NP (DT a) (NP (NN b) (NN c))) (VP d))"
    for head in (9, 5, 0.5):
        with pytest.raises(SentenceError, match=f"head {head} of phrase 'NP', node 1, is none of its children 2, 3, 4"):
            transforms.binarise(tree, "head", heads=[1, head, *heads[2:]])
    with pytest.raises(SentenceError, match="5 heads for 6 nodes; give one a node"):
        transforms.binarise(tree, "head", heads=heads[:-1])
    with pytest.raises(InputError, match="heads are given, and branching is 'right'; leave them out"):
        transforms.binarise(tree, heads=heads)


@pytest.mark.parametrize("change", [*OF_ONE_TREE, transforms.debinarise, transforms.expand_unary])
def test_trees_with_broken_parents(change):
    def tree(*parent):
        return Constituency(["S", "A", "B", "C"], [None, "a", "b", "c"], np.array(parent))

    change(tree(-1.0, 0.0, 0.0, 0.0))
    for parent, said in (
        ((-1, 0.5, 0, 0), "parent 0.5 of node 2 is no whole number"),
        ((-1, 2, 1, 0), "a node stands before its parent"),
        ((-1, 0, 0), "4 labels, 4 words and 3 parents"),
    ):
        with pytest.raises(SentenceError, match=said):
            change(tree(*parent))
    with pytest.raises(SentenceError, match="2 labels, 1 words and 2 parents"):
        change(Constituency(["S", "A"], [None], [-1, 0]))


@relaxed
@given(constituencies(), st.sampled_from(["left", "right", "head"]))
def test_binarising_comes_undone(tree, branching):
    before = columns(tree)
    at = transforms.binarise(tree, branching, "at")
    assert max(brood(at), default=0) <= 2
    assert_pre_order(at)
    assert columns(transforms.debinarise(at)) == before
    assert columns(transforms.binarise(at, branching, "at")) == columns(at)
    parent = transforms.binarise(tree, branching)
    assert parent.label == [label.lstrip("@") for label in at.label]
    assert (parent.word, parent.parent.tolist()) == (at.word, at.parent.tolist())
    assert columns(tree) == before


def test_a_word_tagged_at_is_no_made_phrase():
    tree = one("(X (@ @home) (B b) (C c))")
    assert columns(transforms.debinarise(transforms.binarise(tree, "left", "at"))) == columns(tree)
    with pytest.raises(SentenceError, match="'@' already"):
        transforms.binarise(one("(X (@Y (B b)) (B b) (C c))"), "left", "at")
    made = transforms.binarise(one("(X (@Y (B b)) (B b) (C c))"), "left", "parent")  # of which none is told apart
    assert to_brackets(made) == "(X (X (@Y (B b)) (B b)) (C c))"


def test_a_root_named_at_has_no_phrase_above_and_stays():
    assert to_brackets(transforms.debinarise(one("(@X (A a) (@Y (B b) (C c)))"))) == "(@X (A a) (B b) (C c))"


def test_unknown_ways_are_named():
    with pytest.raises(InputError, match="'middle'"):
        transforms.binarise(one(WIDE), "middle")
    with pytest.raises(InputError, match="'none'"):
        transforms.binarise(one(WIDE), "left", "none")
    with pytest.raises(InputError, match="'bottom'"):
        transforms.collapse_unary(one(WIDE), "bottom")


def test_deep_and_wide_trees():
    size = 20_000
    chain = Constituency(["X"] * size, [None] * (size - 1) + ["a"], np.arange(-1, size - 1))
    assert len(transforms.collapse_unary(chain)) == 1
    assert columns(transforms.expand_unary(transforms.collapse_unary(chain, "joined"))) == columns(chain)
    flat = Constituency(["X"] * size, [None] + ["a"] * (size - 1), np.minimum(np.arange(-1, size - 1), 0))
    for branching in ("left", "right", "head"):
        binary = transforms.binarise(flat, branching, "at")
        assert len(binary) == 2 * (size - 1) - 1
        assert columns(transforms.debinarise(binary)) == columns(flat)


@pytest.mark.parametrize("change", [*OF_ONE_TREE, to_brackets])
def test_the_trees_of_a_document_are_changed_before_they_are_joined(change):
    several = [one(line) for line in ("(S (A a) (B b) (C c))", "(T (D d) (E e))")]
    with pytest.raises(SentenceError, match="2 trees stand side by side"):
        change(forest(several))
    with pytest.raises(SentenceError, match="the tree has no nodes"):
        change(Constituency([], [], np.zeros(0, dtype=np.int64)))
    assert change(forest(several[:1])) is not None
    assert len(forest([transforms.binarise(tree) for tree in several])) == len(forest(several)) + 1


@pytest.mark.parametrize("change", [*OF_ONE_TREE, transforms.debinarise, transforms.expand_unary, to_brackets])
def test_a_tree_is_checked_once(change, monkeypatch):
    checked = []
    monkeypatch.setattr(trees, "check_lengths", checked.append)
    change(one("(ROOT (S (NP (DT a) (JJ b) (NN c)) (VP (VB d))))"))
    assert len(checked) == 1
