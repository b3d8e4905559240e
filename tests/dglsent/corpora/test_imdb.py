from __future__ import annotations

import tarfile
from collections import Counter
from importlib import resources
from itertools import product

import numpy as np
import pytest
import torch
from test_parses import write, write_tags
from vocabularies import vocabularies_of

from dglsent.building.build import build
from dglsent.building.recipe_corpus import OfRecipe
from dglsent.corpora import imdb
from dglsent.corpora.example import Example
from dglsent.corpora.imdb import IMDB, tokens
from dglsent.corpora.splits import is_dev
from dglsent.models.tree_lstm import BinaryTreeLSTM, ChildSumTreeLSTM
from dglsent.nn.embeddings import WordEmbedding
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs
from dglsent.training.data import graph_set
from graphs.errors import InputError

LABEL = {"label": np.dtype(np.int64)}
STORED = ("--corpus", "dglsent.corpora.stored.Stored", "--corpus.store")


@pytest.fixture
def folder(tmp_path):
    """The unpacked archive, with reviews that have no label."""
    root = tmp_path / "aclImdb"
    for split, count in (("train", 30), ("test", 2)):
        for part in ("neg", "pos", "unsup"):
            (root / split / part).mkdir(parents=True)
            for number in range(count):
                (root / split / part / f"{number}_{7 if part == 'pos' else 2}.txt").write_text(
                    f"{part} caf\xe9 {number}"
                )
    (root / "README").write_text("about")
    return tmp_path


def check(splits) -> None:
    assert [one.id for one in splits["test"]] == ["test-neg-0_2", "test-neg-1_2", "test-pos-0_7", "test-pos-1_7"]
    assert [one.targets["label"] for one in splits["test"]] == [0, 0, 1, 1]
    assert splits["test"][3].sentences[0].unparsed.words == ["pos", "café", "1"]
    assert len(splits["train"]) + len(splits["dev"]) == 60
    assert splits["dev"]
    assert all(is_dev(one.id) for one in splits["dev"])


def test_folder_and_archives_are_the_same(folder):
    check(IMDB().load(folder))
    (folder / "imdb").mkdir()
    for name, mode in (("aclImdb_v1.tar.gz", "w:gz"), ("aclImdb_labelled_50k.tar.xz", "w:xz")):
        archive = folder / "imdb" / name
        with tarfile.open(archive, mode) as packed:
            packed.add(folder / "aclImdb", "aclImdb")
        elsewhere = folder / name.replace(".", "-")
        elsewhere.mkdir()
        archive.rename(elsewhere / name)
        check(IMDB().load(elsewhere))


def test_reviews_are_cut(folder):
    splits = IMDB(max_length=2).load(folder)
    assert splits["test"][3].sentences[0].unparsed.words == ["pos", "café"]


def tagged_review(folder, text, without=(), **options):
    review = folder / "aclImdb" / "test" / "pos" / "9_9.txt"
    review.write_text(text)
    for name, sentences in IMDB().texts(folder).items():
        write(folder / "parsed", name, sentences, without=without if name == "imdb-test-pos" else ())
    for ending, noun, verb in (("conllu", "is\t_\tX\tNN", "is\t_\tX\tVBZ"), ("brackets", "(NN is)", "(VBZ is)")):
        file = folder / "parsed" / f"imdb-test-pos.{ending}"
        file.write_text(file.read_text().replace(noun, verb))
    return IMDB(tags=True, **options).load(folder)["test"][-1].sentences[0].unparsed


def test_tags_of_the_sentences_of_a_review(folder, no_parses, monkeypatch):
    monkeypatch.setattr("dglsent.corpora.parses._MOST_FAILED", 0.3)
    read = tagged_review(folder, "It is good. So? The", without=(4,))
    assert read.words == ["It", "is", "good", ".", "So", "?", "The"]
    # The fourth sentence of the file, "So ?", has no parse.
    assert read.columns["pos"] == ["NN", "VBZ", "NN", "NN", "_", "_", "NN"]
    assert IMDB().texts(folder)["imdb-test-pos"][-3:] == [["It", "is", "good", "."], ["So", "?"], ["The"]]


def test_universal_tags_stand_in_for_those_of_the_language(folder, no_parses):
    for name, sentences in IMDB().texts(folder).items():
        write(folder / "parsed", name, sentences)
        file = folder / "parsed" / f"{name}.conllu"
        file.write_text(file.read_text().replace("\tX\tNN\t", "\tX\t_\t"))
    assert IMDB(tags=True).load(folder)["test"][0].sentences[0].unparsed.columns["pos"] == ["X"] * 3


def test_no_more_is_parsed_or_read_with_tags_than_400_tokens(folder, no_parses):
    read = tagged_review(folder, "a " * 500, max_length=450)
    assert len(read.words) == len(read.columns["pos"]) == 400
    assert [len(one) for one in IMDB().texts(folder)["imdb-test-pos"][-4:]] == [100] * 4
    assert len(IMDB().load(folder)["test"][-1].sentences[0].unparsed.words) == 500


def test_the_last_sentence_that_is_parsed_ends_at_400_tokens(folder, no_parses):
    read = tagged_review(folder, "Oh. " + "a " * 500)
    assert [len(one) for one in IMDB().texts(folder)["imdb-test-pos"][-5:]] == [2, 100, 100, 100, 98]
    assert read.columns["pos"] == ["NN"] * 400


def test_a_parse_of_other_tokens_gives_its_sentence_no_tags(folder, no_parses):
    (folder / "aclImdb" / "test" / "pos" / "9_9.txt").write_text("A well-made film. Is it?")
    for name, sentences in IMDB().texts(folder).items():
        write(folder / "parsed", name, [" ".join(words).replace("-", " - ").split() for words in sentences])
    read = IMDB(tags=True).load(folder)["test"][-1].sentences[0].unparsed
    assert read.words == ["A", "well-made", "film", ".", "Is", "it", "?"]
    assert read.columns["pos"] == ["_"] * 4 + ["NN"] * 3


def test_tags_that_are_wanted_need_parses(folder, no_parses):
    with pytest.raises(InputError, match=r"imdb-test-neg: the model reads tags; .*`dglsent parse imdb .*; its --tags"):
        IMDB(tags=True).load(folder)


def test_tags_without_parses(folder, no_parses):
    for name, sentences in IMDB().texts(folder).items():
        write_tags(folder / "parsed", name, sentences)
    read = IMDB(tags=True).load(folder)["test"][-1].sentences[0].unparsed
    assert (read.words, read.columns["pos"]) == (["pos", "café", "1"], ["NN"] * 3)
    with pytest.raises(InputError, match=r"the model reads dependency trees; make parses with `dglsent parse imdb "):
        vocabularies_of(IMDB(sentences=True).load(folder)["test"], "dependency")


def test_tags_of_trees_alone(folder, no_parses):
    expected = tagged_review(folder, REVIEW)
    for file in (folder / "parsed").glob("*.conllu*"):
        file.unlink()
    read = IMDB(tags=True).load(folder)["test"][-1].sentences[0].unparsed
    assert (read.words, read.columns["pos"]) == (expected.words, expected.columns["pos"])


@pytest.mark.parametrize(("split", "part"), [*product(["train", "test"], ["neg", "pos"])])
def test_a_part_without_reviews_is_missing(folder, split, part):
    """As where unpacking was broken off; the other part would be all that there is to learn or to score."""
    for file in (folder / "aclImdb" / split / part).iterdir():
        file.unlink()
    with pytest.raises(InputError, match=rf": IMDB has no reviews of {split}/{part}; unpack its archive again$"):
        IMDB().load(folder)


def test_tags_of_a_part_of_empty_reviews(folder, no_parses):
    for file in (folder / "aclImdb" / "test" / "neg").iterdir():
        file.write_text("")
    tagged_review(folder, REVIEW)
    read = IMDB(tags=True).load(folder)["test"][0].sentences[0].unparsed
    assert (read.words, read.columns.get("pos", [])) == ([], [])


REVIEW = "It is good. So? The film is long."


def review(folder, **options):
    (folder / "aclImdb" / "test" / "pos" / "9_9.txt").write_text(REVIEW)
    for name, sentences in IMDB().texts(folder).items():
        write(folder / "parsed", name, sentences)
    return IMDB(sentences=True, **options).load(folder)["test"][-1]


@pytest.mark.parametrize(("kind", "nodes"), [("dependency", 11), ("constituency", 19), ("constituency-nary", 14)])
def test_a_document_is_the_forest_of_its_sentences(folder, no_parses, kind, nodes):
    document = review(folder)
    vocabularies = vocabularies_of([document], kind)
    alone = [Example((part,), document.targets) for part in document.sentences[0].parts]
    whole, parts = (graph_set(some, kind, vocabularies, 1, LABEL) for some in ([document], alone))
    batch, apart = whole.batch([0, 0], ("up",)), parts.batch(range(3), ("up",))
    assert batch.num_nodes == 2 * nodes
    assert len(batch.roots) == 6
    for name in ("word", "tag"):
        assert torch.equal(batch.nodes[name][:nodes], apart.nodes[name])
    words = batch.nodes["position"][:nodes]
    assert words[words >= 0].sort().values.tolist() == list(range(11))
    torch.manual_seed(1)
    encoder = BinaryTreeLSTM if kind == "constituency" else ChildSumTreeLSTM
    model = encoder(WordEmbedding(len(vocabularies.word), 5), hidden=4).eval()
    vectors, of_sentences = (model.readout(one, model.encode(one)) for one in (batch, apart))
    torch.testing.assert_close(vectors[1], of_sentences.mean(0))
    torch.testing.assert_close(vectors[0], vectors[1])


def test_documents_are_cut_at_sentences(folder, no_parses):
    assert [len(part.dependencies) for part in review(folder).sentences[0].parts] == [4, 2, 5]
    assert [len(part.dependencies) for part in review(folder, max_length=6).sentences[0].parts] == [4, 2]
    assert [len(part.dependencies) for part in review(folder, max_length=5).sentences[0].parts] == [4]
    assert [len(part.dependencies) for part in review(folder, max_length=2).sentences[0].parts] == [4]


def test_a_review_without_a_parsed_sentence_is_no_document(folder, no_parses, monkeypatch):
    monkeypatch.setattr("dglsent.corpora.parses._MOST_FAILED", 0.5)
    review(folder)
    write(folder / "parsed", "imdb-test-pos", IMDB().texts(folder)["imdb-test-pos"], without=frozenset({1, 4}))
    splits = IMDB(sentences=True).load(folder)
    assert [one.id for one in splits["test"][2:]] == ["test-pos-1_7", "test-pos-9_9"]
    assert [len(part.dependencies) for part in splits["test"][-1].sentences[0].parts] == [4, 5]


def test_a_store_of_documents(folder, no_parses, tmp_path):
    review(folder)
    text = (resources.files("dglsent") / "recipes" / "imdb" / "tree-lstm.yaml").read_text()
    config = recipes.resolve(text, ["--embedding.vectors", "null"])
    build(OfRecipe(recipes.dump(config), folder), tmp_path / "store", size=20)
    stored = recipes.resolve(text, [*STORED, str(tmp_path / "store"), "--embedding.vectors", "null"])
    there, here = (load_inputs(recipes.instantiate(one), folder).sets["test"] for one in (config, stored))
    one, other = (found.batch(range(len(found)), ("up",)) for found in (there, here))
    assert len(one.roots) > one.size
    assert torch.equal(one.roots, other.roots)
    assert all(torch.equal(one.nodes[name], other.nodes[name]) for name in one.nodes)


def test_broken_archive_is_named(tmp_path):
    (tmp_path / "aclImdb_v1.tar.gz").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"aclImdb_v1\.tar\.gz: cannot be read .*; download it again"):
        IMDB().load(tmp_path)


def test_missing_files_are_said_with_the_layout(tmp_path):
    with pytest.raises(InputError, match=r"IMDB is missing; expected .*imdb/aclImdb_v1\.tar\.gz or .*txt \(docs"):
        IMDB().load(tmp_path)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("It wasn't bad.<br /><br />Don't go!", "It was n't bad . Do n't go !"),
        ("Well-made, it's 10/10...I'd see it", "Well-made , it 's 10 / 10 ... I 'd see it"),
        ("At 3:45, 1,000.50 'quotes' -- \"end\"", "At 3:45 , 1,000.50 ' quotes ' -- \" end \""),
        ("Café don’t", "Café don ’ t"),
    ],
)
def test_tokens(text, wanted):
    assert tokens(text) == wanted.split(" ")


def test_real_counts(data_dir, monkeypatch):
    """Of all reviews; one in ten is cut in tokens, which takes the time."""
    reviews = sorted(imdb._reviews(data_dir))
    assert Counter(place[:2] for place, _ in reviews) == dict.fromkeys(
        product(("train", "test"), ("neg", "pos")), 12500
    )
    monkeypatch.setattr(imdb, "_reviews", lambda data: iter(reviews[::10]))
    splits = IMDB().load(data_dir)
    assert len(splits["train"]) + len(splits["dev"]) == 2500
    assert len(splits["test"]) == 2500
    assert sum(one.targets["label"] for one in splits["test"]) == 1250
    lengths = [len(one.sentences[0].unparsed) for one in splits["test"]]
    assert 230 < sum(lengths) / len(lengths) < 300
    assert min(lengths) > 0


def test_a_review_is_of_one_word_at_least():
    with pytest.raises(InputError, match=r"^corpus\.max_length: 0 is below 1"):
        recipes.resolve("base: imdb/nbow", ["--corpus.max_length", "0"])
