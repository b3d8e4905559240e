from __future__ import annotations

from dataclasses import replace

import pytest
from nltk.tree import Tree
from spacy_docs import spacy_doc
from stanza.models.common.doc import Document
from stanza.utils.conll import CoNLL
from untrained import CLASSES, PARSED, TREES, untrained

from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.imdb import IMDB
from dglsent.inference.given import examples_of
from dglsent.inference.model import Model
from graphs.columns import Dependencies, Tagged
from graphs.converters import from_spacy, from_stanza
from graphs.errors import InputError
from graphs.formats.brackets import parse_brackets, to_brackets
from graphs.formats.conllu import read_conllu, to_conllu
from graphs.parsing import Parse

PAIR = {"class_path": "dglsent.tasks.relatedness.Relatedness"}
TREE = "(S (NP (DT The) (NN -LRB-)) (VP (VBD was) (JJ and\\/or)))"
CHAIN = untrained("chain", "sequence.SeqLSTM", hidden=6)
PHRASES = untrained("constituency", "tree_lstm.BinaryTreeLSTM", hidden=6)
DEPENDENCIES = untrained("dependency", "tree_lstm.ChildSumTreeLSTM", hidden=6)


def words(given, sentences):
    """The words of each sentence of each example."""
    return [
        tuple(one.text.split() if isinstance(one.text, str) else list(one.text) for one in example)
        for _, example in examples_of(given, sentences)
    ]


def test_a_tree_of_one_word_is_one_among_trees_alone():
    """As in files."""
    assert words(["(NN good)"], 1) == [(["(NN", "good)"],)]
    (_, (first,)), (_, (second,)) = examples_of(["(S (NN good) (NN film))", "(NN good)"], 1)
    assert (first.constituency.words, second.constituency.words) == (["good", "film"], ["good"])
    ((_, (first, second)),) = examples_of([("(S (NN good) (NN film))", "(NN good)")], 2)
    assert (first.constituency.words, second.constituency.words) == (["good", "film"], ["good"])
    (_, (alone,)), _ = examples_of(["(NN good)", "\n(S (NN good) (NN film))\n"], 1)
    assert alone.constituency.words == ["good"]
    assert len(list(examples_of(iter(["a b", "c"]), 1))) == 2


def test_words_of_a_tree_lose_their_escapes_as_in_files():
    given = [parse_brackets(TREE)[0], parse_brackets(TREE, unescape=True)[0], Tree.fromstring(TREE), TREE]
    said = PHRASES.predict(given)
    assert said[0]["text"] == "The ( was and/or"
    assert said[0] == said[1] == said[2] == said[3]
    kept = Parsed(constituency=parse_brackets(TREE)[0])
    assert PHRASES.predict(kept)[0]["text"] == r"The -LRB- was and\/or"


def test_text_is_cut_as_that_of_the_corpus_is():
    two = untrained("chain", "sequence.SeqLSTM", {**CLASSES, "init_args": {"classes": 2}}, hidden=6)
    model = Model(two.run, replace(two.recipe, corpus=IMDB(max_length=4)), two.vocabularies, two.model)
    given = ["a film<br />by J. Ford", ["a", "b", "c", "d", "e"]]
    assert [one["text"] for one in model.predict(given)] == ["a film by J", "a b c d e"]
    assert [one["text"] for one in CHAIN.predict(given[:1])] == ["a film < br / > by J . Ford"]


def test_a_document_of_stanza_is_its_sentences():
    other = replace(PARSED, word=["a", "play", "is", "bad"])
    document = CoNLL.conll2doc(input_str=to_conllu(PARSED) + to_conllu(other))
    ours = DEPENDENCIES.predict([PARSED, other])
    assert [one["text"] for one in ours] == ["the film was good", "a play is bad"]
    assert DEPENDENCIES.predict(document) == DEPENDENCIES.predict([document]) == ours
    assert DEPENDENCIES.predict(document.sentences[0]) == ours[:1]


def test_a_document_of_stanza_without_a_parse_is_words_and_tags():
    document = CoNLL.conll2doc(input_str=to_conllu(PARSED))
    for word in document.sentences[0].words:
        word.head = word.deprel = None
    tagged = from_stanza(document)
    for model in (CHAIN, untrained("complete", "cn3.CN3", hidden=8, layers=1, attributes={"tag_dim": 3})):
        ours = model.predict(Tagged(PARSED.words, {"pos": PARSED.xpos}))
        assert model.predict(document) == model.predict(tagged) == ours
    for model, said in ((DEPENDENCIES, "dependency"), (PHRASES, "constituency")):
        with pytest.raises(
            InputError,
            match=rf"^example 1: sentence 0: the model reads {said} trees; run Stanza with depparse and constituency",
        ):
            model.predict(document)


def test_a_document_of_spacy_is_its_sentences():
    first, second = from_spacy(spacy_doc())
    said = DEPENDENCIES.predict(spacy_doc())
    assert [one["text"] for one in said] == ["films work", "they do"]
    assert said == DEPENDENCIES.predict([first, second])


def test_a_document_of_spacy_without_a_parse_is_its_sentences():
    doc = spacy_doc()
    doc.parsed, doc.split = False, True
    assert CHAIN.predict(doc) == CHAIN.predict([["films", "work"], ["they", "do"]])
    for token in doc:
        token.is_space = True
    assert CHAIN.predict([doc, "good"], on_error="keep")[0] == {"error": "example 1: the document has no sentences"}


def test_text_that_is_a_tree_is_read_as_one():
    tree, other = map(to_brackets, TREES[:2])
    assert CHAIN.predict(f" {tree} {other}\n") == CHAIN.predict(TREES[:2])
    assert CHAIN.predict("(laughs)")[0]["text"] == "( laughs )"
    with pytest.raises(InputError, match=r"^example 2: 1 bracket is not closed"):
        CHAIN.predict([tree, "(S (NN film) (VP (JJ good))"])


def test_a_byte_order_mark_before_text_is_no_word_of_it():
    """As in files, of which `Path.read_text` leaves it there."""
    tree = to_brackets(TREES[0])
    for text in (tree, "a good film"):
        assert CHAIN.predict([f"\ufeff{text}"]) == CHAIN.predict([text])
    for given in (["\ufeff(S (NN good) (NN film))", "(NN good)"], ["(S (NN good) (NN film))", "\ufeff(NN good)"]):
        (_, (phrase,)), (_, (alone,)) = examples_of(given, 1)
        assert (phrase.constituency.words, alone.constituency.words) == (["good", "film"], ["good"])


@pytest.mark.parametrize("model", [CHAIN, DEPENDENCIES])
def test_text_that_is_conllu_is_read_as_such(model, tmp_path):
    one, other = (
        to_conllu(PARSED),
        to_conllu(replace(PARSED, word=["a", "play", "is", "bad"], comments=["sent_id = b"])),
    )
    (tmp_path / "a.conllu").write_text(other + one)
    ours = model.predict(read_conllu(tmp_path / "a.conllu"))
    assert [said["text"] for said in ours] == ["a play is bad", "the film was good"]
    for text in (other + one, (other + one).strip(), "\ufeff" + (other + one).replace("\n", "\r\n")):
        assert model.predict(text) == model.predict([text]) == ours
    assert model.predict("\ufeff" + one) == ours[1:]
    first, wrong, last = model.predict([other, one.replace("\t4\tnsubj", "\t9\tnsubj"), one], on_error="keep")
    assert [first, last] == ours
    assert wrong == {"error": "example 2: line 1, sentence 1: line 2: head 9 is out of range, the sentence has 4 words"}


def test_conllu_without_heads_is_words_and_tags():
    text = to_conllu(Dependencies.unparsed(["the", "film"]))
    assert CHAIN.predict(text) == CHAIN.predict([["the", "film"]])
    with pytest.raises(InputError, match=r"^example 1: line 1, sentence 1: the model reads dependency trees; give raw"):
        DEPENDENCIES.predict(text)


@pytest.mark.parametrize("text", ["1\tgood\tfilm", "a\tb\tc\td\te\tf\tg\th\ti\tj", "1 a b c d e f g h i"])
def test_other_columns_are_text(text):
    assert words([text], 1) == [(text.split(),)]


def test_a_pair_is_a_tuple_or_two_sentences_in_a_list():
    one, other = ["good", "film"], ["bad", "film"]
    assert words((one, other), 2) == words([(one, other)], 2) == words([[one, other]], 2) == [(one, other)]
    assert words(((one, other), (other, one)), 2) == [(one, other), (other, one)]
    assert words([("good", "bad"), ["a film", "bad"]], 2) == [(["good"], ["bad"]), (["a", "film"], ["bad"])]


@pytest.mark.parametrize("tokens", [["the", "film"], ["a", "good", "film"]])
def test_tokens_are_no_pair(tokens):
    with pytest.raises(InputError, match=r"example 1: the model reads pairs, and a value of type list was given; give"):
        examples_of([tokens, tokens, tokens], 2)


def test_a_tree_of_two_is_no_pair():
    with pytest.raises(InputError, match=r"example 1: the model reads pairs, and a value of type Tree was given; give"):
        examples_of([Tree("S", ["good", "film"])], 2)


def test_some_tokens_may_have_spaces():
    ((_, (said,)),) = examples_of([["Hà Nội", "đẹp"]], 1)
    assert said.text == ["Hà Nội", "đẹp"]


def test_examples_have_as_many_sentences_as_the_model_reads():
    sentence, other = Parsed(dependencies=PARSED), Parsed(constituency=TREES[0])
    pair, single = Example((sentence, other)), Example((sentence,))
    assert examples_of([pair], 2) == [(1, (sentence, other))]
    assert examples_of(single, 1) == [(1, (sentence,))]
    with pytest.raises(InputError, match="example 2: of 1 sentences, and the model reads 2"):
        examples_of([pair, single], 2)
    with pytest.raises(InputError, match="example 1: of 2 sentences, and the model reads 1"):
        examples_of(pair, 1)


def test_what_from_stanza_gives_is_a_sentence():
    (tree,) = parse_brackets("(S (DT the) (NN film) (VBD was) (JJ good))")
    ((_, (both,)), (_, (alone,))) = examples_of([(PARSED, tree), (PARSED, None)], 1)
    assert (both.constituency, both.dependencies) == (tree, PARSED)
    assert (alone.constituency, alone.dependencies) == (None, PARSED)
    with pytest.raises(InputError, match=r"^example 1: the model reads constituency trees; run Stanza with depparse"):
        PHRASES.predict([(PARSED, None)])
    tagged = Dependencies.unparsed(tree.words)
    ((_, (tree_alone,)),) = examples_of((tagged, tree), 1)
    assert (tree_alone.constituency, tree_alone.dependencies, tree_alone.unparsed) == (tree, None, tagged)


def test_what_parse_gives_is_a_sentence():
    (tree,) = parse_brackets("(S (DT the) (NN film) (VBD was) (JJ good))")
    for given in (Parse(PARSED, tree), [Parse(PARSED, tree)]):
        ((_, (both,)),) = examples_of(given, 1)
        assert (both.constituency, both.dependencies) == (tree, PARSED)


def test_what_from_stanza_gives_may_stand_alone_or_in_a_pair():
    one, other = parse_brackets(
        "(S (DT the) (NN film) (VBD was) (JJ good))\n(S (NN film) (NN film) (NN film) (NN film))"
    )
    ((_, (alone,)),) = examples_of((PARSED, one), 1)
    assert (alone.constituency, alone.dependencies) == (one, PARSED)
    ((_, sides),) = examples_of(((PARSED, one), (PARSED, other)), 2)
    assert [side.constituency for side in sides] == [one, other]
    assert [side.dependencies for side in sides] == [PARSED, PARSED]
    for given in ((PARSED, one), [(PARSED, one), (PARSED, other)]):
        with pytest.raises(InputError, match=r"example 1: the model reads pairs, and a value of type tuple was given"):
            examples_of(given, 2)


def test_an_empty_token_is_refused():
    with pytest.raises(InputError, match="example 2: a token is empty"):
        CHAIN.predict([["good"], ["a", " ", "film"]])


def test_no_tokens_are_no_words():
    with pytest.raises(InputError, match="example 2: the sentence has no words"):
        CHAIN.predict([["good"], []])


@pytest.mark.parametrize("given", ["a \ud83d film", ["a", "\ud83d"]])
def test_half_a_character_is_refused_as_in_files(given):
    for use in (CHAIN.predict, CHAIN.explain):
        with pytest.raises(InputError, match=r"example 1: .* has '\\ud83d', half a character.*delete it"):
            use([given])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "a value of type NoneType was given; wanted is text"),
        ((None, None), "a value of type tuple was given; wanted is text"),
        (float("nan"), "a value of type float was given; wanted is text"),
        (["a film", "b film"], "'a film' stands where a token should"),
        (Tree("S", []), "phrase 'S' has no words"),
        (Tree("S", [3]), "a leaf of the tree is 3"),
        (CoNLL.conll2doc(input_str="1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n"), "sentence 0: "),
        (Document([]), "the document has no sentences"),
        ("a \ud83d film", "the text has"),
        (["a", float("nan")], "word 2 is nan; give text"),
        (Tagged(["a", None]), "word 2 is None; give text"),
        (replace(PARSED, word=["a", "b", 3, "d"]), "word 3 is 3; give text"),
        (replace(parse_brackets(TREE)[0], word=[None, None, "a", "b", None, 3, "d"]), "line 1, sentence 1: word 3 is"),
    ],
)
def test_what_cannot_be_converted_may_be_kept_in_its_place(given, said):
    one, wrong, other = CHAIN.predict(["good film", given, "bad"], on_error="keep")
    assert [one, other] == CHAIN.predict(["good film", "bad"])
    assert wrong.keys() == {"error"}
    assert wrong["error"].startswith(f"example 2: {said}")
    assert wrong["error"].count("example") == 1
    for use in (CHAIN.predict, CHAIN.explain, CHAIN.states):
        with pytest.raises(InputError) as raised:
            use(["good film", given, "bad"])
        assert str(raised.value) == wrong["error"]


def test_a_pair_with_a_side_that_cannot_be_converted_may_be_kept_in_its_place():
    model = untrained("chain", "sequence.SeqLSTM", PAIR, hidden=6)
    document = CoNLL.conll2doc(input_str=to_conllu(PARSED) * 2)
    pairs = [("good", "bad"), ("good", None), [float("nan"), "bad"], ("good", document), ("good", "bad")]
    first, *wrong, last = model.predict(pairs, on_error="keep")
    assert first == last
    assert [one["error"].partition(";")[0] for one in wrong] == [
        "example 2: a value of type NoneType was given",
        "example 3: a value of type float was given",
        "example 4: a pair is of two sentences, and a document of several was given",
    ]
    with pytest.raises(InputError, match=r"^example 4: a pair is of two sentences"):
        model.predict(pairs[:1] * 3 + pairs[3:])


def test_what_cannot_be_converted_is_told_before_text_is_parsed():
    """Stanza, which is not there, need not be."""
    with pytest.raises(InputError, match=r"^example 2: a value of type NoneType"):
        PHRASES.predict(["good film", None])


def test_a_word_alone_is_a_tree_without_a_head():
    said = DEPENDENCIES.predict(
        [Dependencies.unparsed(words) for words in (["good"], ["good", "film"])], on_error="keep"
    )
    assert said[0]["text"] == "good"
    assert "the model reads dependency trees" in said[1]["error"]
