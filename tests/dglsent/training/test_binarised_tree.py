"""Trees that are binarised as a recipe says."""

from __future__ import annotations

from typing import Literal

import pytest

from dglsent.corpora.example import Parsed
from dglsent.training import recipe as recipes
from dglsent.training.binarised_tree import BinarisedTree
from dglsent.training.graphs import build, shape
from graphs.columns import Constituency
from graphs.errors import InputError, SentenceError
from graphs.features import Vocabularies
from graphs.formats.brackets import parse_brackets, to_brackets

WIDE = "(ROOT (S (NP (DT the) (JJ old) (NN cat)) (VP (VBD slept) (ADVP (RB there)) (NP (-NONE- *)))))"


def read(text: str) -> Constituency:
    (tree,) = parse_brackets(text)
    return tree


@pytest.mark.parametrize(
    ("branching", "label", "wanted"),
    [
        ("right", "parent", "(S (NP (DT the) (NP (JJ old) (NN cat))) (VP (VBD slept) (RB there)))"),
        ("right", "at", "(S (NP (DT the) (@NP (JJ old) (NN cat))) (VP (VBD slept) (RB there)))"),
        ("left", "at", "(S (NP (@NP (DT the) (JJ old)) (NN cat)) (VP (VBD slept) (RB there)))"),
        ("head", "parent", "(S (NP (DT the) (NP (JJ old) (NN cat))) (VP (VBD slept) (RB there)))"),
    ],
)
def test_trees(branching: Literal["left", "right", "head"], label: Literal["parent", "at"], wanted: str) -> None:
    kind = BinarisedTree(branching, label)
    shaped = shape(kind, Parsed(constituency=read(WIDE)))
    assert isinstance(shaped, Constituency)
    assert to_brackets(shaped) == wanted
    vocabularies = Vocabularies.of([shaped])
    graph = build(kind, shaped, vocabularies)
    assert [vocabularies.tag.strings[tag] for tag in graph.nodes["tag"]] == list(shaped.label)
    assert str(kind) == f"BinarisedTree(branching={branching!r}, label={label!r})"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # The VP is gone by then, and S alone would take the last of its children.
        (
            "(S (VP (VBN predicted) (NP (JJ last) (NN month)) (PP (IN in) (NP (NN Paris)))))",
            "(S (@S (VBN predicted) (NP (JJ last) (NN month))) (PP (IN in) (NN Paris)))",
        ),
        # A VP of one word is a verb, which S does not look for.
        (
            "(S (S (NP (PRP it)) (VP (VBZ works))) (NP (PRP she)) (VP (VBD said)) (. .))",
            "(S (S (PRP it) (VBZ works)) (@S (PRP she) (@S (VBD said) (. .))))",
        ),
    ],
)
def test_a_head_child_is_that_of_the_tree_as_it_was(text: str, wanted: str) -> None:
    shaped = shape(BinarisedTree("head", "at"), Parsed(constituency=read(text)))
    assert isinstance(shaped, Constituency)
    assert to_brackets(shaped) == wanted


def test_right_branching_is_that_of_the_kind() -> None:
    (own, known) = (shape(kind, Parsed(constituency=read(WIDE))) for kind in (BinarisedTree(), "constituency"))
    assert isinstance(own, Constituency)
    assert isinstance(known, Constituency)
    assert to_brackets(own) == to_brackets(known)


def test_trees_with_gold_classes_stay_and_must_be_binary() -> None:
    kind, tree = BinarisedTree("left"), read("(3 (2 a) (3 (3 b) (2 c)))")
    parsed = Parsed(constituency=tree, labels=[3, 2, 3, 3, 2])
    assert shape(kind, parsed) is tree
    wide = read("(3 (2 a) (3 b) (2 c))")
    with pytest.raises(SentenceError, match="binarise"):
        build(kind, shape(kind, Parsed(constituency=wide, labels=[3, 2, 3, 2])), Vocabularies.of([wide]))


def test_a_recipe_names_it() -> None:
    options = ["--graph", "BinarisedTree", "--graph.branching", "head", "--graph.label", "at"]
    graph = recipes.instantiate(recipes.resolve("base: reviews/tree-lstm\n", options)).graph
    assert str(graph) == "BinarisedTree(branching='head', label='at')"
    with pytest.raises(InputError, match="graph"):
        recipes.resolve("base: reviews/tree-lstm\n", [*options, "--graph.branching", "middle"])


@pytest.mark.parametrize(("option", "given"), [("branching", "up"), ("label", "own")])
def test_options_that_are_none(option: str, given: str) -> None:
    with pytest.raises(InputError, match=f"^{option} is '{given}'; use '"):
        BinarisedTree(**{option: given})
