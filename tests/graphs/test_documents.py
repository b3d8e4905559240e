"""The trees of a document side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphs.columns import Constituency, Dependencies, Tagged
from graphs.documents import forest
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets
from graphs.formats.conllu import parse_conllu


def test_dependency_trees_keep_their_roots_and_all_columns():
    text = (
        "1\tIt\tit\tPRON\tPRP\tNumber=Sing\t2\tnsubj\t_\t_\n2\trains\train\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"
        "1\tStay\tstay\tVERB\tVB\tMood=Imp\t0\troot\t_\t_\n2\tin\tin\tADV\tRB\t_\t1\tadvmod\t_\t_\n"
        "3\t!\t!\tPUNCT\t.\t_\t0\troot\t_\t_\n\n"
    )
    one, other = parse_conllu(text)
    found = forest([one, other])
    assert found.head.tolist() == [1, -1, -1, 2, 2]  # the second root of a sentence hangs under its first
    for name in ("word", "relation", "upos", "xpos", "lemma", "feats"):
        assert getattr(found, name) == [*getattr(one, name), *getattr(other, name)], name
    assert found.feats[:3] == ["Number=Sing", "_", "Mood=Imp"]
    assert found.origin == one.origin != other.origin
    assert forest([one, other], Origin("review")).origin == Origin("review")


def test_constituency_trees_keep_their_roots():
    one, other = read("(S (NP It) (VP rains))"), read("(S Stay)")
    found = forest([one, other, one])
    assert found.parent.tolist() == [
        *one.parent,
        *np.where(other.parent < 0, -1, other.parent + len(one.parent)),
        *np.where(one.parent < 0, -1, one.parent + len(one.parent) + len(other.parent)),
    ]
    assert found.label == one.label + other.label + one.label
    assert found.word == one.word + other.word + one.word


def test_a_document_without_sentences():
    with pytest.raises(SentenceError, match="has no sentences"):
        forest([])


def read(text: str) -> Constituency:
    (found,) = parse_brackets(text)
    return found


def test_trees_of_two_kinds_are_no_document():
    (tree,) = parse_brackets("(S (NP He) (VP sleeps))")
    (parse,) = parse_conllu("1\tHe\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(SentenceError, match="dependency trees and constituency trees"):
        forest([tree, parse])


def test_tokens_without_a_parse_have_no_tree():
    with pytest.raises(InputError, match="and Tagged was given; tokens without a parse have no tree"):
        forest([Tagged(["a", "b"])])
    with pytest.raises(SentenceError, match="the sentence has no heads, perhaps tags alone; parse it"):
        forest([Dependencies.unparsed(["a", "b"])])
    (one,) = parse_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    with pytest.raises(InputError, match="Sequence is wanted, and Dependencies was given; give a list of trees"):
        forest(one)


def test_a_column_of_another_length():
    (one,) = parse_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    for name in ("lemma", "feats"):
        with pytest.raises(SentenceError, match=r"line 1, sentence 1: the sentence has 1 words, .*; give one of each"):
            forest([one, replace(one, **{name: ["x", "y"]})])


def test_documents_of_documents_keep_all_roots():
    (one,) = parse_conllu("1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert forest([forest([one, one]), one]).head.tolist() == [1, -1, 3, -1, 5, -1]


def test_a_broken_tree_of_a_document_is_refused_and_hangs_on_no_other():
    (one,) = parse_conllu("1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    for head, said in (([3, -1], "head 4 of word 1 is out of range"), ([0.9, -1], "head 0.9 of node 1 is no whole")):
        with pytest.raises(SentenceError, match=said):
            forest([replace(one, head=np.array(head)), one])
    tree = Constituency(["S", "A", "B"], [None, "a", "b"], np.array([-1, 0, 4]))
    with pytest.raises(SentenceError, match="a node stands before its parent"):
        forest([tree, tree])
