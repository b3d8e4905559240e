"""What is of another kind than a function wants is refused in a line that says what was given and what is wanted."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch

import graphs
from dglsent.passing import Batch
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.complete_graphs import LexicalRelation
from graphs.cooccurrence import Cooccurrence
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import to_brackets
from graphs.formats.conllu import to_conllu
from graphs.heads import constituency_to_heads
from graphs.transforms import binarise, collapse_unary, debinarise, expand_unary, strip_functional_tags

(TREE,) = graphs.parse_brackets("(S (NN film) (VBD worked))")
(SENTENCE,) = graphs.parse_conllu("1\tfilm\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
VOCABULARIES = graphs.Vocabularies.of([TREE, SENTENCE])


def test_builders():
    with pytest.raises(InputError, match=r"Constituency is wanted, and Dependencies was given; .*graphs\.dependency"):
        graphs.constituency(SENTENCE, VOCABULARIES)
    with pytest.raises(InputError, match=r"Dependencies is wanted, and Constituency was given; .*graphs\.constituency"):
        graphs.dependency(TREE, VOCABULARIES)


@pytest.mark.parametrize("build", [graphs.chain, graphs.complete, lambda *given: graphs.window(*given, 2)])
@pytest.mark.parametrize("given", ["the film", ["the", "film"], None])
def test_builders_of_any_sentence(build, given):
    said = (
        rf"Constituency or Dependencies or Tagged is wanted, and {type(given).__name__} was given; graphs\.parse makes"
    )
    with pytest.raises(InputError, match=said):
        build(given, VOCABULARIES)


@pytest.mark.parametrize(
    "build",
    [
        graphs.chain,
        graphs.complete,
        graphs.constituency,
        graphs.dependency,
        lambda *given: graphs.over_words(*given, []),
        lambda *given: graphs.window(*given, 2),
    ],
)
@pytest.mark.parametrize("kind", [list, tuple])
def test_builders_of_a_list(build, kind):
    one = TREE if build is graphs.constituency else SENTENCE
    said = rf"is wanted, and {kind.__name__} was given; .*; of several give one at a time, as in \[made_of\(each\) for "
    with pytest.raises(InputError, match=said):
        build(kind([one, one]), VOCABULARIES)
    for given in ([SENTENCE, SENTENCE], (TREE,), graphs.parse_brackets("(A a)")):
        with pytest.raises(InputError, match=f"is wanted, and {type(given).__name__} was given; "):
            build(given, VOCABULARIES)


@pytest.mark.parametrize(
    ("build", "said"),
    [
        (lambda: graphs.dependency(SENTENCE, VOCABULARIES, roots="foo"), "roots is 'foo'; use 'attach' or 'keep'"),
        (lambda: collapse_unary(TREE, "foo"), "label is 'foo'; use 'top' or 'joined'"),
        (lambda: binarise(TREE, "foo"), "branching is 'foo'; use 'left' or 'right' or 'head'"),
        (lambda: binarise(TREE, label="foo"), "label is 'foo'; use 'parent' or 'at'"),
        (lambda: graphs.parse_brackets("", on_error="foo"), "on_error is 'foo'; use 'raise' or 'skip'"),
        (lambda: graphs.window(SENTENCE, VOCABULARIES, "2"), "half_width is '2'; give the number"),
        (lambda: graphs.window(SENTENCE, VOCABULARIES, 1.5), "half_width is 1.5; give the number"),
    ],
)
def test_values_that_an_option_has_not(build, said):
    with pytest.raises(InputError, match=said):
        build()


@pytest.mark.parametrize("given", [None, ["film"], "film"])
@pytest.mark.parametrize(
    "build",
    [
        lambda given: graphs.constituency(TREE, given),
        lambda given: graphs.dependency(SENTENCE, given),
        lambda given: graphs.chain(TREE, given),
        lambda given: graphs.complete(TREE, given),
        lambda given: graphs.window(TREE, given, 2),
        lambda given: graphs.over_words(TREE, given, []),
    ],
)
def test_what_are_no_vocabularies(build, given):
    said = rf"Vocabularies is wanted, and {type(given).__name__} was given; graphs\.Vocabularies\.of makes them"
    with pytest.raises(InputError, match=said):
        build(given)


@pytest.mark.parametrize("given", ["abc", TREE, SENTENCE, None, 3])
def test_vocabularies_of_one_sentence(given):
    with pytest.raises(InputError, match="a list of sentences is wanted, and a value of type"):
        graphs.Vocabularies.of(given)


@pytest.mark.parametrize("given", [["the film"], [["the", "film"]], [None]])
def test_vocabularies_of_what_is_not_parsed(given):
    with pytest.raises(InputError, match=r"Constituency or Dependencies or Tagged is wanted.*graphs\.parse makes such"):
        graphs.Vocabularies.of(given)


@pytest.mark.parametrize("read", [graphs.parse_brackets, graphs.parse_conllu])
@pytest.mark.parametrize("given", [b"(S (NN film))", ["(S (NN film))"], None])
def test_readers_of_text(read, given):
    with pytest.raises(InputError, match=rf"str is wanted, and {type(given).__name__} was given; give text, or a file"):
        read(given)


def test_batches():
    made = graphs.constituency(TREE, VOCABULARIES)
    with pytest.raises(InputError, match="list of sentence graphs is wanted, and a value of type DGL"):
        Batch.of(made.dgl())
    with pytest.raises(InputError, match=r"such as graphs\.dependency makes, are wanted, and a Constituency was given"):
        Batch.of([made, TREE])
    with pytest.raises(InputError, match=r"a tuple was given; those of pairs stand one after the other: a0, b0, a1"):
        Batch.of([(made, made)], pairs=True)


def test_a_file_that_hides_the_package(tmp_path):
    (tmp_path / "graphs.py").write_text("")
    (tmp_path / "script.py").write_text("import dglsent\n")
    ended = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert "graphs.py hides the package graphs" in ended.stderr
    assert ended.returncode == 1


def test_batches_of_dgl_graphs():
    made = graphs.constituency(TREE, VOCABULARIES)
    for given in (None, [made, None], [made, SENTENCE]):
        with pytest.raises(InputError, match="sentence graphs"):
            graphs.batch(given)
    for given in ([made, made], [(made, made, made)], [(made,)]):
        with pytest.raises(
            InputError, match=r"pairs of sentence graphs are wanted, and a (SentenceGraph|tuple) was given"
        ):
            graphs.batch_pairs(given)
    with pytest.raises(InputError, match="pairs of sentence graphs are wanted, and a NoneType"):
        graphs.batch_pairs([None])
    with pytest.raises(InputError, match=r"sentence graphs.* are wanted, and a Dependencies was given"):
        graphs.batch_pairs([(made, SENTENCE)])


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"head": [-1, 0.5]}, "head 0.5 of node 2 is no whole number"),
        ({"head": [-1, "0"]}, "is no whole number"),
        ({"head": [-1]}, "2 words, 1 heads, 2 relations"),
        ({"relation": ["root"]}, "2 words, 2 heads, 1 relations, 2 upos, 2 xpos, 2 lemmas and 2 feats"),
        ({"xpos": ["NN", "NN", "NN"]}, "2 upos, 3 xpos"),
        ({"lemma": ["a"]}, "2 xpos, 1 lemmas and 2 feats"),
        ({"feats": ["_"] * 3}, "2 lemmas and 3 feats"),
    ],
)
def test_columns_that_are_made_by_hand(columns, said):
    whole = {"word": ["a", "b"], "head": [-1, 0], "relation": ["root", "dep"]}
    graphs.dependency(graphs.columns.Dependencies(**whole), VOCABULARIES)
    with pytest.raises(graphs.errors.SentenceError, match=said):
        graphs.dependency(graphs.columns.Dependencies(**(whole | columns)), VOCABULARIES)


@pytest.mark.parametrize(
    "build",
    [
        graphs.chain,
        graphs.complete,
        lambda *given: graphs.window(*given, 2),
        lambda *given: graphs.over_words(*given, []),
        lambda sentence, _: graphs.Vocabularies.of([sentence]),
    ],
)
@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        (Dependencies(["a", "b"], [-1, 0], ["x", "y"], upos=["N"]), "2 words, 2 heads, 2 relations, 1 upos"),
        (Constituency(["S", "A", "B"], [None, "a"], [-1, 0, 0]), "3 labels, 2 words and 3 parents; give one of each"),
        (Tagged(["a", "b"], {"pos": ["N"]}), "2 words and 1 pos; give one of each a word"),
        (Tagged(["a", "b"], {"pos": iter("NV")}), "the pos of the sentence are of type str_.*iterator; give a list"),
        (Tagged("film"), "the words of the sentence are of type str; give a list, one a word"),
        (Tagged(["a", "b"], {"pos": "NN"}), "the pos of the sentence are of type str; give a list"),
        (Constituency(iter("S"), ["a"], [-1]), "the labels of the tree are of type str_.*iterator; give a list"),
    ],
)
def test_columns_of_several_lengths(build, sentence, said):
    sentence.origin = Origin("f", 3)
    with pytest.raises(SentenceError, match=rf"f:3: .*{said}"):
        build(sentence, VOCABULARIES)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda origin: Dependencies(["a", "b"], [[0], [1, 2]], ["x", "y"], origin=origin), "head"),
        (lambda origin: Constituency(["S", "A"], [None, "a"], [[-1], [0, 0]], origin), "parent"),
    ],
)
def test_heads_in_rows_of_several_lengths(make, said):
    with pytest.raises(SentenceError, match=f"f:3: {said}: rows of several lengths; give one number a node"):
        make(Origin("f", 3))


@pytest.mark.parametrize("edges", [torch.tensor([[0.0, 0.5]]), [{0, 0.5}], ["00"], np.zeros((1, 2, 1), int), [0], [()]])
def test_edges_that_are_no_pairs(edges):
    assert graphs.over_words(TREE, VOCABULARIES, torch.tensor([[0, 1]])).dst.tolist() == [1]
    with pytest.raises(SentenceError, match="is no pair; give the numbers of its sender and receiver"):
        graphs.over_words(TREE, VOCABULARIES, edges)


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda: graphs.over_words(TREE, VOCABULARIES, None), "Iterable is wanted, and NoneType"),
        (lambda: graphs.over_words(TREE, VOCABULARIES, [], ids=[1]), "Mapping is wanted, and list"),
        (lambda: graphs.complete(TREE, VOCABULARIES, lexical="x"), "LexicalRelation is wanted, and str"),
        (
            lambda: graphs.complete(TREE, VOCABULARIES, lexical=LexicalRelation(max, ["x"])),
            "Vocabulary is wanted, and list",
        ),
        (lambda: graphs.chain(Tagged(["a"], None), VOCABULARIES), "Mapping is wanted, and NoneType"),
        (lambda: graphs.Vocabularies.of([Tagged(["a"], ["NN"])]), 'list was given; .* have names, as {"pos": '),
        (lambda: graphs.read_vectors("v.txt", VOCABULARIES), r"and Vocabularies was given; .* give \.word"),
        (lambda: graphs.with_vectors(TREE, np.ones((2, 3))), "SentenceGraph is wanted, and Constituency"),
        (lambda: graphs.TokenVectors(None), "str or PathLike or Mapping is wanted, and NoneType"),
        (lambda: binarise(SENTENCE), "Constituency is wanted, and Dependencies"),
        (lambda: collapse_unary("(S a)"), "Constituency is wanted, and str"),
        (lambda: strip_functional_tags([TREE]), "Constituency is wanted, and list"),
        (lambda: expand_unary([TREE]), "Constituency is wanted, and list"),
        (lambda: debinarise([TREE]), "Constituency is wanted, and list"),
        (lambda: debinarise([]), "Constituency is wanted, and list was given"),
        (lambda: constituency_to_heads(SENTENCE), "Constituency is wanted, and Dependencies"),
        (lambda: to_brackets(SENTENCE), "Constituency is wanted, and Dependencies"),
        (lambda: to_conllu(TREE), "Dependencies is wanted, and Constituency"),
        (lambda: to_conllu(Dependencies([1], [-1], ["root"])), "the column 1 is no text and cannot be written"),
        (
            lambda: to_brackets(Constituency(["S", 2], [None, "a"], [-1, 0])),
            "2 cannot be written in brackets: it is no",
        ),
        (lambda: Cooccurrence.of(SENTENCE, VOCABULARIES.word), "a list of sentences is wanted"),
        (lambda: Cooccurrence.of(["the film"], VOCABULARIES.word), "Dependencies or Tagged is wanted, and str"),
        (lambda: Cooccurrence.of([SENTENCE], VOCABULARIES), "Vocabulary is wanted, and Vocabularies"),
    ],
)
def test_further_kinds(use, said):
    with pytest.raises(InputError, match=said):
        use()


@pytest.mark.parametrize("strange", [None, 7, float("nan")])
def test_strings_of_a_vocabulary(strange):
    for make in (graphs.Vocabulary, graphs.Vocabulary.of):
        with pytest.raises(InputError, match=f"vocabulary holds {strange!r}, which is no string"):
            make(["a", strange], lower=True)
    for take in (graphs.Vocabulary, graphs.Vocabulary.of, VOCABULARIES.word.ids, VOCABULARIES.relation.ids):
        with pytest.raises(InputError, match="a text is given where strings are wanted"):
            take("the film")
    with pytest.raises(InputError, match="a vocabulary is made of strings alone, one after the other"):
        graphs.Vocabulary.of([["the", "words"], ["of", "sentences"]])
    for make in (graphs.Vocabulary, graphs.Vocabulary.of):
        with pytest.raises(InputError, match="a value of type NoneType is given where strings are wanted; give a list"):
            make(None)


@pytest.mark.parametrize("column", ["upos", "xpos", "lemma", "feats"])
def test_a_column_that_is_an_iterator(column):
    """It was a bare "object of type 'list_iterator' has no len()"."""
    given = Dependencies(["a"], [-1], ["root"], **{column: iter(["X"])})
    with pytest.raises(SentenceError, match=r"are of type list_iterator; give a list, one a word"):
        graphs.dependency(given, VOCABULARIES)


def test_a_count_that_is_no_number():
    for make, given in ((graphs.Vocabulary.of, ["a"]), (graphs.Vocabularies.of, [TREE])):
        with pytest.raises(InputError, match="Real is wanted, and str was given; min_count is how often"):
            make(given, min_count="2")


@pytest.mark.parametrize("labels", [[[1, 2]] * 3, [[1], [1, 2], [1]], 1])
def test_numbers_of_nodes_have_one_dimension(labels):
    with pytest.raises(SentenceError, match=r"gold class: .*; give one number a node"):
        graphs.constituency(TREE, VOCABULARIES, labels=labels)
    with pytest.raises(SentenceError, match=r"head: shape \[2, 1\]; give one number a node"):
        graphs.dependency(Dependencies(["a", "b"], [[-1], [0]], ["x", "y"]), VOCABULARIES)


@pytest.mark.parametrize("build", [graphs.chain, graphs.dependency, graphs.complete])
@pytest.mark.parametrize("word", [None, 7, float("nan")])
def test_words_without_text(build, word):
    sentence = graphs.columns.Dependencies(["a", word], [-1, 0], ["root", "dep"])
    with pytest.raises(graphs.errors.SentenceError, match=rf"word 2 is {word!r}; give its text"):
        build(sentence, VOCABULARIES)


@pytest.mark.parametrize("strange", [0, 7, float("nan"), b"NN"])
@pytest.mark.parametrize(
    ("build", "sentence", "what"),
    [
        (graphs.constituency, lambda given: Constituency(["S", given], [None, "a"], [-1, 0]), "label"),
        (graphs.chain, lambda given: Constituency(["S", "A", given], [None, "a", "b"], [-1, 0, 0]), "tag"),
        (graphs.chain, lambda given: Tagged(["a", "b"], {"pos": ["N", given]}), "tag"),
        (graphs.dependency, lambda given: Dependencies(["a", "b"], [-1, 0], ["x", "y"], ["N", given]), "tag"),
        (graphs.dependency, lambda given: Dependencies(["a", "b"], [-1, 0], ["x", given]), "relation"),
        (graphs.complete, lambda given: Dependencies(["a", "b"], [-1, 0], ["x", given]), "relation"),
    ],
)
def test_labels_without_text(build, sentence, what, strange):
    """They were unknown ones, without a word of it."""
    with pytest.raises(SentenceError, match=rf"^{what} 2 is {strange!r}; give its text$"):
        build(sentence(strange), VOCABULARIES)
    build(sentence(None), VOCABULARIES)  # no label


def test_heads_that_are_no_numbers_are_not_passed_over():
    for head in (["x", "y"], [None, None]):
        sentence = graphs.columns.Dependencies(["a", "b"], head, ["_", "_"])
        assert not sentence.headless
        with pytest.raises(graphs.errors.SentenceError, match="is no whole number"):
            graphs.dependency(sentence, VOCABULARIES)


@pytest.mark.parametrize("parent", [[-1, 0.5, 0], [-1, "0", 0], [-1, None, 0]])
def test_parents_that_are_no_whole_numbers(parent):
    tree = graphs.columns.Constituency(["S", "A", "B"], [None, "a", "b"], np.array(parent))
    with pytest.raises(graphs.errors.SentenceError, match=r"parent .* of node \d is no whole number"):
        graphs.constituency(tree, VOCABULARIES)


def test_classes_that_are_no_whole_numbers():
    assert graphs.constituency(TREE, VOCABULARIES, labels=[1.0, -1, 2]).nodes["label"].tolist() == [1, -1, 2]
    with pytest.raises(graphs.errors.SentenceError, match=r"gold class 0\.7 of node 2 is no whole number"):
        graphs.constituency(TREE, VOCABULARIES, labels=[1, 0.7, 2])
    with pytest.raises(graphs.errors.SentenceError, match="is no whole number"):
        graphs.constituency(TREE, VOCABULARIES, labels=[1, float("nan"), 2])


@pytest.mark.parametrize("read", [graphs.read_conllu, graphs.read_brackets])
@pytest.mark.parametrize("given", [["a.conllu"], None, 7])
def test_a_source_that_is_no_file(read, given):
    with pytest.raises(InputError, match=f"a path or an open file is wanted, and {type(given).__name__} was given"):
        read(given)


@pytest.mark.parametrize("read", [graphs.read_conllu, graphs.read_brackets])
def test_a_text_or_a_closed_file_in_place_of_a_file(read, tmp_path):
    with pytest.raises(InputError, match="a text is given where a path is wanted; parse_brackets and parse_conllu"):
        read("1\tfilm\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "a.txt").write_text("(S a)\n")
    with (tmp_path / "a.txt").open() as file:
        pass
    with pytest.raises(InputError, match=r"a\.txt: the file is closed; give it open, or its path"):
        read(file)


@pytest.mark.parametrize("window", [0, -1, 1.5])
def test_a_window_of_no_words(window):
    with pytest.raises(InputError, match=f"window is {window}; give a whole number from 1"):
        Cooccurrence.of([SENTENCE], VOCABULARIES.word, window=window)
