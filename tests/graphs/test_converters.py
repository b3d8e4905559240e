from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest
from nltk import DependencyGrammar, Tree
from nltk.parse import DependencyGraph, NonprojectiveDependencyParser
from spacy_docs import Span, spacy_doc

from graphs import converters
from graphs.errors import InputError, SentenceError
from graphs.formats.brackets import parse_brackets, to_brackets
from graphs.formats.conllu import parse_conllu

CONLLU = (
    "1\tthe\tthe\tDET\tDT\tDefinite=Def\t2\tdet\t_\t_\n"
    "2\tfilm\tfilm\tNOUN\tNN\tNumber=Sing\t3\tnsubj\t_\t_\n"
    "3\tworked\twork\tVERB\tVBD\t_\t0\troot\t_\t_\n\n"
)
COLUMNS = ("word", "relation", "upos", "xpos", "lemma", "feats")


def test_trees_of_nltk():
    for line in ("(S (NP (DT the) (NN film)) (VP (VBD worked)))", "(NP the (NN film))", "(NN film)"):
        (ours,) = parse_brackets(line)
        theirs = converters.from_nltk(Tree.fromstring(line))
        assert to_brackets(theirs) == to_brackets(ours)
        assert theirs.parent.tolist() == ours.parent.tolist()
    assert converters.from_nltk(Tree(None, [Tree("NN", ["film"]), "well"])).label == ["", "NN", ""]
    deep = Tree("X", ["x"])
    for _ in range(5000):
        deep = Tree("X", [deep])
    assert len(converters.from_nltk(deep)) == 5001
    with pytest.raises(SentenceError, match="'NP' has no words"):
        converters.from_nltk(Tree("S", [Tree("NP", []), "a"]))


@pytest.mark.parametrize("leaf", ["", ("", "NN"), Tree("NN", [""])])
def test_an_empty_word_of_nltk_is_named(leaf):
    """It became a word of no letters, which no format can write."""
    with pytest.raises(SentenceError, match=r"^word 2 is an empty string; give it its text, or leave its leaf out$"):
        converters.from_nltk(Tree("S", [Tree("DT", ["the"]), leaf, "b"]))


def test_leaves_of_nltks_chunkers_are_words_with_tags():
    chunked = Tree("S", [Tree("NP", [("the", "DT"), ("film", "NN")]), ("worked", "VBD"), Tree("NP", [("well", "RB")])])
    (ours,) = parse_brackets("(S (NP (DT the) (NN film)) (VBD worked) (NP (RB well)))")
    assert to_brackets(converters.from_nltk(chunked)) == to_brackets(ours)
    for leaf in (None, 3, ("a", "b", "c"), ("a", None)):
        with pytest.raises(InputError, match="a leaf of the tree is"):
            converters.from_nltk(Tree("NP", [leaf]))


def test_dependency_graphs_of_nltk():
    (ours,) = parse_conllu(CONLLU)
    given, turned = (DependencyGraph(CONLLU, top_relation_label="root") for _ in range(2))
    turned.nodes = dict(reversed(given.nodes.items()))  # words may be added in any order
    for theirs in map(converters.from_nltk, (given, turned)):
        assert theirs.head.tolist() == ours.head.tolist()
        for column in ("word", "relation", "upos", "xpos", "lemma", "feats"):
            assert list(getattr(theirs, column)) == list(getattr(ours, column))


def test_arcs_that_nltk_notes_at_heads_alone():
    grammar = DependencyGrammar.fromstring("'worked' -> 'film' | 'well'\n'film' -> 'the'")
    (graph,) = NonprojectiveDependencyParser(grammar).parse(["the", "film", "worked", "well"])
    assert converters.from_nltk(graph).head.tolist() == [1, 2, -1, 2]

    graph = of_nodes("the", "film", "worked")
    assert converters.from_nltk(graph).headless
    graph.add_arc(0, 3)
    graph.add_arc(3, 2)
    with pytest.raises(SentenceError, match="word 1 has no head, and others have; give it one, 0 if it is the root"):
        converters.from_nltk(graph)
    graph.add_arc(2, 1)
    read = converters.from_nltk(graph)
    assert read.head.tolist() == [1, 2, -1]
    assert read.relation == ["dep", "dep", "dep"]
    graph.add_arc(3, 1)
    with pytest.raises(SentenceError, match="word 1 has 2 heads; give it one"):
        converters.from_nltk(graph)


def of_nodes(*words):
    graph = DependencyGraph()
    for address, word in enumerate(words, 1):
        graph.add_node({"address": address, "word": word, "rel": "dep"})
    return graph


def test_documents_of_stanza():
    from stanza.models.constituency.tree_reader import read_trees
    from stanza.utils.conll import CoNLL

    document = CoNLL.conll2doc(input_str=CONLLU * 2)
    (tree,) = read_trees("(ROOT (S (NP (DT the) (NN film)) (VP (VBD worked))))")
    document.sentences[1].constituency = tree
    (first, nothing), (second, parse) = converters.from_stanza(document)
    assert nothing is None
    assert to_brackets(parse) == "(ROOT (S (NP (DT the) (NN film)) (VP (VBD worked))))"
    (ours,) = parse_conllu(CONLLU)
    for theirs in (first, second, converters.from_stanza(document.sentences[0])[0][0]):
        assert all(list(getattr(theirs, column)) == list(getattr(ours, column)) for column in COLUMNS)


def test_a_document_of_stanza_without_a_parse_has_words_and_tags():
    from stanza.models.constituency.tree_reader import read_trees
    from stanza.utils.conll import CoNLL

    document = CoNLL.conll2doc(input_str=CONLLU * 2)
    for word in (word for sentence in document.sentences for word in sentence.words):
        word.head = word.deprel = None
    (document.sentences[1].constituency,) = read_trees("(S (NP (DT the) (NN film)) (VP (VBD worked)))")
    (tagged, nothing), (none, tree) = converters.from_stanza(document)
    assert (nothing, none, tree.words) == (None, None, ["the", "film", "worked"])
    assert (tagged.words, tagged.headless, tagged.origin.sentence) == (tree.words, True, "0")
    assert (list(tagged.upos), list(tagged.xpos)) == (["DET", "NOUN", "VERB"], ["DT", "NN", "VBD"])


def test_documents_of_spacy():
    first, second = converters.from_spacy(spacy_doc())
    assert (first.words, first.head.tolist(), list(first.relation)) == (["films", "work"], [1, -1], ["nsubj", "ROOT"])
    assert (second.words, second.head.tolist(), list(second.upos)) == (["they", "do"], [1, -1], ["X", "X"])
    unparsed = spacy_doc()
    unparsed.parsed = False
    (tagged,) = converters.from_spacy(unparsed)
    assert (tagged.words, tagged.columns) == (["films", "work", "they", "do"], {"pos": ["X"] * 4})


def test_sentences_of_spacy_without_a_parse():
    """A sentencizer's; they were one."""
    doc = spacy_doc()
    doc.parsed, doc.split = False, True
    first, second = converters.from_spacy(doc)
    assert (first.words, second.words) == (["films", "work"], ["they", "do"])
    assert (second.columns, second.origin.sentence) == ({"pos": ["X"] * 2}, "2")
    assert [one.words for one in converters.from_spacy(Span(doc, 1, 4))] == [["work"], ["they"]]
    for token in doc[:3]:
        token.is_space = True
    (sentence,) = converters.from_spacy(doc)
    assert (sentence.words, sentence.origin.sentence) == (["they", "do"], "1")


def test_a_sentence_of_spaces_is_none():
    doc = spacy_doc()
    for token in doc[:3]:
        token.is_space = True
    (sentence,) = converters.from_spacy(doc)
    assert (sentence.words, sentence.origin.sentence) == (["they", "do"], "1")


def test_a_span_of_spacy_is_no_more_than_its_words():
    doc = spacy_doc()
    first, second = converters.from_spacy(Span(doc, 1, 4))
    assert (first.words, first.head.tolist()) == (["work"], [-1])
    assert (second.words, second.head.tolist()) == (["they"], [-1])
    doc.parsed = False
    assert converters.from_spacy(Span(doc, 1, 4))[0].words == ["work", "they"]


def test_tags_and_features_of_spacy():
    doc = spacy_doc()
    for token in doc:
        token.tag_, token.morph = "NNS", "Number=Plur"
    first, _ = converters.from_spacy(doc)
    assert (list(first.upos), list(first.xpos), list(first.feats)) == (["X"] * 2, ["NNS"] * 2, ["Number=Plur"] * 2)
    doc.parsed = False
    (tagged,) = converters.from_spacy(doc)
    assert tagged.columns == {"pos": ["NNS"] * 4}


@pytest.mark.parametrize("convert", [converters.from_nltk, converters.from_spacy, converters.from_stanza])
def test_other_things_are_refused(convert):
    with pytest.raises(InputError, match=r"is wanted, and builtins\.int was given"):
        convert(3)


@pytest.mark.parametrize("columns", [("sentences",), ("words", "tokens"), ("doc", "root"), ("has_annotation",)])
def test_a_table_is_no_parse_whatever_its_columns_are_named(columns):
    table = pd.DataFrame({name: ["a film"] for name in columns})
    assert not any(known(table) for known in (converters.is_stanza, converters.is_spacy, converters.is_nltk))
    for convert in (converters.from_spacy, converters.from_stanza):
        with pytest.raises(InputError, match=r"is wanted, and pandas\..*DataFrame was given"):
            convert(table)


@pytest.mark.parametrize("sentences", [["a film"], [SimpleNamespace(words=["a"], tokens=["a"])], 3])
def test_a_document_of_other_sentences_is_none_of_stanza(sentences):
    """As TextBlob's, whose words are strings."""
    with pytest.raises(InputError, match=r"a Document or a Sentence of Stanza is wanted, and types\.SimpleNamespace"):
        converters.from_stanza(SimpleNamespace(sentences=sentences))


def test_a_head_that_is_no_word_is_named():
    rows = "a\tX\t9\tdet\nb\tX\t0\troot\nc\tX\t2\tobj\n"
    with pytest.raises(SentenceError, match="word 1 has head 9, and the words are 1 to 3"):
        converters.from_nltk(DependencyGraph(rows, top_relation_label="root"))
