"""Models with the weights they begin with, made of the built-in reviews."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import torch
import yaml

from dglsent.corpora.reviews import generate
from dglsent.inference.model import Model
from dglsent.training import recipe as recipes
from dglsent.training.assemble import make_model
from dglsent.training.run import Run
from graphs.columns import Dependencies
from graphs.features import Vocabularies

CLASSES = {"class_path": "dglsent.tasks.classification.Classification", "init_args": {"classes": 5}}
TREES = [review.tree for review in generate(train=6, dev=0, test=0)["train"]]
PARSED = Dependencies(
    ["the", "film", "was", "good"],
    np.array([1, 3, 3, -1]),
    ["det", "nsubj", "cop", "root"],
    xpos=["DT", "NN", "VBD", "JJ"],
)


def untrained(graph: str, encoder: str, task: Any = CLASSES, **options: Any) -> Model:
    """A model of a kind of graph, of an encoder at its place in `dglsent.models` and its options."""
    keys = {
        "corpus": {"class_path": "dglsent.corpora.built_in.Reviews"},
        "graph": graph,
        "embedding": {"dim": 8},
        "encoder": {"class_path": f"dglsent.models.{encoder}", "init_args": options},
        "task": task,
    }
    torch.manual_seed(0)
    recipe = recipes.instantiate(recipes.resolve(yaml.safe_dump(keys)))
    vocabularies = Vocabularies.of([*TREES, PARSED], spelling=graph.startswith("window"))
    model = make_model(recipe, vocabularies).eval()
    return Model(Run("none"), recipe, vocabularies, model, stanza_dir=os.devnull)
