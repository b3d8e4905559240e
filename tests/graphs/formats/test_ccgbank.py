from __future__ import annotations

import io

import pytest

import graphs
from graphs.errors import SentenceError
from graphs.features import Vocabularies
from graphs.formats.ccgbank import read_auto, read_auto_trees

# Hand-written in the form of the treebank's own files, trailing space included.
TEXT = r"""ID=hand_0001.1 PARSER=GOLD NUMPARSE=1
(<T S[dcl] 0 2> (<T S[dcl] 1 2> (<T NP 0 1> (<L N NNS NNP Cats N>) ) (<T S[dcl]\NP 0 2> (<L (S[dcl]\NP)/NP VBP VBP chase (S[dcl]\NP_1)/NP_2>) (<T NP 1 2> (<L NP[nb]/N DT DT the NP[nb]_3/N_3>) (<L N NN NN -LRB- N>) ) ) ) (<L . . . > .>) )
ID=hand_0001.2 PARSER=GOLD NUMPARSE=1
(<L N NN NN Rain N>)
"""  # noqa: E501
FIRST = "(<T NP 1 2> (<L NP/N DT DT the NP/N>) (<L N NN NN cat N>) )"


def test_leaves():
    sentences = read_auto(io.StringIO(TEXT))
    assert [sentence.words for sentence in sentences] == [["Cats", "chase", "the", "-LRB-", ">"], ["Rain"]]
    assert sentences[0].columns == {
        "pos": ["NNS", "VBP", "DT", "NN", "."],
        "category": ["N", r"(S[dcl]\NP)/NP", "NP[nb]/N", "N", "."],
    }
    origins = [(sentence.origin.line, sentence.origin.sentence) for sentence in sentences]
    assert origins == [(1, "hand_0001.1"), (3, "hand_0001.2")]


def test_derivations():
    tree, word = read_auto_trees(io.StringIO(TEXT))
    verb = r"(S[dcl]\NP)/NP"
    assert tree.label == ["S[dcl]", "S[dcl]", "NP", "N", r"S[dcl]\NP", verb, "NP", "NP[nb]/N", "N", "."]
    assert tree.parent.tolist() == [-1, 0, 1, 2, 1, 4, 4, 6, 6, 0]
    assert tree.word == [None, None, None, "Cats", None, "chase", None, "the", "-LRB-", ">"]
    assert (word.label, word.word, word.parent.tolist()) == (["N"], ["Rain"], [-1])


def test_derivations_become_graphs():
    trees = read_auto_trees(io.StringIO(TEXT))
    graph = graphs.constituency(trees[0], Vocabularies.of(trees))
    assert graph.size == 10
    assert graph.nodes["span"].tolist()[0] == [0, 5]


@pytest.mark.parametrize("header", ["ID=7, log probability=-3.21e-02", "ID=7, Prob=-0.5", "ID=7,", "ID=7"])
def test_names_as_parsers_write_them(header):
    (sentence,) = read_auto(io.StringIO(f"{header}\n{FIRST}\n"))
    assert (sentence.words, sentence.origin.line, sentence.origin.sentence) == (["the", "cat"], 1, "7")


def test_derivations_without_names():
    sentences = read_auto(io.StringIO(f"{FIRST}\n\n{FIRST}\n"))
    assert [(sentence.origin.line, sentence.origin.sentence) for sentence in sentences] == [(1, "1"), (3, "2")]


def test_a_deep_derivation():
    text = "(<T NP 0 1> " * 3000 + "(<L N NN NN cat N>) " + ") " * 3000
    assert len(read_auto_trees(io.StringIO(text))[0]) == 3001


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("(<T NP 1 2> (<L N NN NN cat N>) )", "a node NP has not as many children as it says"),
        ("(<T NP 1 1> (<L N NN NN cat N>) (<L N NN NN cat N>) )", "a node NP has not as many children as it says"),
        ("(<T NP 1 0> )", "a node NP has no children"),
        ("(<T NP 1 1> (<L N NN NN cat N>)", "1 brackets are not closed"),
        (FIRST + " )", "a closing bracket without an opening one"),
        (f"{FIRST} {FIRST}", "more than one derivation on a line"),
        ("(<T NP 1 1> (<L N NN cat N>) )", r"a derivation cannot go on with '\(<L N NN cat N>\) \)'"),
        ("No derivation", "a derivation cannot go on with 'No derivation'"),
    ],
)
def test_broken_derivations_are_named(line, message):
    text = f"ID=x.1 PARSER=GOLD NUMPARSE=1\n{FIRST}\nID=x.2 PARSER=GOLD NUMPARSE=1\n{line}\n{FIRST}\n"
    with pytest.raises(SentenceError, match=message) as caught:
        read_auto(io.StringIO(text))
    assert (caught.value.origin.line, caught.value.origin.sentence) == (3, "x.2")
    sentences = read_auto(io.StringIO(text), on_error="skip")
    assert (len(sentences), len(sentences.skipped)) == (2, 1)


def test_names_without_a_derivation():
    text = f"ID=x.1 PARSER=GOLD NUMPARSE=0\nID=x.2 PARSER=GOLD NUMPARSE=1\n{FIRST}\nID=x.3 PARSER=GOLD NUMPARSE=0\n"
    with pytest.raises(SentenceError, match=r"sentence x\.1: no derivation follows"):
        read_auto(io.StringIO(text))
    sentences = read_auto(io.StringIO(text), on_error="skip")
    assert [sentence.origin.sentence for sentence in sentences] == ["x.2"]
    assert [error.origin.sentence for error in sentences.skipped] == ["x.1", "x.3"]
