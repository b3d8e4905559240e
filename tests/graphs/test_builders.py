"""Sentences in columns become the graphs that the contracts describe."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import graphs
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.documents import forest
from graphs.errors import Origin, SentenceError
from graphs.features import Vocabularies
from graphs.formats.brackets import to_brackets
from graphs.formats.conllu import to_conllu
from graphs.transforms import binarise, collapse_unary, drop_traces

TREE = graphs.parse_brackets("(S (NP (DT The) (JJ old) (NN cat)) (VP (VBD slept)))")[0]
SENTENCE = Dependencies(
    ["She", "did", "not", "sleep"],
    np.array([3, 3, 3, -1]),
    ["nsubj", "aux", "advmod", "root"],
    xpos=["PRP", "VBD", "RB", "VB"],
    origin=Origin("a.conllu", 7, "s1"),
)
VOCABULARIES = Vocabularies.of([TREE, SENTENCE])


def named(vocabulary, ids):
    return [vocabulary.strings[i] for i in ids]


def test_constituency():
    graph = graphs.constituency(TREE, VOCABULARIES, labels=[4, -1, 2, 2, 2, 1, 0])
    assert list(zip(graph.src.tolist(), graph.dst.tolist(), strict=True)) == [
        (1, 0),
        (2, 1),
        (3, 1),
        (4, 1),
        (5, 0),
        (6, 5),
    ]
    assert graph.edges["slot"].tolist() == [0, 0, 1, 2, 1, 0]
    assert graph.nodes["word"].tolist()[:2] == [0, 0]
    assert named(VOCABULARIES.word, graph.nodes["word"][[2, 3, 4, 6]]) == ["The", "old", "cat", "slept"]
    assert named(VOCABULARIES.tag, graph.nodes["tag"]) == ["S", "NP", "DT", "JJ", "NN", "VP", "VBD"]
    assert graph.nodes["position"].tolist() == [-1, -1, 0, 1, 2, -1, 3]
    assert graph.nodes["span"].tolist() == [[0, 4], [0, 3], [0, 1], [1, 2], [2, 3], [3, 4], [3, 4]]
    assert graph.nodes["label"].tolist() == [4, -1, 2, 2, 2, 1, 0]
    assert graph.level.tolist() == [0, 1, 2, 2, 2, 1, 2]
    assert "label" not in graphs.constituency(TREE, VOCABULARIES).nodes


def test_binary_constituency_is_demanded():
    with pytest.raises(SentenceError, match=r"'NP' has 3 children in words 1 to 3, where .* binarise"):
        graphs.constituency(TREE, VOCABULARIES, binary=True)
    (chain,) = graphs.parse_brackets("(S (VP (NP (DT The) (NN cat))) (VBD slept))")
    with pytest.raises(SentenceError, match=r"'VP' has 1 children .* collapse unary chains"):
        graphs.constituency(chain, VOCABULARIES, binary=True)
    binary = binarise(collapse_unary(TREE), "right")
    graph = graphs.constituency(binary, VOCABULARIES, binary=True)
    assert np.bincount(graph.dst).max() == 2
    assert graph.size == 7


def test_dependency():
    graph = graphs.dependency(SENTENCE, VOCABULARIES)
    assert graph.src.tolist() == [0, 1, 2]
    assert graph.dst.tolist() == [3, 3, 3]
    assert graph.edges["slot"].tolist() == [0, 1, 2]
    assert named(VOCABULARIES.relation, graph.edges["relation"]) == ["nsubj", "aux", "advmod"]
    assert named(VOCABULARIES.tag, graph.nodes["tag"]) == ["PRP", "VBD", "RB", "VB"]
    assert graph.nodes["position"].tolist() == [0, 1, 2, 3]


def test_several_roots_are_attached_or_kept():
    sentence = Dependencies(["yes", "he", "ran"], np.array([-1, 2, -1]), ["root", "nsubj", "root"])
    attached = graphs.dependency(sentence, VOCABULARIES)
    assert list(zip(attached.src.tolist(), attached.dst.tolist(), strict=True)) == [(1, 2), (2, 0)]
    kept = graphs.dependency(sentence, VOCABULARIES, roots="keep")
    assert list(zip(kept.src.tolist(), kept.dst.tolist(), strict=True)) == [(1, 2)]
    assert kept.level.tolist() == [0, 1, 0]


def test_a_sentence_without_heads_is_no_tree():
    tagged = Dependencies(["a", "b"], np.array([-1, -1]), ["_", "_"], origin=Origin("a.conllu", 3, "2"))
    vocabularies = Vocabularies.of([tagged])
    for roots in ("attach", "keep"):
        with pytest.raises(SentenceError, match=r"a.conllu:3, sentence 2: the sentence has no heads, perhaps tags"):
            graphs.dependency(tagged, vocabularies, roots=roots)
    word = Dependencies(["a"], np.array([-1]), ["_"])
    assert graphs.dependency(word, vocabularies).size == 1


def test_chain():
    for sentence, words in ((TREE, ["The", "old", "cat", "slept"]), (SENTENCE, ["She", "did", "not", "sleep"])):
        graph = graphs.chain(sentence, VOCABULARIES)
        assert list(zip(graph.src.tolist(), graph.dst.tolist(), strict=True)) == [(0, 1), (1, 2), (2, 3)]
        assert named(VOCABULARIES.word, graph.nodes["word"]) == words
        assert graph.level.tolist() == [3, 2, 1, 0]  # the last token is the root
    assert named(VOCABULARIES.tag, graphs.chain(TREE, VOCABULARIES).nodes["tag"]) == ["DT", "JJ", "NN", "VBD"]


def test_edges_of_ones_own_over_words():
    edges = [(2, 3), (0, 3), (0, 1), (1, 3)]
    graph = graphs.over_words(SENTENCE, VOCABULARIES, iter(edges), {"kind": [5, 6, 7, 8]})
    assert list(zip(graph.src.tolist(), graph.dst.tolist(), strict=True)) == edges
    assert graph.edges["slot"].tolist() == [0, 1, 0, 2]  # in the order given
    assert graph.edges["kind"].tolist() == [5, 6, 7, 8]
    assert graph.level.tolist() == [2, 1, 1, 0]
    assert named(VOCABULARIES.word, graph.nodes["word"]) == ["She", "did", "not", "sleep"]
    assert graphs.over_words(TREE, VOCABULARIES, []).level.tolist() == [0] * 4


def test_fields_of_ones_own_edges_keep_their_numbers():
    edges = [(0, 1), (1, 2)]
    given = {"near": [0.5, 0.25], "exact": np.array([0.5, 0.25]), "kind": [3, 4], "pair": [[1, 2], [3, 4]]}
    made = graphs.over_words(SENTENCE, VOCABULARIES, edges, given).edges
    assert {name: made[name].tolist() for name in given} == {name: np.asarray(given[name]).tolist() for name in given}
    dtypes = {"near": "float32", "exact": "float64", "kind": "int64", "pair": "int64"}
    assert {name: str(made[name].dtype) for name in given} == dtypes
    none = {"near": np.zeros(0, np.float32), "kind": []}
    made = graphs.over_words(SENTENCE, VOCABULARIES, [], none).edges
    assert [made[name].dtype for name in none] == [np.float32, np.int64]


@pytest.mark.parametrize(
    ("edges", "ids", "said"),
    [
        ([(0, 4)], {}, "edge 0 -> 4 has an end that is none of the 4 tokens"),
        ([(0, 1), (-1, 2)], {}, "edge -1 -> 2"),
        ([(0, 2**70)], {}, f"edge 0 -> {2**70} has an end that is none of the 4 tokens"),
        ([(0, 1), (1, 0)], {}, "cycle"),
        ([(2, 2)], {}, "cycle"),
        ([(0, 1), (1, 0), (1, 2)], {}, "cycle through node 0"),
        ([(1, 2), (2, 1), (1, 0)], {}, "cycle through node 1"),
        ([(0, 1), (1, 2), (2, 1)], {}, "cycle through node 1"),  # to which node 0 only leads
        ([(0, 1), (1.9, 2)], {}, "edge \\(1.9, 2\\) is no pair"),
        ([(0, 1)], {"slot": [1]}, "field 'slot' is the order of the edges"),
        ([0, 1], {}, "edge 0 is no pair"),
        ([(0, 1), (1, 2)], {"x": [[1], [2, 3]]}, "field 'x' has rows of several lengths"),
        ([(0, 1, 2), (1, 2, 3)], {}, "edge \\(0, 1, 2\\) is no pair"),
        ([(0, 1)], {"kind": [1, 2]}, "'kind' has another length than the 1 edges"),
        ([(0, 1)], {"kind": 1}, "'kind' has another length than the 1 edges"),
        ([(0, 1)], {"kind": ["near"]}, "'kind' holds <U4 values; give numbers"),
        ([(0, 1)], {"kind": [1j]}, "'kind' holds complex128 values; give numbers"),
    ],
)
def test_edges_that_cannot_be_are_refused_with_their_place(edges, ids, said):
    with pytest.raises(SentenceError, match=f"a.conllu:7.*{said}"):
        graphs.over_words(SENTENCE, VOCABULARIES, edges, ids)


def test_unknown_words_and_missing_tags():
    graph = graphs.dependency(Dependencies(["zebra"], np.array([-1]), ["root"]), VOCABULARIES)
    assert graph.nodes["word"].tolist() == [1]
    assert graph.nodes["tag"].tolist() == [0]


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ([1, 0, -1], "cycle"),
        ([0, -1, -1], "its own head"),
        ([5, -1, 1], "head 6 of word 1 is out of range, the sentence has 3 words"),
        ([-2, -1, 1], "head -1 of word 1 is out of range"),
    ],
)
def test_what_is_no_tree_is_refused_with_its_place(head, message):
    sentence = Dependencies(["a", "b", "c"], np.array(head), ["x"] * 3, origin=Origin("f.conllu", 12, "s4"))
    with pytest.raises(SentenceError, match=message) as error:
        graphs.dependency(sentence, VOCABULARIES)
    assert str(error.value).startswith("f.conllu:12, sentence s4: ")


@pytest.mark.parametrize(
    ("word", "parent", "said"),
    [
        ([None], [-1, 0], "the tree has 2 labels, 1 words and 2 parents"),
        ([None, "a"], [-1], "the tree has 2 labels, 2 words and 1 parents"),
        ([None, "a"], [-1, 7], "a node stands before its parent"),
        ([None, "a"], [1, 0], "a node stands before its parent"),
    ],
)
def test_columns_that_are_no_constituency_tree(word, parent, said):
    with pytest.raises(SentenceError, match=f"f:3: {said}"):
        graphs.constituency(Constituency(["S", "A"], word, np.array(parent), Origin("f", 3)), VOCABULARIES)


def test_empty_sentences_are_refused():
    nothing = Dependencies([], np.zeros(0, dtype=np.int64), [], origin=Origin("f", 1, "1"))
    for build in (graphs.dependency, graphs.chain):
        with pytest.raises(SentenceError, match="f:1, sentence 1: the sentence has no words"):
            build(nothing, VOCABULARIES)
    with pytest.raises(SentenceError, match="the tree has no nodes"):
        graphs.constituency(Constituency([], [], np.zeros(0, dtype=np.int64)), VOCABULARIES)


def test_nodes_of_a_tree_stand_in_pre_order():
    label, word = ["S", "NP", "VP", "DT", "NN", "VB", "RB"], [None, None, None, "a", "b", "c", "d"]
    parents_first = Constituency(label, word, np.array([-1, 0, 0, 1, 1, 2, 2]))
    with pytest.raises(SentenceError, match="not in pre-order"):
        graphs.constituency(parents_first, VOCABULARIES)


@pytest.mark.parametrize(
    ("word", "parent", "said"),
    [
        ([None], [-1], "phrase 'A' has no words"),
        ([None, None, "x"], [-1, 0, 0], "phrase 'B' has no words"),
        (["x", "y"], [-1, 0], "word 'x' has nodes below it"),
    ],
)
def test_words_stand_at_leaves_and_nowhere_else(word, parent, said):
    tree = Constituency(list("ABC"[: len(word)]), word, np.array(parent))
    for use in (
        lambda: graphs.constituency(tree, Vocabularies.of([tree])),
        lambda: drop_traces(tree),
        lambda: forest([tree]),
    ):
        with pytest.raises(SentenceError, match=said):
            use()


def test_unsigned_numbers_that_int64_cannot_hold_are_refused():
    sentence = Tagged(["a", "b"], {})
    for values in ([2**63 + 5], np.array([2**64 - 1], dtype=np.uint64)):
        with pytest.raises(SentenceError, match="which int64 cannot hold"):
            graphs.over_words(sentence, Vocabularies.of([sentence]), [(0, 1)], {"hash": values})


@pytest.mark.parametrize("value", [None, "1", 1.5])
def test_a_gold_class_that_is_none_is_named(value):
    labels = [1, value, *[0] * (len(TREE) - 2)]
    with pytest.raises(SentenceError, match=f"gold class {value!r} of node 2 is no whole number"):
        graphs.constituency(TREE, VOCABULARIES, labels=labels)


def test_fields_of_edges_may_be_tensors_of_any_type():
    near = torch.tensor([0.5, 0.25], dtype=torch.bfloat16, requires_grad=True)
    made = graphs.over_words(
        SENTENCE, VOCABULARIES, [(0, 1), (1, 2)], {"near": near, "kind": torch.tensor([3, 4])}
    ).edges
    assert made["near"].tolist() == [0.5, 0.25]
    assert made["kind"].tolist() == [3, 4]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_tensor_keeps_its_type_as_an_array_does(dtype):
    given = torch.ones(2, dtype=getattr(torch, dtype)), np.ones(2, dtype=dtype)
    for each in given:
        made = graphs.over_words(SENTENCE, VOCABULARIES, [(0, 1), (1, 2)], {"near": each})
        assert made.edges["near"].dtype == dtype


def test_columns_may_be_lists_or_arrays():
    word, head, relation, tag = ["a", "b"], [1, -1], ["x", "root"], ["N", "V"]
    plain = Dependencies(word, head, relation, tag)
    arrays = Dependencies(np.array(word), np.array(head), np.array(relation), np.array(tag))
    assert to_conllu(plain) == to_conllu(arrays)
    without = Dependencies(word, head, relation, upos=None, xpos=None)  # as a table without these columns gives them
    assert to_conllu(without) == to_conllu(Dependencies(word, head, relation))
    assert graphs.dependencies_svg(plain) == graphs.dependencies_svg(arrays)
    tree = Constituency(["S", "A", "B"], [None, "a", "b"], [-1, 0, 0])
    assert to_brackets(tree) == "(S (A a) (B b))"
    assert graphs.constituency(tree, Vocabularies.of([tree])).dst.tolist() == [0, 0]
    assert graphs.tree_svg(tree)
