from __future__ import annotations

import numpy as np
import pytest
import torch
from tiny import Pairs
from vocabularies import vocabularies_of

from dglsent.corpora.built_in import Reviews
from dglsent.corpora.example import Example, Parsed
from dglsent.training.data import graph_set, loader
from dglsent.training.graphs import KINDS, build, shape
from graphs import fields
from graphs.columns import Dependencies, Tagged
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets

LABEL = {"label": torch.tensor(0).numpy().dtype}


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return Reviews(train=40, dev=1, test=1).load()["train"]


def test_loading_draws_nothing_from_the_generator_of_dropout(examples):
    vocabularies = vocabularies_of(examples, "constituency")
    data = graph_set(examples, "constituency", vocabularies, 1, {"label": torch.tensor(0).numpy().dtype})
    before = torch.get_rng_state()
    sizes = [batch.size for batch in loader(data, 12, ("up",), seed=3)]
    assert sizes == [12, 12, 12, 4]
    drawn = [number for batch in loader(data, 12, ("up",), seed=0).batch_sampler for number in batch]
    assert drawn != sorted(drawn) == list(range(40))  # 0 is a seed, too
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize("kind", KINDS)
def test_gold_labels_of_each_kind_of_graph(kind, examples):
    vocabularies = vocabularies_of(examples, kind)
    batch = graph_set(examples, kind, vocabularies, 1, LABEL).batch(range(len(examples)), ())
    assert batch.targets["label"].tolist() == [example.targets["label"] for example in examples]
    label = batch.nodes[fields.LABEL]
    # The label of a root is that of its sentence, and stands with the targets.
    assert (label[batch.roots] == -1).all()
    if kind in ("constituency", "constituency-nary"):
        gold = [label for example in examples for label in example.sentences[0].labels or ()]
        inner = torch.ones(len(label), dtype=torch.bool)
        inner[batch.roots] = False
        assert label[inner].tolist() == torch.tensor(gold)[inner].tolist()
    else:
        assert (label == -1).all()


def test_sentences_of_a_pair_stand_side_by_side():
    examples = Pairs().load(None)["dev"]
    vocabularies = vocabularies_of(examples, "dependency")
    data = graph_set(examples, "dependency", vocabularies, 2, {"score": torch.tensor(0.0).double().numpy().dtype})
    batch = data.batch([3, 1], ())
    lengths = [len(sentence.dependencies) for i in (3, 1) for sentence in examples[i].sentences]
    assert batch.pairs
    assert batch.node_counts.tolist() == lengths
    assert data.lengths[[3, 1]].tolist() == [sum(lengths[:2]), sum(lengths[2:])]
    assert batch.targets["score"].tolist() == [examples[i].targets["score"] for i in (3, 1)]
    assert fields.LABEL not in batch.nodes


def test_groups(examples):
    vocabularies = vocabularies_of(examples, "chain")
    data = graph_set(examples, "chain", vocabularies, 1, LABEL)
    groups = data.by_group()
    assert list(groups) == sorted(groups)
    for name, index in groups.items():
        assert index == [i for i, example in enumerate(examples) if name in example.groups]
    data.groups[:] = [frozenset("zyxwvu"), *[frozenset("abcdef")] * (len(data) - 1)]
    assert list(data.by_group()) == list("abcdefuvwxyz")
    assert data.by_group()["z"] == [0]


def test_vocabulary_options(examples):
    upper = [Example((Parsed(constituency=parse_brackets("(S (DT The) (DT the) (NN Film))")[0]),))]
    assert "The" in vocabularies_of(upper, "constituency-nary").word
    lower = vocabularies_of(upper, "constituency-nary", lower=True, min_count=2).word
    assert list(lower)[2:] == ["the"]


def test_unfit_examples_are_named(examples):
    vocabularies = vocabularies_of(examples, "chain")
    with pytest.raises(InputError, match=r"train-1 has 1 sentences, the task wants 2"):
        graph_set(examples, "chain", vocabularies, 2, LABEL)
    pair = Example(examples[0].sentences * 2, examples[0].targets, "pair")
    with pytest.raises(InputError, match=r"pair has 2 sentences, the task wants 1"):
        graph_set([*examples, pair], "chain", vocabularies, 1, LABEL)
    said = r"train-1 has no gold 'score', and has 'label'; choose a --task that fits the corpus, .* --corpus.score"
    with pytest.raises(SentenceError, match=said):
        graph_set(examples, "chain", vocabularies, 1, {"score": LABEL["label"]})


@pytest.mark.parametrize(
    ("targets", "said"),
    [
        ({}, "an example has no gold 'label'; choose a --task"),
        ({"score": 2.0}, "an example has no gold 'label', and has 'score'; .*leave out --corpus.score"),
        ({"label": None}, "an example has None as its gold 'label', where a whole number is wanted"),
    ],
)
def test_a_sentence_without_gold_is_named_where_its_example_has_no_name(targets, said):
    sentence = parse_brackets("(S (DT a) (NN film))")[0]
    sentence.origin = Origin("mine.txt", 3, "s3")
    example = Example((Parsed(constituency=sentence),), targets)
    with pytest.raises(SentenceError, match=rf"^mine\.txt:3, sentence s3: {said}"):
        graph_set([example], "chain", vocabularies_of([example], "chain"), 1, LABEL)


def test_shapes():
    wide = Parsed(constituency=parse_brackets("(ROOT (S (NP (DT a) (JJ b) (NN c)) (VP (V (VB d)))))")[0])
    binary, nary = shape("constituency", wide), shape("constituency-nary", wide)
    assert (len(binary), len(nary)) == (7, 8)
    vocabularies = vocabularies_of([Example((wide,))], "constituency")
    assert build("constituency", binary, vocabularies).level.tolist() == [0, 1, 2, 2, 3, 3, 1]
    with pytest.raises(SentenceError, match="CoNLL-U"):
        shape("dependency", wide)
    with pytest.raises(SentenceError, match="brackets"):
        shape("constituency", Parsed())


def test_of_two_parses_a_graph_of_words_takes_the_dependencies():
    tree = parse_brackets("(S (DT a) (NN b))")[0]
    dependencies = Dependencies(["a", "b"], np.array([1, -1]), ["det", "root"])
    both = Parsed(constituency=tree, dependencies=dependencies, unparsed=Tagged(["a", "b"]))
    for kind in ("chain", "window", "complete"):
        assert shape(kind, both) is dependencies
        assert shape(kind, Parsed(constituency=tree, unparsed=both.unparsed)) is tree


def test_workers_make_the_same_batches_and_their_plans(examples):
    vocabularies = vocabularies_of(examples, "constituency")
    data = graph_set(examples, "constituency", vocabularies, 1, LABEL)
    here = list(loader(data, 12, ("up",), seed=3))
    there = list(loader(data, 12, ("up",), seed=3, workers=1))
    assert len(here) == len(there) == 4
    for one, other in zip(here, there, strict=True):
        assert torch.equal(one.targets["label"], other.targets["label"])
        assert all(torch.equal(one.nodes[name], other.nodes[name]) for name in one.nodes)
        assert "up" in other.relation()._schedules
        assert torch.equal(one.relation().schedule("up").order, other.relation().schedule("up").order)
