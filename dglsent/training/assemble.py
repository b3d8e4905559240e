"""A recipe and its data -> graphs, vocabularies and a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from dglsent.corpora.corpus import Splits, data_folder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.tasks.task import Task
from dglsent.training.data import GraphSet, graph_set, shaped, vocabularies_of
from dglsent.training.model import SentenceModel
from dglsent.training.optimisers import takes_sparse
from dglsent.training.recipe import Recipe
from dglsent.training.words import initial, known_words, read_files
from graphs.cooccurrence import Cooccurrence
from graphs.errors import InputError
from graphs.features import Vocabularies, Vocabulary
from graphs.spelling import Spelling
from graphs.vectors import WordVectors


@dataclass(eq=False, slots=True)
class Inputs:
    """What a recipe's corpus gives.

    Attributes:
        sets: graphs of the splits.
        vocabularies: of their strings.
        vectors: [V, dim] vectors from which the words of new vocabularies start; None for random ones.
    """

    sets: dict[str, GraphSet]
    vocabularies: Vocabularies
    vectors: torch.Tensor | None = None


def load_corpus(recipe: Recipe, data: Path | None) -> Splits:
    """The examples of a recipe; the data folder is looked for only where the corpus has files."""
    return recipe.corpus.load(data_folder(data) if recipe.corpus.needs_data else Path())


def load_inputs(recipe: Recipe, data: Path | None, vocabularies: Vocabularies | None = None) -> Inputs:
    """Reads a corpus and builds its graphs.

    Args:
        recipe: the recipe.
        data: the data folder; None for that of the environment.
        vocabularies: those of a trained model; new ones are made by default.

    Raises:
        InputError: the corpus cannot be read, does not fit the task, or has other classes than those of the model.
    """
    splits = load_corpus(recipe, data)
    vectors = None
    if vocabularies is None:
        read = read_files(recipe.embedding, words_of(recipe, splits), data)
        vocabularies = make_vocabularies(recipe, splits, read)
        vectors = initial(read, vocabularies.word)
    elif vocabularies.label is not None and list(vocabularies.label) != list(recipe.corpus.labels):
        raise InputError("the classes of the corpus are not those that the model was trained with; train it again")
    task = make_task(recipe, 1, vocabularies)
    sets = {
        name: graph_set(
            examples, recipe.graph, vocabularies, task.sentences, task.targets, token_labels=task.token_labels
        )
        for name, examples in splits.items()
    }
    return Inputs(sets, vocabularies, vectors)


def words_of(recipe: Recipe, splits: Splits) -> Vocabulary:
    """All words of a corpus, whatever the split."""
    options = recipe.embedding
    sentences = shaped(chain(*splits.values()), recipe.graph)
    words = (word for sentence in sentences for word in sentence.word if word is not None)
    return Vocabulary.of(words, lower=options.lower, fold_digits=options.fold_digits)


def make_vocabularies(recipe: Recipe, splits: Splits, vectors: Sequence[WordVectors] = ()) -> Vocabularies:
    """The vocabularies of the corpus of a recipe, which has been loaded.

    All are of the training split alone, but for words with a pretrained vector: no label of another split is looked at.

    Args:
        recipe: the recipe.
        splits: the examples.
        vectors: pretrained vectors of all words of the corpus, a file each.
    """
    options, train = recipe.embedding, splits["train"]
    vocabularies = vocabularies_of(
        train, recipe.graph, lower=options.lower, min_count=options.min_count, fold_digits=options.fold_digits
    )
    if vectors:
        vocabularies.word = known_words(vocabularies.word, vectors)
    if options.spelling:
        sentences = shaped(train, recipe.graph)
        vocabularies.spelling = Spelling.of(word for sentence in sentences for word in sentence.words)
    if options.cooccurrence:
        vocabularies.cooccurrence = Cooccurrence.of(shaped(train, recipe.graph), vocabularies.word)
    if _takes(recipe.task, "labels"):
        vocabularies.label = Vocabulary(recipe.corpus.labels, special=False)
    return vocabularies


def make_task(recipe: Recipe, size: int, vocabularies: Vocabularies | None = None) -> Task:
    """The recipe's task over states of `size` dimensions.

    A task with a parameter `labels` is given the names of the classes: those of the vocabularies, else of the corpus.
    """
    known: dict[str, Any] = {}
    if _takes(recipe.task, "labels"):
        saved = vocabularies.label if vocabularies else None
        known["labels"] = recipe.corpus.labels if saved is None else saved.strings
    try:
        return recipe.task(size, **known)
    except ValueError as error:
        raise InputError(f"task: {error}") from None


def make_model(recipe: Recipe, vocabularies: Vocabularies, vectors: torch.Tensor | None = None) -> SentenceModel:
    """The recipe's model with new weights.

    An encoder with a parameter `tags` is given the strings of the tag vocabulary, one with `vocabularies` all of them.

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
    known: dict[str, Any] = {"tags": vocabularies.tag.strings, "vocabularies": vocabularies}
    given = {name: value for name, value in known.items() if _takes(recipe.encoder, name)}
    try:
        encoder = recipe.encoder(embedding, **given)
    except (ValueError, RuntimeError, AssertionError, ArithmeticError) as error:
        raise error if isinstance(error, InputError) else InputError(f"encoder: {error}") from None
    return SentenceModel(encoder, make_task(recipe, encoder.size, vocabularies))


def _takes(factory: Callable[..., Any], parameter: str) -> bool:
    """Whether what a recipe makes an encoder or a task with has a parameter of that name."""
    # A factory made of a recipe is a partial with the class among its arguments.
    made = next((each for each in getattr(factory, "args", ()) if isinstance(each, type)), factory)
    return parameter in signature(made).parameters
