from __future__ import annotations

import gzip
import io
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.columns import Constituency
from graphs.errors import Origin, SentenceError
from graphs.formats.brackets import from_stanza_tree, parse_brackets, read_brackets, to_brackets

CAT = "(S (NP (DT the) (NN cat)) (VP (VBZ naps)))"


def columns(tree):
    return list(tree.label), list(tree.word), tree.parent.tolist()


def one(text, **options):
    (tree,) = parse_brackets(text, **options)
    return tree


def test_a_preterminal_and_its_word_are_one_node():
    assert columns(one(CAT)) == (
        ["S", "NP", "DT", "NN", "VP", "VBZ"],
        [None, None, "the", "cat", None, "naps"],
        [-1, 0, 1, 1, 0, 4],
    )
    assert one(CAT).words == ["the", "cat", "naps"]


def test_layout_does_not_matter():
    spread = "( (S\n    (NP (DT the)\n\t(NN cat) )\n\n    (VP (VBZ\n naps))\n))\n"
    assert columns(one(spread)) == columns(one(CAT))
    assert columns(one(spread.replace("\n", "\r\n"))) == columns(one(CAT))


def test_trees_are_told_apart_by_lines_or_by_brackets():
    trees = parse_brackets(f"\n{CAT}\n(A a) (B b)\n\n  (C\n    (D d) (E e))\n  (F f)")
    assert [tree.words for tree in trees] == [["the", "cat", "naps"], ["a"], ["b"], ["d", "e"], ["f"]]
    assert [tree.origin.line for tree in trees] == [2, 3, 3, 5, 7]
    assert [tree.origin.sentence for tree in trees] == ["1", "2", "3", "4", "5"]


def test_only_one_outer_bracket_without_label_is_taken_off():
    assert columns(one("( (S (A a) (B b)))")) == columns(one("(S (A a) (B b))"))
    assert columns(one("((A a))")) == (["A"], ["a"], [-1])
    assert columns(one("((A a) (B b))")) == (["", "A", "B"], [None, "a", "b"], [-1, 0, 0])
    assert columns(one("(((A a)))")) == (["", "A"], [None, "a"], [-1, 0])


def test_labels_and_traces_stay_as_read():
    tree = one("(S (NP-SBJ-1=2 (-NONE- *T*-1)) (PRN (-LRB- -LRB-) (: --)))")
    assert tree.label == ["S", "NP-SBJ-1=2", "-NONE-", "PRN", "-LRB-", ":"]
    assert tree.words == ["*T*-1", "-LRB-", "--"]


def test_words_hold_every_character_but_space_tab_line_end_and_bracket():
    assert one("(2 (2 3\xa01\\/2)\t(2 a\u2003b\x0bc\u2028d))").words == ["3\xa01\\/2", "a\u2003b\x0bc\u2028d"]


def test_brackets_are_escaped_in_tags_too():
    tree = Constituency(["S", "(", "$(", ")"], [None, "(", "b", ")"], np.array([-1, 0, 0, 0]))
    assert to_brackets(tree, escape=True) == "(S (-LRB- -LRB-) ($-LRB- b) (-RRB- -RRB-))"
    with pytest.raises(SentenceError, match="bracket"):
        to_brackets(tree)


def test_unescape_is_on_request():
    text = r"(X (A -LRB-) (B 1\/2) (C ;-RRB-) (D \*) (-LCB- -LCB-))"
    assert one(text).words == ["-LRB-", r"1\/2", ";-RRB-", r"\*", "-LCB-"]
    plain = one(text, unescape=True)
    assert plain.words == ["(", "1/2", ";)", "*", "{"]
    assert plain.label[-1] == "-LCB-"
    assert to_brackets(plain, escape=True) == text
    with pytest.raises(SentenceError, match="bracket"):
        to_brackets(plain)


def test_a_word_that_would_be_read_as_another_is_not_escaped():
    """`-LRB)` came back as `(RRB-`."""

    def again(word):
        tree = Constituency(["X"], [word], np.array([-1]), Origin("f.txt", 3))
        return one(to_brackets(tree, escape=True), unescape=True).words[0]

    kept = ["(LRB)", "-(-", "((", "\\/", "LRB-)"]
    assert [*map(again, kept)] == kept
    assert again("-LRB-") == "("  # as a tokeniser that escapes means it
    saying = r"^f\.txt:3: '-LRB\)' cannot be written escaped: -LRB-RRB- is read as '\(RRB-'$"
    with pytest.raises(SentenceError, match=saying):
        again("-LRB)")


def test_a_bare_word_among_siblings_is_a_leaf_without_label():
    tree = one("(NP (DT the) old cat (X x))")
    assert columns(tree) == (["NP", "DT", "", "", "X"], [None, "the", "old", "cat", "x"], [-1, 0, 0, 0, 0])
    assert to_brackets(tree) == "(NP (DT the) old cat (X x))"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(S (A a)\n  (B b)", "line 1: 1 bracket is not closed"),
        ("(S (A (B b)\n", "line 1: 2 brackets are not closed"),
        ("(S (A a)))", "line 1: a closing bracket without an opening one"),
        ("(S (A a)\n\n  (2 b c))", r"line 3: a bracket with 2 words, \(2 b c"),
        ("(S (A a)\n  (NP ))", r"line 2: empty bracket \(NP\)"),
        ("()", r"line 1: empty bracket \(\)"),
        ("( )", "empty bracket"),
        ("(S)", r"empty bracket \(S\)"),
        ("(S (P ()))", r"empty bracket \(\); a bracket in a word or a label is written -LRB- or -RRB-$"),
        ("cat (S (A a))", "line 1: text outside brackets: 'cat'"),
    ],
)
def test_a_broken_tree_is_refused_alone(text, reason):
    with pytest.raises(SentenceError) as caught:
        parse_brackets(text)
    assert re.search(reason, caught.value.reason)
    trees = parse_brackets(f"(A before)\n{text}\n(A after)", on_error="skip")
    assert [tree.words for tree in trees] == [["before"], ["after"]]
    assert [tree.origin.sentence for tree in trees] == ["1", "3"]
    (error,) = trees.skipped
    assert error.origin.line == 2
    assert error.origin.sentence == "2"
    assert "\n" not in str(error)


def test_files_gzipped_files_and_open_files(tmp_path):
    plain, packed = tmp_path / "t.mrg", tmp_path / "t.brackets.gz"
    plain.write_text(f"{CAT}\n(A a\n", encoding="utf-8")
    packed.write_bytes(gzip.compress(CAT.encode()))
    with pytest.raises(SentenceError) as caught:
        read_brackets(plain)
    assert str(caught.value).startswith(f"{plain}:2, sentence 2: 1 bracket is not closed")
    with gzip.open(packed) as unpacked:
        sources = [packed, str(packed), io.StringIO(CAT), io.BytesIO(CAT.encode()), unpacked]
        assert [to_brackets(read_brackets(source)[0]) for source in sources] == [CAT] * 5
    assert read_brackets(io.StringIO("")) == []


def test_a_tree_may_be_very_deep():
    depth = 100_000
    text = "(X " * depth + "(A a)" + ")" * depth
    tree = one(text)
    assert len(tree) == depth + 1
    assert to_brackets(tree) == text


@pytest.mark.parametrize(
    "tree",
    [
        Constituency(["", "", ""], [None, "a", "b"], np.array([-1, 0, 0])),
        Constituency(["X", "", ""], [None, "a", "b"], np.array([-1, 0, 0])),
        Constituency(["", "", "B"], [None, "a", "b"], np.array([-1, 0, 0])),
        Constituency(["X", ""], [None, "a"], np.array([-1, 0])),
        Constituency([""], ["a"], np.array([-1])),
        Constituency(["A"], ["a b"], np.array([-1])),
        Constituency(["A"], [""], np.array([-1])),
        Constituency(["(A"], ["a"], np.array([-1])),
    ],
)
def test_what_brackets_cannot_say_is_not_written(tree):
    with pytest.raises(SentenceError, match="cannot be written in brackets"):
        to_brackets(tree)


@st.composite
def trees(draw):
    """Random trees with odd labels and words, and with unlabelled ones where brackets allow them."""
    letters = st.characters(exclude_characters=" \t\r\n()", exclude_categories=["Cs"])
    atom = st.text(letters, min_size=1, max_size=4)
    label, word, parent = [draw(atom | st.just(""))], [None], [-1]
    path = [0]
    for _ in range(draw(st.integers(1, 8))):
        del path[draw(st.integers(1, len(path))) :]
        for _ in range(draw(st.integers(0, 3))):
            parent.append(path[-1])
            path.append(len(label))
            label.append(draw(atom | st.just("")))
            word.append(None)
        parent.append(path[-1])
        label.append(draw(atom))
        word.append(draw(atom))
        if draw(st.booleans()):
            parent.append(path[-1])
            label.append("")
            word.append(draw(atom))
    return Constituency(label, word, np.array(parent))


@settings(derandomize=True, deadline=None, max_examples=30)
@given(trees())
def test_reading_undoes_writing(tree):
    text = to_brackets(tree)
    assert "\n" not in text
    assert columns(one(text)) == columns(tree)


def test_any_text_gives_trees_or_a_sentence_error():
    read = []

    @settings(derandomize=True, deadline=None, max_examples=300)
    @given(st.lists(st.sampled_from(["(", ")", " ", "a", "b", "\n", "(a ", "(a b)"]), max_size=15).map("".join))
    def any_text(text):
        for tree in parse_brackets(text, on_error="skip"):
            assert columns(one(to_brackets(tree))) == columns(tree)
            read.append(len(tree))

    any_text()
    assert max(read) > 2  # letters alone made no tree of chance


@pytest.mark.parametrize(
    ("word", "parent", "said"),
    [
        ([None, "a", "b"], [-1, 0.5, 0], r"parent 0\.5 of node 2 is no whole number"),
        ([None, "a", "b"], [-1, 2, 0], "a node stands before its parent"),
        ([None, "a", "b"], [-1, 0, 7], "a node stands before its parent"),
        ([None, "a", "b"], [-1, 2, 1], "a node stands before its parent"),
        ([None, "a", "b"], [-1, 0], "the tree has 3 labels, 3 words and 2 parents"),
        ([None, None, "b"], [-1, 0, 0], "phrase 'A' has no words"),
        ([None, "a", "b"], [-1, 0, 1], "word 'a' has nodes below it"),
        ([None, None, None, "a", "b"], [-1, 0, 0, 1, 2], "the nodes are not in pre-order"),
    ],
)
def test_what_is_no_tree_is_not_written(word, parent, said):
    tree = Constituency(["S", "A", "B", "C", "D"][: len(word)], word, np.array(parent), Origin("f", 3))
    with pytest.raises(SentenceError, match=f"f:3: {said}"):
        to_brackets(tree)


def test_parents_written_as_floats_are_numbers_of_nodes():
    tree = Constituency(["S", "A", "B"], [None, "a", "b"], np.array([-1.0, 0.0, 0.0]))
    assert to_brackets(tree) == "(S (A a) (B b))"


def test_stanza_trees_come_in_through_the_door():
    from stanza.models.constituency.parse_tree import Tree
    from stanza.models.constituency.tree_reader import read_trees

    text = "(ROOT (S (NP (NP (DT the) (NN cat))) (, ,) (VP (VBZ naps)) (. .)))"
    assert columns(from_stanza_tree(read_trees(text)[0])) == columns(one(text))
    assert columns(from_stanza_tree(Tree("NN", Tree("cat")))) == (["NN"], ["cat"], [-1])
    mixed = Tree("NP", [Tree("DT", Tree("the")), Tree("cat")])
    assert columns(from_stanza_tree(mixed)) == columns(one("(NP (DT the) cat)"))
    deep = Tree("A", Tree("a"))
    for _ in range(5000):
        deep = Tree("X", deep)
    assert len(from_stanza_tree(deep)) == 5001
    with pytest.raises(SentenceError, match="no constituency tree"):
        from_stanza_tree(None)
