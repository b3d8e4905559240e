from __future__ import annotations

import gzip
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch
from untrained import PARSED, TREES, untrained

import dglsent
import graphs
from dglsent.corpora.example import Parsed
from dglsent.corpora.reviews import CLASSES
from dglsent.inference.model import Model
from dglsent.inference.predictor import needs
from dglsent.training.assemble import make_model
from dglsent.training.binarised_tree import BinarisedTree
from dglsent.training.graphs import OwnGraph
from graphs import builders, over_words
from graphs.columns import Tagged
from graphs.errors import InputError, Origin, SentenceError
from graphs.features import Vocabularies
from graphs.formats.brackets import to_brackets
from graphs.formats.conllu import parse_conllu, to_conllu


def test_a_run_in_three_lines(trees_run):
    model = dglsent.load(trees_run, device="cpu")
    said = model.predict(TREES[:2])
    assert [one["text"] for one in said] == [" ".join(tree.words) for tree in TREES[:2]]
    assert {one["label"] for one in said} <= set(CLASSES) == set(model.labels)
    assert model.predict(TREES[0]) == said[:1]
    assert "BinaryTreeLSTM" in repr(model)


@pytest.mark.parametrize(
    ("graph", "encoder", "options", "needs"),
    [
        ("dependency", "tree_lstm.ChildSumTreeLSTM", {"hidden": 6}, "parses"),
        ("complete", "cn3.CN3", {"hidden": 8, "layers": 1}, "words"),
        ("complete", "cn3.CN3", {"hidden": 8, "layers": 1, "edges": ["relation"]}, "parses"),
        ("complete", "cn3.CN3", {"hidden": 8, "layers": 1, "edges": ["relation"], "self_loop": False}, "parses"),
        ("complete", "cn3.CN3", {"hidden": 8, "layers": 1, "attributes": {"tag_dim": 3}}, "tags"),
        ("window", "cnn.KimCNN", {}, "words"),
    ],
)
def test_what_a_model_needs(graph, encoder, options, needs):
    assert untrained(graph, encoder, **options).needs == needs


def test_relations_that_a_model_reads_need_parses_even_where_no_word_has_a_tag():
    made = untrained("complete", "cn3.CN3", hidden=8, layers=1, edges=["relation"])
    known = Vocabularies.of([replace(PARSED, xpos=["_"] * 4)])
    assert needs(made.recipe, known, make_model(made.recipe, known)) == "parses"


def test_one_sentence_in_several_forms():
    model = untrained("dependency", "tree_lstm.ChildSumTreeLSTM", hidden=6)
    forms = [PARSED, Parsed(dependencies=PARSED), [PARSED], (Parsed(dependencies=PARSED),)]
    said = [model.predict(form)[0] for form in forms]
    assert all(one == said[0] for one in said)


def test_pairs(pairs_run):
    model = dglsent.load(pairs_run)
    said = model.predict([(PARSED, PARSED), [PARSED, PARSED]])
    assert said[0]["text"] == ["the film was good"] * 2
    assert model.predict((PARSED, PARSED)) == said[:1] == said[1:]
    with pytest.raises(InputError, match=r"example 1: the model reads pairs, and a value of type Dependencies"):
        model.predict([PARSED])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (3, "type int was given"),
        ([3], "example 1: a value of type int was given; wanted is text, tokens"),
        ([PARSED], "constituency trees; give raw English text, or parses such as the .brackets.gz that"),
        ([*TREES[0].words, 5], "type int"),
    ],
)
def test_what_cannot_be_used(trees_run, given, said):
    with pytest.raises(InputError, match=said):
        dglsent.load(trees_run).predict(given)


def test_sentences_of_several_forms_in_one_call():
    model = untrained("complete", "cn3.CN3", hidden=8, layers=1)
    tagged = Tagged(["a", "film"], {"pos": ["DT", "NN"]})
    given = [TREES[0], "the film was good", PARSED, tagged, TREES[1], ["good"]]
    alone = [model.predict([one])[0] for one in given]
    for together, one in zip(model.predict(given), alone, strict=True):
        assert (together["text"], together["label"]) == (one["text"], one["label"])
        assert together["probabilities"] == pytest.approx(one["probabilities"], abs=2e-6)
    explained = model.explain(given)
    assert [said.prediction["text"] for said in explained] == [one["text"] for one in alone]
    for said, one in zip(explained, given, strict=True):
        (single,) = model.explain([one])
        assert [node["text"] for node in said.nodes] == [node["text"] for node in single.nodes]
        assert [edge["attention_1"] for edge in said.edges] == pytest.approx(
            [edge["attention_1"] for edge in single.edges], abs=2e-6
        )


def test_pairs_of_several_forms_in_one_call():
    pair = {"class_path": "dglsent.tasks.relatedness.Relatedness"}
    model = untrained("complete", "cn3.CN3", pair, hidden=8, layers=1)
    said = model.predict([(TREES[0], TREES[1]), ("good", "bad"), (TREES[0], TREES[1])])
    assert said[0] == said[2] == model.predict((TREES[0], TREES[1]))[0]
    assert said[1]["text"] == ["good", "bad"]
    with pytest.raises(InputError, match=r"example 2: .*only one of the two sentences has relation; give both as text"):
        model.predict([("good", "bad"), ("good", TREES[0])])


@pytest.mark.parametrize("run", [None, 3, b"run", ["run"]])
def test_what_names_no_run(run):
    with pytest.raises(
        InputError, match=r"^str or PathLike is wanted, and .* was given; give the folder that `dglsent"
    ):
        dglsent.load(run)


def test_an_error_says_which_example(trees_run):
    model = dglsent.load(trees_run)
    (parse,) = parse_conllu(to_conllu(PARSED))
    with pytest.raises(InputError, match=r"^example 66: line 1, sentence 1: the model reads constituency trees"):
        model.predict([TREES[0]] * 65 + [parse])
    two = "".join(map(to_brackets, TREES[:2]))
    assert len(model.predict([two])) == 2
    with pytest.raises(InputError, match=r"^example 2: line 1, sentence 1: the model reads constituency trees"):
        model.predict([two, parse])  # the third sentence of what was given second
    with pytest.raises(InputError, match=r"^example 2: the sentence has no words"):
        untrained("chain", "sequence.SeqLSTM", hidden=6).explain(["good", ""])


def test_an_error_may_be_kept_in_its_place():
    model = untrained("chain", "sequence.SeqLSTM", hidden=6)
    good, bad, more = model.predict(["good", "", "bad film"], on_error="keep")
    assert bad == {"error": "example 2: the sentence has no words"}
    assert [good, more] == model.predict(["good", "bad film"])
    with pytest.raises(InputError, match="on_error is 'skip'; use 'raise' or 'keep'"):
        model.predict([], on_error="skip")


def test_each_error_is_of_its_own_example():
    """Where a sentence, a word without numbers, or all that a batch lacks is the reason."""
    model = untrained("chain", "sequence.SeqLSTM", hidden=6)
    (good,) = model.vocabularies.word.ids(["good"])
    with torch.no_grad():
        model.model.encoder.embedding.weight[good] = torch.nan
    given = [(readable_at(line, words),) for line, words in ((1, []), (2, ["film"]), (3, ["good"]), (4, ["the"]))]
    made = model.attempt(given)
    assert [str(one).partition(": ")[0] for one in made if isinstance(one, SentenceError)] == ["f:1", "f:3"]
    assert [one["text"] for one in made if not isinstance(one, SentenceError)] == ["film", "the"]
    of_relations = untrained("complete", "cn3.CN3", hidden=8, layers=1, edges=["relation"])
    both = of_relations.attempt([(readable_at(line, ["a", "film"]),) for line in (5, 6)])
    assert [str(one).partition(": ")[0] for one in both] == ["f:5", "f:6"]
    of_pairs = untrained("complete", "cn3.CN3", {"class_path": "Relatedness"}, hidden=8, layers=1)
    (lone,) = of_pairs.attempt([(readable_at(7, ["good"]), Parsed(dependencies=PARSED))])
    assert str(lone).startswith("f:7: only one of the two sentences has relation")


def readable_at(line, words):
    return Parsed(unparsed=Tagged(words, origin=Origin("f", line)))


def test_nothing_is_predicted_of_nothing(trees_run):
    assert dglsent.load(trees_run).predict([]) == []


def test_files_that_parse_writes_are_read(trees_run, pairs_run, tmp_path, program):
    for name, text in (("a.brackets.gz", to_brackets(TREES[0]) + "\n"), ("a.conllu.gz", to_conllu(PARSED) * 2)):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    code, out, err = program("predict", trees_run, tmp_path / "a.brackets.gz", tmp_path / "a.brackets.gz")
    assert (code, err, len(out.splitlines())) == (0, "", 2)
    code, out, err = program("predict", pairs_run, tmp_path / "a.conllu.gz")
    assert (code, err, len(out.splitlines())) == (0, "", 1)


def test_tagged_sentences():
    model = untrained("chain", "sequence.SeqLSTM", hidden=6)
    tagged = Tagged(["the", "film"], {"pos": ["DT", "NN"]})
    assert model.predict(tagged)[0]["text"] == "the film"


def test_words_that_hold_spaces_are_told_one_by_one():
    """Tags and spans count words, and the text does not tell how many `20 000 ans` are."""
    model = untrained("chain", "sequence.SeqLSTM", hidden=6)
    french, narrow, plain = ["20 000", "ans"], ["20\u202f000", "ans"], ["vingt", "ans"]
    said = model.predict([Tagged(words) for words in (french, narrow, plain)])
    assert [one["text"] for one in said] == ["20 000 ans", "20\u202f000 ans", "vingt ans"]
    assert [one.get("words") for one in said] == [french, narrow, None]
    assert model.explain(Tagged(french))[0].prediction == said[0]


def test_words_of_a_pair_that_hold_spaces_are_told_of_both(pairs_run):
    (said,) = dglsent.load(pairs_run).predict((replace(PARSED, word=["the", "film", "was", "so so"]), PARSED))
    assert said["text"] == ["the film was so so", "the film was good"]
    assert said["words"] == [["the", "film", "was", "so so"], PARSED.words]


@pytest.mark.parametrize(("graph", "encoder"), [("chain", "sequence.SeqLSTM"), ("window", "cnn.KimCNN")])
def test_states_are_features_for_another_model(graph, encoder):
    """One for each word, padding left out; a layer of one's own learns from them, and the vectors predict as before."""
    model = untrained(graph, encoder)
    one, two = model.states([TREES[0].words, PARSED])
    assert one.text == " ".join(TREES[0].words)
    assert two.nodes.shape == (4, model.model.encoder.size)
    assert two.span.tolist() == [[word, word + 1] for word in range(4)]
    layer = torch.nn.Linear(model.model.encoder.size, 1)
    (layer(one.nodes).sum() + layer(two.nodes).sum()).backward()
    assert not one.nodes.requires_grad
    (said,) = model.predict([PARSED])
    probabilities = model.model.task.output(two.vector).softmax(-1)
    assert probabilities.tolist() == pytest.approx(list(said["probabilities"].values()), abs=1e-4)


def test_states_of_phrases_and_of_pairs():
    tree = TREES[0]
    (states,) = untrained("constituency", "tree_lstm.BinaryTreeLSTM").states(tree)
    assert len(states.nodes) == len(tree)
    assert [0, len(tree.words)] in states.span.tolist()
    relatedness = {"class_path": "dglsent.tasks.relatedness.Relatedness"}
    pairs = untrained("dependency", "tree_lstm.ChildSumTreeLSTM", relatedness)
    other = replace(PARSED, word=["the", "good", "film", "was"])
    found = pairs.states([(PARSED, other), (other, PARSED)])
    texts = ["the film was good", "the good film was"]
    assert [one.text for one in found] == [*texts, *texts[::-1]]
    for one, same in ((0, 3), (1, 2)):
        torch.testing.assert_close(found[one].vector, found[same].vector)
        torch.testing.assert_close(found[one].nodes, found[same].nodes)
    assert (found[0].vector - found[1].vector).abs().max() > 1e-4


def test_a_table_bytes_and_an_array_without_dimensions_are_no_list_of_sentences():
    model = untrained("chain", "sequence.SeqLSTM")
    table = {"text": ["a good film"], "label": ["good"]}
    tables = [table, pd.DataFrame(table), pd.DataFrame({"sentences": table["text"]})]
    for given in (*tables, b"a film", np.array("a film")):
        with pytest.raises(InputError, match=f"{type(given).__name__} was given; wanted is text"):
            model.predict(given)
    assert len(model.predict(pd.DataFrame(table)["text"])) == 1


@pytest.mark.parametrize("given", [["the film was good"], ("the film was good", "the film was bad")])
def test_a_sentence_in_the_place_of_a_token_is_refused(given, trees_run):
    """It was one word, which no model knows."""
    model = dglsent.load(trees_run)
    with pytest.raises(InputError, match="example 1: 'the film was good' stands where a token should"):
        model.predict([given])


def test_a_device_is_named_or_given(trees_run):
    for device in ("cpu", torch.device("cpu")):
        assert dglsent.load(trees_run, device=device).model.device.type == "cpu"
    with pytest.raises(InputError, match="device 'gpu': is none of auto, cpu, cuda and such as cuda:1"):
        dglsent.load(trees_run, device="gpu")


class OffByOne(OwnGraph):
    """Its last edge ends past the sentence where there are more than two words."""

    def build(self, sentence, vocabularies):
        made = builders.chain(sentence, vocabularies)
        return replace(made, dst=made.dst + (made.size > 2))


class Sides(OwnGraph):
    """Has a lexicon of the words that it is for."""

    def build(self, sentence, vocabularies):
        made = builders.chain(sentence, vocabularies)
        made.nodes["side"] = np.array([{"film": 0, "good": 1, "the": 0, "was": 0}[word] for word in sentence.words])
        return made


def of_graph(graph, vocabularies=None):
    made = untrained("chain", "tree_lstm.ChildSumTreeLSTM", hidden=6)
    known = vocabularies or made.vocabularies
    return Model(made.run, replace(made.recipe, graph=graph), known, made.model)


def test_a_graph_of_ones_own_that_leaves_its_sentence_is_an_error_of_that_sentence():
    """Its edges ran into the next one, whose prediction was another."""
    model = of_graph(OffByOne())
    long, short = (Parsed(unparsed=Tagged(words)) for words in (["the", "good", "film"], ["good", "film"]))
    (alone,) = model.attempt([(short,)])
    wrong, beside = model.attempt([(long,), (short,)])
    assert str(wrong) == "as OffByOne() makes its graph: dst has numbers from 2 to 3, and its nodes are 0 to 2"
    assert beside == alone


def test_a_sentence_of_which_nothing_is_predicted_is_an_error_of_that_sentence():
    """As where the state of a marked word is read, and none is marked."""
    model = untrained("chain", "tree_lstm.ChildSumTreeLSTM", hidden=6)
    film = model.vocabularies.word["film"]
    model.model.encoder.readout = lambda batch, states: states[batch.nodes["word"] == film]
    (alone,) = model.predict(["good film"])
    one, without, other = model.predict(["bad film", "good", "good film"], on_error="keep")
    assert without["error"].startswith("example 2: the model gives 0 predictions for 1 example; predict of its task")
    assert other == alone
    assert "label" in one


class Lower(OwnGraph):
    """Chains of what `prepare` makes, which alone has the column that they want."""

    def prepare(self, sentence):
        return Tagged([word.lower() for word in sentence.words], {"lower": ["yes"] * len(sentence.words)})

    def build(self, sentence, vocabularies):
        assert set(sentence.columns["lower"]) == {"yes"}
        return over_words(sentence, vocabularies, [(i, i + 1) for i in range(len(sentence) - 1)])


def test_a_graph_that_prepares_sentences_is_asked_with_prepared_ones():
    model = of_graph(Lower())
    assert model.needs == "words"
    assert model.predict([["The", "Film"]]) == model.predict([["the", "film"]])


def test_trees_that_are_binarised_otherwise_are_drawn_as_trees(trees_run):
    model = dglsent.load(trees_run)
    other = Model(model.run, replace(model.recipe, graph=BinarisedTree("left")), model.vocabularies, model.model)
    wide = graphs.parse_brackets("(S (DT a) (JJ good) (NN film))")
    (one,), (two,) = model.explain(wide), other.explain(wide)
    assert one.pictures().keys() == two.pictures().keys()
    assert "tree" in two.pictures()
    assert repr(two).endswith("; BinarisedTree(branching='left', label='parent'), 5 nodes>")


def test_a_graph_of_ones_own_takes_the_words_it_is_for():
    known = Vocabularies.of([PARSED])
    assert of_graph(Sides(), known).needs == "words"
    assert of_graph(Sides(), known).predict(PARSED)[0]["text"] == "the film was good"
    assert of_graph(Sides()).needs == "parses"  # nothing can be said of a class that raises
