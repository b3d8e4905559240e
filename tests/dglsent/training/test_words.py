from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest
import torch
from tiny_tags import TAGS

from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from dglsent.training.assemble import load_corpus, load_inputs, make_vocabularies, strings_of, words_of
from dglsent.training.words import read_files
from graphs.errors import InputError
from graphs.features import UNKNOWN, Vocabulary

NEWS = "rome 1 2\nseven 9 9\n7 3 4\nbob 5 6\n"
FILMS = "2 3\nann -1 -2 -3\nbob -4 -5 -6\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "news.txt").write_text(NEWS)
    (tmp_path / "films.txt").write_text(FILMS)
    return tmp_path


def made(*options: str) -> recipes.Recipe:
    shown = [f"--embedding.{option}" for option in ("fold_digits=false", "min_count=5", *options)]
    return recipes.instantiate(recipes.resolve(TAGS, shown))


def test_a_word_is_known_by_its_vector_or_by_training_alone(files):
    # In training "Paris" and "12" occur 8 and 4 times; "7" and "left" stand in dev and test too, where none counts.
    without = load_inputs(made(), None)
    assert {"Rome", "Ann", "saw", "Paris"} <= set(without.vocabularies.word)
    assert not {"7", "12", "left"} & set(without.vocabularies.word)
    assert without.vectors is None
    inputs = load_inputs(made("vectors=news.txt", "dim=2"), files)
    assert set(inputs.vocabularies.word) - set(without.vocabularies.word) == {"7"}
    assert "seven" not in inputs.vocabularies.word
    seven, twelve = (inputs.vocabularies.word[word] for word in ("7", "12"))
    assert inputs.vectors[seven].tolist() == [3, 4]
    assert twelve == UNKNOWN
    assert inputs.sets["test"].graphs[1][0].nodes["word"].tolist().count(UNKNOWN) == 0
    assert inputs.sets["test"].graphs[0][0].nodes["word"].tolist().count(UNKNOWN) == 1  # left


def test_default_keeps_what_training_has_twice():
    inputs = load_inputs(recipes.instantiate(recipes.resolve(TAGS, ["--embedding.fold_digits=false"])), None)
    assert {"12", "left"} <= set(inputs.vocabularies.word)
    assert "7" not in inputs.vocabularies.word


def test_a_corpus_of_which_no_word_is_known():
    """It was trained without a word on it."""
    said: list[str] = []
    for count in (1, 999):
        load_inputs(made(f"min_count={count}"), None, say=said.append)
    (line,) = said
    assert line.startswith("embedding.min_count: no word stands 999 times in the training split")


def test_files_stand_side_by_side(files):
    torch.manual_seed(1)
    said: list[str] = []
    inputs = load_inputs(made("vectors=[news.txt, films.txt]", "dim=5"), files, say=said.append)
    assert said == ["news.txt: vectors of 3 of 10 words", "films.txt: vectors of 2 of 10 words"]
    word, vectors = inputs.vocabularies.word, inputs.vectors
    assert vectors.shape == (len(word), 5)
    assert vectors[word["Bob"]].tolist() == [5, 6, -4, -5, -6]
    # What one file lacks is random in its dimensions alone, as all is of a word that neither has.
    assert vectors[word["Rome"], :2].tolist() == [1, 2]
    assert vectors[word["Ann"], 2:].tolist() == [-1, -2, -3]
    drawn = torch.cat([vectors[word["Rome"], 2:], vectors[word["Ann"], :2], vectors[word["Paris"]], vectors[UNKNOWN]])
    assert 0.03 < drawn.max() <= 0.05  # as many below 0: the mean is not -0.05, as in the code of Gupta and Zhang
    assert -0.05 <= drawn.min() < -0.03
    assert len(drawn.unique()) == len(drawn)


def test_a_file_is_looked_for_in_the_working_folder_and_then_in_that_of_the_data(files, monkeypatch):
    (files / "here").mkdir()
    (files / "here" / "news.txt").write_text("rome 7 8\n")
    options, words = made("vectors=news.txt", "dim=2").embedding, Vocabulary(["rome"])
    assert read_files(options, words, files)[0].matrix[2].tolist() == [1, 2]
    monkeypatch.chdir(files / "here")
    assert read_files(options, words, files)[0].matrix[2].tolist() == [7, 8]
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    assert read_files(options, words, None)[0].matrix[2].tolist() == [7, 8]
    says = rf"^embedding\.vectors: no file {files}/here/films\.txt, and no data folder: give --data DIR"
    with pytest.raises(InputError, match=says):
        read_files(made("vectors=films.txt", "dim=3").embedding, words, None)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("vectors=news.txt", "dim=3"), r"^news\.txt: vectors of 2 dimensions, .* embedding\.dim 3; add .*dim 2$"),
        (
            ("vectors=[news.txt, films.txt]", "dim=2"),
            r"^news\.txt: vectors of 2 dimensions and films\.txt: vectors of 3 dimensions, 5 together, .*dim 5$",
        ),
        (("vectors=[news.txt, none.txt]", "dim=2"), r"no file .*none\.txt nor .*none\.txt; put the file there"),
        (("vectors=/nowhere/none.txt", "dim=2"), r"no file /nowhere/none\.txt; put the file there"),
    ],
)
def test_files_that_do_not_fit_are_named_with_their_sizes(files, options, says):
    with pytest.raises(InputError, match=says):
        load_inputs(made(*options), files)


def test_unknown_tokens_of_trec(data_dir, monkeypatch):
    monkeypatch.delenv("DGLSENT_PARSES", raising=False)
    recipe = recipes.instantiate(recipes.resolve(recipe_files.find("trec/lstm").read_text(encoding="utf-8")))
    splits = load_corpus(recipe, data_dir)
    strings = strings_of(splits, recipe.graph)
    (read,) = read_files(recipe.embedding, words_of(recipe, strings), data_dir)
    train, test = (
        Counter(word.lower() for one in splits[split] for word in one.sentences[0].unparsed.words)
        for split in ("train", "test")
    )
    shares = {}
    for name, vectors in (("training alone", ()), ("and GloVe", (read,))):
        words = make_vocabularies(recipe, strings, vectors).word
        shares[name] = sum(count for word, count in test.items() if word not in words) / test.total()
        for word in chain(train, test):
            vector = bool(vectors) and read.found[read.vocabulary[word]]
            assert (word in words) == (vector or train[word] >= 2)
    # Vectors know most of what training has once or never.
    assert [f"{share:.4f}" for share in shares.values()] == ["0.1320", "0.0059"]


def test_vectors_of_none_of_the_words_are_refused(files):
    (files / "other.txt").write_text("quark 1 2\n")
    with pytest.raises(InputError, match=r"embedding\.vectors: no word of the corpus has a vector in them"):
        load_inputs(made("vectors=other.txt", "dim=2"), files)
    load_inputs(made("vectors=[other.txt, news.txt]", "dim=4"), files)
