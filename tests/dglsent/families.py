"""The encoders and tasks of the recipes that come with the package, as raw recipes."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from safetensors.numpy import save_file
from tiny_tags import Tags

from dglsent.corpora.built_in import Reviews
from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.example import Example
from dglsent.nn.embeddings import GivenVectors
from dglsent.training import bases, recipe_files
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_corpus, load_inputs, make_model
from dglsent.training.graphs import shape
from dglsent.training.module import Training
from dglsent.training.order import Parts
from dglsent.training.processes import Place
from graphs.token_vectors import key

SIZE = 2


class Sentences(Reviews):
    """A few reviews."""

    def __init__(self) -> None:
        super().__init__(train=8, dev=1, test=1)


class PairsOfAll(Corpus):
    """A few pairs with all that a task may want."""

    needs_data = False

    def load(self, data: Path) -> Splits:
        return {
            split: [
                Example(
                    (a.sentences[0], b.sentences[0]),
                    {"score": 2.5, "label": 1, "entailment": 1, "question": 0, "hypothesis": number},
                )
                for number, (a, b) in enumerate(zip(found[::2], found[1::2], strict=True))
            ]
            for split, found in Reviews(train=16, dev=2, test=2).load().items()
        }


@cache
def merged() -> tuple[dict[str, Any], ...]:
    """All recipes, each put together with its bases; their options are not looked at, which takes longer."""
    files = [recipe_files.find(name) for name in recipe_files.names()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bases, "mapping", _mapping)
        return tuple(bases.merge(bases.chain(file.read_text(), str(file))) for file in files)


_read = cache(bases.mapping)


def _mapping(text: str, source: str) -> dict[str, Any]:
    """A file's YAML, read once although many recipes build on it; `chain` takes the base out of what it gets."""
    return dict(_read(text, source))


def encoder_of(known: dict[str, Any]) -> str:
    """The class of a recipe's encoder, and of the structure below it."""
    encoder = known["encoder"]
    parts = (encoder, encoder.get("init_args", {}).get("structure"))
    return "-".join(part["class_path"].rpartition(".")[2] for part in parts if part)


def task_of(known: dict[str, Any]) -> str:
    """The class of a recipe's task, and whether it has a CRF."""
    task = known["task"]
    return task["class_path"].rpartition(".")[2] + ("-CRF" if task.get("init_args", {}).get("crf") else "")


def each_once() -> dict[str, dict[str, Any]]:
    """A recipe of each encoder, alone or on a structure, and of each task."""
    found: dict[str, dict[str, Any]] = {}
    met: set[str] = set()
    for known in merged():
        encoder, task = encoder_of(known), task_of(known)
        if {encoder, task} <= met:
            continue
        met |= {encoder, task}
        corpus = Sentences if task == "Classification" else Tags if task.startswith("Tagging") else PairsOfAll
        arguments = known["task"].get("init_args", {})
        if task == "Classification":
            arguments = {**arguments, "classes": 5}
        found[f"{encoder}-{task}"] = {
            "corpus": {"class_path": f"{corpus.__module__}.{corpus.__name__}"},
            "embedding": {"dim": 8, "spelling": True, "cooccurrence": known["graph"] == "complete"},
            "task": {**known["task"], "init_args": arguments},
            **{key: known[key] for key in ("graph", "encoder", "optimiser") if key in known},
        }
    return found


def each_encoder_once() -> dict[str, dict[str, Any]]:
    """A recipe of each encoder, by the name of the encoder alone."""
    return {name.rpartition("-")[0]: known for name, known in each_once().items()}


def prepared(known: dict[str, Any]) -> tuple[Any, Any, Any, list[int]]:
    """Of a raw recipe the recipe itself, its model, its examples of training, and the numbers of the shortest."""
    made = recipes.instantiate(recipes.resolve(yaml.safe_dump(known)))
    inputs = load_inputs(made, None)
    data = inputs.sets["train"]
    return made, make_model(made, inputs.vocabularies), data, np.argsort(data.lengths)[:SIZE].tolist()


def training_of(model: Any, options: Any) -> Training:
    """The training of a model over its shortest examples."""
    everything = Parts(range(SIZE), SIZE, SIZE, Place())
    return Training(model, options, everything, everything)


def step_and_scoring(training: Training, steps: Any, batch: Any, again: Any, device: str) -> dict[str, torch.Tensor]:
    """A training step over a batch on a device, and what dev scoring gathers of it in a second copy."""
    training.train().training_step(batch.to(device, non_blocking=True), 0).backward()
    training.on_before_optimizer_step(steps)
    steps.step()
    steps.zero_grad()
    with torch.inference_mode():
        outcomes: dict[str, torch.Tensor] = training.eval().model.outcomes(again.to(device, non_blocking=True))
    return outcomes


def with_given_vectors(keys: dict[str, Any], file: Path) -> list[tuple[Any, Any, Any]]:
    """The recipe's examples and model with a fixed table, and the same that read its vectors from a file."""
    keys = copy.deepcopy(keys)
    keys["embedding"] |= {"tune": False, "dropout": 0.4}
    torch.manual_seed(0)
    table = recipes.instantiate(recipes.resolve(yaml.safe_dump(keys)))
    inputs = load_inputs(table, None)
    model = make_model(table, inputs.vocabularies)
    rows, words = model.encoder.embedding.weight.numpy(), inputs.vocabularies.word
    sentences = (one for split in load_corpus(table, None).values() for each in split for one in each.sentences)
    shaped = [shape(table.graph, one) for one in sentences]
    save_file({key(one.words): rows[words.ids(one.words)] for one in shaped}, file)
    keys["embedding"] |= {"vectors": str(file)}
    given = recipes.instantiate(recipes.resolve(yaml.safe_dump(keys)))
    from_file = load_inputs(given, None)
    reading = make_model(given, from_file.vocabularies)
    assert isinstance(reading.encoder.embedding, GivenVectors)
    state = {**model.state_dict()}
    for name, weight in reading.state_dict().items():
        if name.endswith("embedding.weight") and weight.shape != state[name].shape:
            state[name] = weight
    reading.load_state_dict(state)
    return [(table, model, inputs.sets["train"]), (given, reading, from_file.sets["train"])]
