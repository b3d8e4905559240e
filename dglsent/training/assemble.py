"""A recipe and its data -> graphs, vocabularies and a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dglsent.corpora.corpus import Splits, data_folder, some_of
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.stored import Stored
from dglsent.nn.embeddings import GivenVectors, WordEmbedding
from dglsent.tasks.task import Task
from dglsent.training.data import Examples, graph_sets, shaped
from dglsent.training.garbage_collection import collection_off
from dglsent.training.graphs import HALF_WIDTHS, Graph, OwnGraph
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import Recipe
from dglsent.training.stored import stored_sets
from dglsent.training.words import are_given, initial, known_words, none_known, read_files, token_vectors
from graphs.columns import Sentence
from graphs.cooccurrence import Cooccurrence
from graphs.errors import InputError
from graphs.features import Counts, Vocabularies, Vocabulary
from graphs.store import Store
from graphs.vectors import WordVectors


@dataclass(eq=False, slots=True)
class Inputs:
    """What a recipe's corpus gives.

    Attributes:
        sets: graphs of the splits.
        vocabularies: of their strings.
        vectors: [V, dim] vectors from which the words of new vocabularies start; None for random ones.
    """

    sets: Mapping[str, Examples]
    vocabularies: Vocabularies
    vectors: torch.Tensor | None = None


def load_corpus(recipe: Recipe, data: Path | None) -> Splits:
    """The examples of a recipe; the data folder is looked for only where the corpus has files.

    Raises:
        InputError: the corpus cannot be read, or a split has no examples, or such as are none.
    """
    splits = recipe.corpus.load(data_folder(data) if recipe.corpus.needs_data else Path())
    name = f"corpus {type(recipe.corpus).__name__}"
    _require_examples(name, splits)
    _require_whole(name, splits)
    return splits


def _require_examples(name: str, splits: Mapping[str, Sized]) -> None:
    if not isinstance(splits, Mapping):
        raise InputError(
            f"{name}: gives a value of type {type(splits).__name__}; a dict of train, dev and test is wanted"
        )
    for split in ("train", "dev", "test"):
        if split not in splits or not isinstance(splits[split], Sized) or not len(splits[split]):
            raise InputError(f"{name}: no list of examples {split!r}; it takes train, dev and test, none of them empty")


def _require_whole(name: str, splits: Splits) -> None:
    for split, examples in splits.items():
        for number, example in enumerate(examples, 1):
            wrong = _fault(example)
            if wrong:
                raise InputError(f"{name}: example {number} of {split} {wrong}")


def _fault(example: Any) -> str:
    """What is wrong with an example of a corpus of one's own, "" if nothing is."""
    if not isinstance(example, Example):
        return f"is a value of type {type(example).__name__}; give a dglsent.corpora.example.Example"
    sentences: Any = example.sentences
    if not isinstance(sentences, tuple | list) or not all(isinstance(one, Parsed) for one in sentences):
        return "has sentences that are none; give a tuple of one Parsed, or of the two of a pair"
    targets: Any = example.targets
    if not isinstance(targets, Mapping):
        return f"has targets of type {type(targets).__name__}; give gold values by name, such as {{'label': 3}}"
    groups: Any = example.groups
    if not isinstance(groups, frozenset | set) or not all(isinstance(group, str) for group in groups):
        return f"has the groups {groups!r}; give a frozenset of names"
    return ""


@collection_off()
def load_inputs(
    recipe: Recipe,
    data: Path | None,
    vocabularies: Vocabularies | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Inputs:
    """Reads a corpus and builds its graphs.

    Args:
        recipe: the recipe.
        data: the data folder; None for that of the environment.
        vocabularies: those of a trained model; new ones are made by default.
        say: is told how many words of the corpus have pretrained vectors, and if none is known.

    Raises:
        InputError: the corpus cannot be read, does not fit the task, or has other classes than those of the model.
    """
    strings: Callable[[], Strings]
    sets: Callable[[Vocabularies, Task], Mapping[str, Examples]]
    given = token_vectors(recipe.embedding, data)
    if isinstance(recipe.corpus, Stored):
        if given is not None:
            raise InputError(
                f"{given.name}: vectors of tokens go with sentences, and a store has graphs alone; train from the files"
            )
        store = recipe.corpus.open()
        _require_examples(str(store.path), store.splits)
        strings, sets = partial(_stored_strings, store), partial(stored_sets, store, recipe.graph)
    else:
        splits = load_corpus(recipe, data)
        strings, sets = partial(strings_of, splits, recipe.graph), partial(graph_sets, splits, recipe.graph, given)
    vectors = None
    if vocabularies is None:
        known = strings()
        read = read_files(recipe.embedding, words_of(recipe, known), data, say)
        vocabularies = make_vocabularies(recipe, known, read)
        if known.counts["train"].word and (warning := none_known(recipe.embedding, vocabularies.word)):
            say(warning)
        vectors = initial(read, vocabularies.word)
    elif vocabularies.label is not None and list(vocabularies.label) != list(recipe.corpus.labels):
        raise InputError(
            f"the corpus has the classes {some_of(recipe.corpus.labels)}, and the model was trained with "
            f"{some_of(list(vocabularies.label))}; put back the files of then, or train it into another folder (--out)"
        )
    return Inputs(sets(vocabularies, make_task(recipe, 1, vocabularies)), vocabularies, vectors)


@dataclass(eq=False, slots=True)
class Strings:
    """The strings of a corpus, in the form in which its graphs read them.

    Attributes:
        counts: how often each occurs, by split.
        training: the sentences of the training split, one after the other.
    """

    counts: Mapping[str, Counts]
    training: Callable[[], Iterable[Sentence]]


def strings_of(splits: Splits, kind: Graph) -> Strings:
    """The strings of examples."""
    counts = {split: Counts.of(shaped(examples, kind)) for split, examples in splits.items()}
    return Strings(counts, lambda: shaped(splits["train"], kind))


def _stored_strings(store: Store) -> Strings:
    return Strings(store.counts(), store.splits["train"].sentences)


def words_of(recipe: Recipe, strings: Strings) -> Vocabulary:
    """All words of a corpus, whatever the split."""
    options, counts = recipe.embedding, Counter[str]()
    for split in strings.counts.values():
        counts.update(split.word)
    return Vocabulary.of(counts, lower=options.lower, fold_digits=options.fold_digits)


def make_vocabularies(recipe: Recipe, strings: Strings, vectors: Sequence[WordVectors] = ()) -> Vocabularies:
    """The vocabularies of the corpus of a recipe.

    All are of the training split alone, but for words with a pretrained vector: no label of another split is looked at.

    Args:
        recipe: the recipe.
        strings: those of the corpus.
        vectors: pretrained vectors of all words of the corpus, a file each.
    """
    options = recipe.embedding
    vocabularies = Vocabularies.of_counts(
        strings.counts["train"],
        lower=options.lower,
        min_count=options.min_count,
        fold_digits=options.fold_digits,
        spelling=options.spelling,
    )
    if vectors:
        vocabularies.word = known_words(vocabularies.word, vectors)
    if options.cooccurrence:
        vocabularies.cooccurrence = Cooccurrence.of(strings.training(), vocabularies.word)
    if _takes(recipe.task, "labels") or (recipe.corpus.labels_from_files and recipe.corpus.labels):
        vocabularies.label = Vocabulary(recipe.corpus.labels, special=False)
    return vocabularies


def make_task(recipe: Recipe, size: int, vocabularies: Vocabularies | None = None) -> Task:
    """The recipe's task over states of `size` dimensions.

    A task with a parameter `labels` is given the names of the classes: those of the vocabularies, else of the corpus.

    Raises:
        InputError: the task refuses its arguments, or a type of its targets is none.
    """
    known: dict[str, Any] = {}
    if _takes(recipe.task, "labels"):
        saved = vocabularies.label if vocabularies else None
        known["labels"] = recipe.corpus.labels if saved is None else saved.strings
    try:
        task = recipe.task(size, **known)
    except ValueError as error:
        raise InputError(f"task: {error}") from None
    if not isinstance(task.targets, Mapping):
        given = f"targets is of type {type(task.targets).__name__}"
        raise InputError(f'task {type(task).__name__}: {given}; give a dict: targets = {{"label": np.dtype(np.int64)}}')
    for name, dtype in task.targets.items():
        if not isinstance(dtype, np.dtype):
            given = f"task {type(task).__name__}: targets[{name!r}] is {dtype!r}"
            raise InputError(f"{given}, and no dtype; give such as np.dtype(float)")
    return task


def make_model(recipe: Recipe, vocabularies: Vocabularies, vectors: torch.Tensor | None = None) -> SentenceModel:
    """The recipe's model with new weights.

    An encoder with a parameter `tags` is given the strings of the tag vocabulary, one with `vocabularies` all of them,
    one with `half_width` that of the recipe's window graphs.

    Args:
        recipe: the recipe.
        vocabularies: of V words and T tags.
        vectors: [V, dim] word vectors to start from.

    Raises:
        InputError: the encoder or the task refuses its arguments.
    """
    options = recipe.embedding
    embedding: WordEmbedding
    if are_given(options):
        embedding = GivenVectors(len(vocabularies.word), options.dim, dropout=options.dropout)
    else:
        embedding = WordEmbedding(
            len(vocabularies.word),
            options.dim,
            vectors=vectors,
            tune=options.tune,
            dropout=options.dropout,
        )
    known: dict[str, Any] = {"tags": vocabularies.tag.strings, "vocabularies": vocabularies}
    if not isinstance(recipe.graph, OwnGraph) and recipe.graph in HALF_WIDTHS:
        known["half_width"] = HALF_WIDTHS[recipe.graph]
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
