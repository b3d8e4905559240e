"""Recipes and the files of run folders as targets."""

from __future__ import annotations

import io
import shutil
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import torch
from harness import Target
from mutations import damaged, mutated

from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.run import Run

TRAINED = """
corpus:
  class_path: dglsent.corpora.built_in.Reviews
  init_args: {train: 20, dev: 5, test: 5}
graph: constituency
embedding: {dim: 4, dropout: 0.3}
encoder:
  class_path: dglsent.models.tree_lstm.BinaryTreeLSTM
  init_args: {hidden: 3}
task:
  class_path: dglsent.tasks.classification.Classification
  init_args: {classes: 5, dropout: 0.3}
training: {epochs: 2, batch_size: 8}
"""

_BASED = """# a recipe over another
base: sst/tree-lstm
encoder: {init_args: {hidden: 3}}
optimiser: {name: adam, lr: 0.001, weight_decay: 1.0e-4}
embedding:
  vectors: null
  tune: false
training: {epochs: 2, patience: 5, monitor: accuracy}
seed: 7
"""


def targets(folder: Path) -> list[Target]:
    """Recipes, and each file of a run folder with the others whole; they lie in `folder`."""
    whole = folder / "run"
    parts = {"config.yaml": mutated, "vocabularies.json": mutated, "metrics.json": mutated}
    recipe = (TRAINED.encode(), _BASED.encode())
    return [
        Target("recipe", lambda random: random.choice(recipe), mutated, partial(_recipe, folder), 0.05),
        *(
            Target(f"run, {name}", partial(_part, whole, name), damage, partial(_run, whole, name), 0.02)
            for name, damage in {**parts, "weights.safetensors": damaged}.items()
        ),
        Target("run, resume.ckpt", _checkpoint, damaged, partial(_resume, folder / "resume.ckpt"), 0.05),
    ]


def _recipe(folder: Path, data: bytes) -> None:
    from dglsent.training.recipe_files import read

    file = folder / "recipe.yaml"
    file.write_bytes(data)
    config = recipes.resolve(read(file), source=str(file))
    written = recipes.dump(config)
    assert recipes.difference(recipes.resolve(written), config) is None, "another recipe when written"
    recipes.instantiate(config)


@cache
def _made(folder: Path) -> dict[str, bytes]:
    """The files of a run that was not trained."""
    shutil.rmtree(folder, ignore_errors=True)
    run = Run(folder)
    config = recipes.resolve(TRAINED)
    recipe = recipes.instantiate(config)
    vocabularies = load_inputs(recipe, None).vocabularies
    run.begin(config, vocabularies)
    run.save_weights(make_model(recipe, vocabularies))
    scores = {"accuracy": 0.4, "loss": 1.5}
    history = [{"epoch": 1, "dev": scores, "best": True, "seconds": 1.0}]
    run.save_metrics(
        {"dev": scores, "test": scores, "seed": 1, "epochs": 1, "best_epoch": 1, "seconds": 1.0, "history": history}
    )
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def _part(folder: Path, name: str, random: Random) -> bytes:
    return _made(folder)[name]


def _run(folder: Path, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    try:
        run = Run(folder)
        if name == "metrics.json":
            run.metrics()
            return
        _, vocabularies, model = run.load()
    finally:
        (folder / name).write_bytes(_made(folder)[name])
    assert model.encoder.embedding.weight.shape[0] == len(vocabularies.word), "a row for another number of words"


def _checkpoint(random: Random) -> bytes:
    from dglsent.training.callbacks import _PARTS  # here, as Lightning takes longer to load than a case may

    whole: dict[str, Any] = {part: {"a": 1, "b": [torch.get_rng_state()[:99]]} for part in _PARTS}
    whole["state_dict"] = {"a.weight": torch.zeros(3, 2)}
    out = io.BytesIO()
    torch.save(whole, out)
    return out.getvalue()


def _resume(file: Path, data: bytes) -> None:
    from dglsent.training.callbacks import SafeCheckpointIO

    file.write_bytes(data)
    loaded: Any = SafeCheckpointIO().load_checkpoint(file)
    assert isinstance(loaded, dict), "a checkpoint that is no mapping"
