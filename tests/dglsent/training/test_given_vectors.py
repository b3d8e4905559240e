"""Models that read vectors of tokens from a file are those with the same vectors in a fixed table of words."""

from __future__ import annotations

import json
import os
import pickle
import shutil

import pytest
import torch
import yaml
from families import each_encoder_once, with_given_vectors
from safetensors.numpy import save_file
from safetensors.torch import load_file as load_tensors
from safetensors.torch import save_file as save_tensors
from tiny import TINY, recipe

import dglsent
from dglsent.corpora.built_in import Reviews
from dglsent.inference.predictor import needs
from dglsent.nn.embeddings import GivenVectors
from dglsent.passing import engine
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.optimisers import optimiser
from graphs.errors import InputError
from graphs.fields import VECTOR
from graphs.formats.brackets import to_brackets
from graphs.token_vectors import TokenVectors, key

FAMILIES = each_encoder_once()


def loss_of(model, data, index):
    """The loss of some examples, dropout on."""
    return model.train().loss(data.batch(index, model.encoder.directions, model.encoder.relations))


def losses(options, model, data, on):
    """Of some steps, dropout on."""
    torch.manual_seed(1)
    steps = optimiser(model, model.encoder.embedding.weight, options.optimiser)
    found = []
    with engine(on):
        for first in range(0, 24, 4):
            loss = loss_of(model, data, range(first, first + 4))
            steps.zero_grad()
            loss.backward()
            steps.step()
            found.append(loss.item())
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_every_encoder_reads_them(family, tmp_path):
    found = []
    for _, model, data in with_given_vectors(FAMILIES[family], tmp_path / "v.safetensors"):
        torch.manual_seed(1)
        with torch.no_grad():
            found.append(loss_of(model, data, [0, 1]).item())
    assert found[0] == found[1]
    others = data.batch([0, 1], model.encoder.directions, model.encoder.relations)
    others.nodes[VECTOR] = others.nodes[VECTOR].flip(1)
    torch.manual_seed(1)
    assert model.loss(others).item() != found[1]


@pytest.mark.parametrize("on", ["torch", "dgl"])
def test_training_is_the_same_to_the_last_digit(on, tmp_path):
    one, other = with_given_vectors(yaml.safe_load(TINY), tmp_path / "v.safetensors")
    found = losses(*one, on)
    assert found == losses(*other, on)
    assert found[-1] != found[0]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Vectors of the tiny corpus that say the class of the sentence, in bfloat16."""
    path = tmp_path_factory.mktemp("vectors") / "states.safetensors"
    torch.manual_seed(0)
    arrays = {
        key(tree.words): (4 * torch.eye(8)[example.targets["label"]] + 0.1 * torch.randn(len(tree.words), 8)).bfloat16()
        for examples in Reviews(train=60, dev=20, test=30).load().values()
        for example in examples
        for tree in [example.sentences[0].constituency]
    }
    save_tensors(arrays, path)
    return path


def test_from_recipe_to_prediction(file, program, tmp_path, monkeypatch):
    monkeypatch.chdir(file.parent)  # beside which a recipe names it
    options = ("--embedding.vectors", file.name, "--embedding.tune", "false", "--training.epochs", 6)
    code, _, err = program(
        "fit", recipe(tmp_path), "--out", tmp_path / "run", *options, "--optimiser.lr", 0.2, "--embedding.dropout", 0
    )
    assert code == 0, err
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text())
    assert metrics["test"]["accuracy"] > 0.8  # words alone say far less after these steps
    assert program("test", tmp_path / "run")[0] == 0
    assert program("record", tmp_path / "run", "--out", tmp_path / "recording")[0] == 0

    tree = Reviews(train=60, dev=20, test=30).load()["test"][0].sentences[0].constituency
    (tmp_path / "one.brackets").write_text(to_brackets(tree) + "\n")
    code, out, err = program("predict", tmp_path / "run", tmp_path / "one.brackets", "--vectors", file)
    assert code == 0, err
    model = dglsent.load(tmp_path / "run", vectors={key(tree.words): TokenVectors(file)[key(tree.words)]})
    assert model.predict(tree)[0]["label"] == json.loads(out)["label"]

    predict = ("predict", tmp_path / "run", tmp_path / "one.brackets")
    program.refuses(*predict, saying=["vectors of tokens", "--vectors FILE"])
    save_file({"a": torch.zeros(1, 3).numpy()}, tmp_path / "other.safetensors")
    program.refuses(*predict, "--vectors", tmp_path / "other.safetensors", saying=["3 dimensions", "reads 8"])
    save_file({"a": torch.zeros(1, 8).numpy()}, tmp_path / "lacking.safetensors")
    code, out, err = program(*predict, "--vectors", tmp_path / "lacking.safetensors")
    assert code == 2
    assert "lacking.safetensors: no vectors of the tokens" in json.loads(out)["error"]


@pytest.mark.parametrize(
    ("options", "saying"),
    [
        ({"tune": True}, ["not tuned", "--embedding.tune false"]),
        ({"dim": 5}, ["8 dimensions", "--embedding.dim 8"]),
        ({"vectors": ["a.safetensors", "b.txt"]}, ["name one file"]),
        ({"vectors": "/none.safetensors"}, ["/none.safetensors", "--embedding.vectors FILE"]),
    ],
)
def test_a_recipe_that_does_not_fit_is_refused(file, options, saying):
    keys = yaml.safe_load(TINY)
    keys["embedding"] = {"dim": 8, "tune": False, "vectors": str(file), **options}
    with pytest.raises(InputError) as refused:
        load_inputs(recipes.instantiate(recipes.resolve(yaml.safe_dump(keys))), None)
    for part in saying:
        assert part in str(refused.value)


def test_an_encoder_that_asks_for_words_is_told_what_to_ask_for(trees_run):
    embedding = GivenVectors(5, 3)
    with pytest.raises(InputError, match=r"embedding\.of\(nodes\.data\)"):
        embedding(torch.tensor([1]))
    with pytest.raises(InputError, match=r"graphs\.with_vectors"):
        embedding.of({"word": torch.tensor([1])})
    assert "given" in repr(embedding)
    with pytest.raises(InputError, match="leave it out"):
        dglsent.load(trees_run, vectors={"a": [[0.0] * 8]})


def test_a_model_of_words_needs_no_parses(file):
    made = recipes.instantiate(
        recipes.resolve(
            TINY.replace("dglsent.models.tree_lstm.BinaryTreeLSTM", "SeqLSTM"),
            ["--graph", "chain", "--embedding.vectors", str(file), "--embedding.tune", "false"],
        )
    )
    inputs = load_inputs(made, None)
    assert needs(made, inputs.vocabularies, make_model(made, inputs.vocabularies, inputs.vectors)) == "words"


def test_processes_open_the_file_themselves(file, tmp_path):
    there = shutil.copy(file, tmp_path)
    vectors = TokenVectors(there)
    sent = pickle.dumps(vectors)
    again = pickle.loads(sent)
    name = next(iter(vectors._keys))
    assert (again[name] == vectors[name]).all()
    os.unlink(there)
    with pytest.raises(InputError, match="no file of vectors there"):
        pickle.loads(sent)


def test_numbers_of_the_test_split_are_looked_at_before_training(file, program, tmp_path):
    arrays = load_tensors(file)
    last = Reviews(train=60, dev=20, test=30).load()["test"][-1].sentences[0].constituency
    arrays[key(last.words)][0] = torch.nan
    save_tensors(arrays, tmp_path / "broken.safetensors")
    options = ("--embedding.vectors", tmp_path / "broken.safetensors", "--embedding.tune", "false")
    saying = ["dglsent: sentence test-30: ", "broken.safetensors: '", "has numbers that are not finite; make"]
    program.refuses("fit", recipe(tmp_path), "--out", tmp_path / "run", *options, saying=saying)
    assert not (tmp_path / "run").exists()
