from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphs.errors import InputError, SentenceError
from graphs.formats.brackets import to_brackets
from graphs.formats.tai import read_tai_constituency, read_tai_dependencies


@pytest.fixture
def write(tmp_path):
    def write(name, *lines):
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write


def test_dependencies(write):
    sentences = read_tai_dependencies(
        write("a.toks", "the cat naps", "go\xa0on !"),
        write("a.parents", "2 3 0", "0 -1"),
        write("a.rels", "det nsubj root", "root null"),
    )
    assert [sentence.word for sentence in sentences] == [["the", "cat", "naps"], ["go\xa0on", "!"]]
    assert [sentence.head.tolist() for sentence in sentences] == [[1, 2, -1], [-1, -1]]
    assert [sentence.relation for sentence in sentences] == [["det", "nsubj", "root"], ["root", "null"]]
    assert (sentences[1].origin.line, sentences[1].origin.sentence) == (2, "2")


def test_relations_may_be_missing(write):
    (sentence,) = read_tai_dependencies(write("a.toks", "go on"), write("a.parents", "0 1"))
    assert sentence.relation == ["_", "_"]


@pytest.mark.parametrize(
    ("toks", "parents", "rels", "reason"),
    [
        ("a b", "0", "r r", "1 parents for 2 tokens"),
        ("a b", "0 1", "r", "1 rels for 2 tokens"),
        ("a b", "0 3", "r r", "3 in parents is out of range, the tree has 2 nodes"),
        ("a b", "0 -2", "r r", "-2 in parents is out of range"),
        ("a b", "0 x", "r r", "'x' in parents is not a number"),
        ("a b", "2 1", "r r", "words 1 -> 2 -> 1 form a cycle"),
        ("", "", "", "the sentence has no tokens"),
    ],
)
def test_broken_dependencies_are_refused_alone(write, toks, parents, rels, reason):
    files = write("t", "a", toks, "b"), write("p", "0", parents, "0"), write("r", "root", rels, "root")
    with pytest.raises(SentenceError, match=f"t:2, sentence 2: .*{reason}"):
        read_tai_dependencies(*files)
    sentences = read_tai_dependencies(*files, on_error="skip")
    assert [sentence.word for sentence in sentences] == [["a"], ["b"]]
    assert [error.origin.line for error in sentences.skipped] == [2]


def test_files_that_are_not_parallel_are_both_named(write):
    toks, parents = write("a.toks", "a", "b"), write("a.parents", "0")
    with pytest.raises(InputError, match=r"a\.toks has 2 lines but .*a\.parents has 1"):
        read_tai_dependencies(toks, parents, on_error="skip")


def test_constituency_puts_siblings_in_the_order_of_their_tokens(write):
    # Node 5 is the root; node 6 is the phrase over the first two tokens, node 7 the one over the last two.
    toks, cparents = write("toks", "a b c d"), write("cparents", "6 6 7 7 0 5 5")
    labels, tags = write("labels", "1 0 -1 0 2 -2 1"), write("tags", "A B C D")
    (plain,) = read_tai_constituency(toks, cparents)
    assert plain.label == [""] * 7
    assert plain.word == [None, None, "a", "b", None, "c", "d"]
    assert plain.parent.tolist() == [-1, 0, 1, 1, 0, 4, 4]
    (labelled,) = read_tai_constituency(toks, cparents, labels)
    assert to_brackets(labelled) == "(2 (-2 (1 a) (0 b)) (1 (-1 c) (0 d)))"
    (tagged,) = read_tai_constituency(toks, cparents, labels, tags)
    assert to_brackets(tagged) == "(2 (-2 (A a) (B b)) (1 (C c) (D d)))"


def test_a_single_token_is_its_own_root(write):
    (tree,) = read_tai_constituency(write("toks", "hm"), write("cparents", "0"), tags=write("tags", "UH"))
    assert to_brackets(tree) == "(UH hm)"


@pytest.mark.parametrize(
    ("toks", "cparents", "reason"),
    [
        ("a b", "0", "1 cparents for 2 tokens"),
        ("a b", "3 3", "3 in cparents is out of range, the tree has 2 nodes"),
        ("a b", "3 3 -1", "-1 in cparents is out of range"),
        ("a b", "0 3 0", "cparents has 2 roots, expected 1"),
        ("a b", "3 3 4 3", "cparents has 0 roots"),
        ("a b", "2 0", "makes token 2 a phrase"),
        ("a b", "3 3 0 3", "node 4 of cparents has no token under it"),
        ("a b", "3 4 0 5 4", "3 nodes of cparents do not hang on the root"),
        ("a b c", "5 4 5 0 4", "a phrase whose tokens are not neighbours"),
        ("", "", "no tokens"),
    ],
)
def test_broken_constituency_is_refused_alone(write, toks, cparents, reason):
    files = write("t", "a", toks, "b"), write("c", "0", cparents, "0")
    with pytest.raises(SentenceError, match=reason):
        read_tai_constituency(*files)
    trees = read_tai_constituency(*files, on_error="skip")
    assert [tree.words for tree in trees] == [["a"], ["b"]]
    assert [error.origin.sentence for error in trees.skipped] == ["2"]


def test_too_few_labels_or_tags(write):
    toks, cparents = write("toks", "a b"), write("cparents", "3 3 0")
    with pytest.raises(SentenceError, match="2 labels for 3 nodes"):
        read_tai_constituency(toks, cparents, write("labels", "0 0"))
    with pytest.raises(SentenceError, match="3 tags for 2 tokens"):
        read_tai_constituency(toks, cparents, tags=write("tags", "A B C"))


def test_deep_trees(write):
    size = 5000
    parents = [size + 1] + [size + token for token in range(1, size)]
    parents += [size + place + 1 for place in range(1, size - 1)] + [0]
    toks = write("toks", " ".join(f"w{token}" for token in range(size)))
    (tree,) = read_tai_constituency(toks, write("cparents", " ".join(map(str, parents))))
    assert len(tree) == 2 * size - 1
    assert tree.words[-1] == f"w{size - 1}"


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.integers(1, 4), st.lists(st.integers(0, 7), min_size=1, max_size=7))
def test_any_parents_give_a_tree_or_a_sentence_error(tmp_path_factory, size, parents):
    folder = tmp_path_factory.mktemp("tai")
    words = [f"w{token}" for token in range(size)]
    (folder / "toks").write_text(" ".join(words) + "\n")
    (folder / "cparents").write_text(" ".join(map(str, parents)) + "\n")
    trees = read_tai_constituency(folder / "toks", folder / "cparents", on_error="skip")
    assert len(trees) + len(trees.skipped) == 1
    for tree in trees:
        assert tree.words == words
        assert len(tree) == len(parents)
        assert all(above < node for node, above in enumerate(tree.parent.tolist()))
