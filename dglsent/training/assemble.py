"""A recipe and its data -> graphs, vocabularies and a model."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from dglsent.corpora.corpus import Splits, data_folder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.tasks.task import Task
from dglsent.training.data import GraphSet, graph_set, vocabularies_of
from dglsent.training.model import SentenceModel
from dglsent.training.optimisers import takes_sparse
from dglsent.training.recipe import Recipe
from graphs.errors import InputError
from graphs.features import Vocabularies, Vocabulary
from graphs.vectors import read_vectors


@dataclass(eq=False, slots=True)
class Inputs:
    """What a recipe's corpus gives.

    Attributes:
        sets: graphs of the splits.
        vocabularies: of their strings.
    """

    sets: dict[str, GraphSet]
    vocabularies: Vocabularies


def load_corpus(recipe: Recipe, data: Path | None) -> Splits:
    """The examples of a recipe; the data folder is looked for only where the corpus has files."""
    return recipe.corpus.load(data_folder(data) if recipe.corpus.needs_data else Path())


def load_inputs(recipe: Recipe, data: Path | None, vocabularies: Vocabularies | None = None) -> Inputs:
    """Reads a corpus and builds its graphs.

    Args:
        recipe: the recipe.
        data: the data folder; None for that of the environment.
        vocabularies: those of a trained model; new ones are made by default.
    """
    splits = load_corpus(recipe, data)
    if vocabularies is None:
        options = recipe.embedding
        examples = splits["train"] if options.vocabulary == "train" else chain(*splits.values())
        vocabularies = vocabularies_of(examples, recipe.graph, lower=options.lower, min_count=options.min_count)
    task = make_task(recipe, 1)
    sets = {
        name: graph_set(examples, recipe.graph, vocabularies, task.sentences, task.targets)
        for name, examples in splits.items()
    }
    return Inputs(sets, vocabularies)


def make_task(recipe: Recipe, size: int) -> Task:
    """The recipe's task over states of `size` dimensions."""
    try:
        return recipe.task(size)
    except ValueError as error:
        raise InputError(f"task: {error}") from None


def make_model(recipe: Recipe, vocabularies: Vocabularies, vectors: torch.Tensor | None = None) -> SentenceModel:
    """The recipe's model with new weights.

    An encoder with a parameter `tags` is given the strings of the tag vocabulary.

    Args:
        recipe: the recipe.
        vocabularies: of V words and T tags.
        vectors: [V, dim] word vectors to start from.
    """
    options = recipe.embedding
    embedding = WordEmbedding(
        len(vocabularies.word),
        options.dim,
        vectors=vectors,
        tune=options.tune,
        dropout=options.dropout,
        sparse=takes_sparse(recipe.optimiser),
    )
    # A factory made of a recipe is a partial with the class among its arguments.
    made = next((each for each in getattr(recipe.encoder, "args", ()) if isinstance(each, type)), recipe.encoder)
    known: dict[str, Any] = {"tags": vocabularies.tag.strings} if "tags" in signature(made).parameters else {}
    encoder = recipe.encoder(embedding, **known)
    return SentenceModel(encoder, make_task(recipe, encoder.size))


def pretrained(recipe: Recipe, words: Vocabulary, data: Path | None) -> torch.Tensor | None:
    """The recipe's pretrained vectors [V, dim]; words without one get U(-0.05, 0.05).

    Raises:
        InputError: the file is missing or has vectors of another size.
    """
    options = recipe.embedding
    if options.vectors is None:
        return None
    file = Path(options.vectors)
    if not file.is_absolute():
        file = data_folder(data) / file
    if not file.is_file():
        raise InputError(
            f"{file}: no word vectors there; put the file there (docs/data.md) or name another with "
            "--embedding.vectors FILE"
        )
    found = read_vectors(file, words)
    if found.matrix.shape[1] != options.dim:
        raise InputError(
            f"{file}: vectors of {found.matrix.shape[1]} dimensions, the recipe has embedding.dim {options.dim}; "
            f"add --embedding.dim {found.matrix.shape[1]}"
        )
    matrix = torch.empty(found.matrix.shape).uniform_(-0.05, 0.05)
    known = torch.from_numpy(found.found)
    matrix[known] = torch.from_numpy(found.matrix)[known]
    return matrix
