"""Seconds of an epoch of training: plans, forward and backward pass, optimiser."""

from __future__ import annotations

import time
from pathlib import Path

import torch

from dglsent.benchmark.timing import Row
from dglsent.passing import engine
from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.data import loader
from dglsent.training.device import seed_all
from dglsent.training.optimisers import DenseGradient, optimiser, takes_sparse

RECIPES = (("sst/tree-lstm", 256), ("sick/tree-lstm", 25))


def measure(name: str, size: int, data: Path, device: str, *, fused: bool = False) -> Row:
    """Time the second epoch of a recipe; the first warms up.

    Args:
        name: the recipe.
        size: examples of a batch.
        data: the data folder.
        device: "cpu" or "cuda".
        fused: as in `engine`.

    Raises:
        InputError: the corpus is not there.
    """
    file = recipe_files.find(name)
    recipe = recipes.instantiate(recipes.resolve(recipe_files.read(file), source=str(file)))
    seed_all(recipe.seed)
    inputs = load_inputs(recipe, data)
    model = make_model(recipe, inputs.vocabularies, inputs.vectors).to(device).train()
    encoder = model.encoder
    encoder.embedding.sparse = device == "cpu"
    steps, make_dense = optimiser(model, encoder.embedding.weight, recipe.optimiser), DenseGradient()
    batches = loader(
        inputs.sets["train"], size, encoder.directions, encoder.relations, seed=recipe.seed, pin=device == "cuda"
    )
    seconds = 0.0
    for _ in range(2):
        start = time.perf_counter()
        for batch in batches:
            steps.zero_grad()
            with engine("torch", fused=fused):
                model.loss(batch.to(device, non_blocking=True)).backward()
            if not takes_sparse(recipe.optimiser):
                make_dense(encoder.embedding.weight)
            steps.step()
        if device == "cuda":
            torch.cuda.synchronize()
        seconds = time.perf_counter() - start
    return {"recipe": name, "batch": size, "device": device, "steps": len(batches), "seconds": round(seconds, 3)}
