from __future__ import annotations

import pytest

from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.tasks.task import Task
from dglsent.training import recipe as recipes
from graphs.errors import InputError


@pytest.mark.parametrize("name", recipes.names())
def test_every_recipe_makes_a_model(name):
    file = recipes.find(name)
    config = recipes.resolve(file.read_text(encoding="utf-8"), source=name)
    recipe = recipes.instantiate(config)
    encoder = recipe.encoder(WordEmbedding(5, recipe.embedding.dim))
    assert isinstance(encoder, Encoder)
    assert isinstance(recipe.task(encoder.size), Task)
    assert recipe.seed == 1
    assert recipes.description(name)


@pytest.mark.parametrize("name", recipes.names())
def test_resolved_recipe_says_everything_and_reads_back(name):
    config = recipes.resolve(recipes.find(name).read_text(encoding="utf-8"))
    text = recipes.dump(config)
    for key in ("seed", "weight_decay", "patience", "momentum", "min_count", "init_args"):
        assert f"{key}:" in text
    assert recipes.difference(recipes.resolve(text), config) is None
    assert recipes.dump(recipes.resolve(text)) == text


def test_overrides():
    text = recipes.find("sick/tree-lstm").read_text(encoding="utf-8")
    config = recipes.resolve(text, ["--encoder.hidden", "7", "--optimiser.lr=0.5", "--training.patience", "3"])
    recipe = recipes.instantiate(config)
    assert recipe.encoder(WordEmbedding(5, 3)).size == 7
    assert recipe.optimiser.lr == 0.5
    assert recipe.optimiser.weight_decay == 1e-4
    assert recipe.training.patience == 3
    assert recipes.difference(recipes.resolve(text), config) == "encoder.init_args.hidden is 150 there and 7 here"


def test_another_encoder():
    text = recipes.find("sick/tree-lstm").read_text(encoding="utf-8")
    config = recipes.resolve(text, ["--encoder", "dglsent.models.bag_of_words.BagOfWords"])
    assert type(recipes.instantiate(config).encoder(WordEmbedding(5, 3))).__name__ == "BagOfWords"


@pytest.mark.parametrize("name", ["adagrad", "adam", "adamw", "sgd", "adadelta"])
def test_every_optimiser_tunes_word_vectors(name, tmp_path, program):
    from tiny import TINY, recipe

    text = TINY.replace("epochs: 2", "epochs: 1")
    file = recipe(tmp_path, text)
    more = ("--optimiser.name", name, "--optimiser.weight_decay", "1e-4", "--optimiser.lr", "0.01")
    assert program("fit", file, "--out", tmp_path / "run", *more)[0] == 0


def test_errors_name_the_key():
    with pytest.raises(InputError, match=r"somewhere: unknown key 'corps'"):
        recipes.resolve("corps: {}", source="somewhere")
    with pytest.raises(InputError, match=r"unknown key 'embedding\.dimension'"):
        recipes.resolve(recipes.find("reviews/tree-lstm").read_text() + "\nembedding: {dimension: 3}\n")
    with pytest.raises(InputError, match=r"--embedding\.dimension"):
        recipes.resolve(recipes.find("reviews/tree-lstm").read_text(), ["--embedding.dimension", "3"])
