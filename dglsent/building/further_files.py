"""Examples of files of the form of those that a run was trained on, or of which its store was built."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path

from dglsent.building.build import SHARD, about
from dglsent.building.files import Files
from dglsent.building.read import Read, labels_of
from dglsent.building.strange_tags import strange_tags
from dglsent.corpora.corpus import Corpus
from dglsent.corpora.example import Example
from dglsent.corpora.labelled import LabelledFiles
from dglsent.corpora.own_files import NoFileError, number_of, refuse_no_file
from dglsent.corpora.stored import Stored
from dglsent.tasks.task import Task
from dglsent.training.checks import scale_of
from dglsent.training.fit import Say
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import Recipe
from graphs.errors import InputError, SentenceError
from graphs.features import Vocabularies


@contextmanager
def or_further(command: str) -> Iterator[None]:
    """Where a run's own files are gone, has the error add the command that reads another file: `COMMAND FILE`.

    Raises:
        InputError: they are gone.
    """
    try:
        yield
    except NoFileError as error:
        raise InputError(f"{error}; or name another file: `{command} FILE`") from None


def read_further(
    files: Sequence[str],
    recipe: Recipe,
    vocabularies: Vocabularies,
    model: SentenceModel,
    *,
    stanza_dir: str | os.PathLike[str] | None = None,
    say: Say = lambda line: None,
) -> dict[str, list[Example]]:
    """The examples of each file for a trained model, as `of_files` reads them.

    Args:
        files: the files.
        recipe: of the model.
        vocabularies: of the model.
        model: the model.
        stanza_dir: Stanza's models, for raw text.
        say: is told where their tags are of another tag set than the model's.

    Raises:
        InputError: as of `of_files`.
        SentenceError: a gold score lies outside the scale of the model, which it was not trained beyond either.
    """
    found = of_files(recipe.corpus, files, tuple(vocabularies.label or ()), stanza_dir=stanza_dir)
    _require_on_scale(chain.from_iterable(found.values()), model.task)
    sentences = (sentence for examples in found.values() for example in examples for sentence in example.sentences)
    if warning := strange_tags(sentences, recipe, vocabularies, model):
        say(warning)
    return found


def _require_on_scale(examples: Iterable[Example], task: Task) -> None:
    low, high = scale_of(task)
    for example in examples:
        score = example.targets.get("score", low)
        if not low <= score <= high:
            raise SentenceError(
                f"score {score:g} lies outside {low} to {high}, the scale of the model; correct it or leave the pair "
                "out",
                example.sentences[0].origin,
            )


def of_files(
    corpus: Corpus, files: Sequence[str], labels: Sequence[str], *, stanza_dir: str | os.PathLike[str] | None = None
) -> dict[str, list[Example]]:
    """The examples of each file, read as those of a run's own files are; their ids are FILE-1, FILE-2, ...

    Args:
        corpus: the corpus of the run.
        files: the files.
        labels: the classes that its model knows.
        stanza_dir: Stanza's models, for raw text.

    Raises:
        InputError: the corpus is not one of files, or a file cannot be read or has other classes.
    """
    if isinstance(corpus, LabelledFiles):
        found = {file: corpus.of_file(Path(file), labels) for file in files}
    elif isinstance(corpus, Stored):
        found = {file: further_examples(corpus.store, file, labels, stanza_dir=stanza_dir) for file in files}
    else:
        raise InputError(
            f"{files[0]}: files are for runs of LabelledText, LabelledTrees, LabelledPairs, TaggedColumns and "
            f"stores, and this one is of {type(corpus).__name__}; `dglsent predict` reads any sentences"
        )
    return {
        file: [replace(one, id=f"{file}-{number}") for number, one in enumerate(examples, 1)]
        for file, examples in found.items()
    }


def further_examples(
    store: Path, file: str, labels: Sequence[str], *, stanza_dir: str | os.PathLike[str] | None = None
) -> list[Example]:
    """The examples of a file, read as the store's own files were.

    Args:
        store: the folder of the store; no more is read of it than how it was built.
        file: the file.
        labels: the classes that a model knows.
        stanza_dir: Stanza's models, for raw text.

    Raises:
        InputError: the store was built of the corpus of a recipe, the file cannot be read, or has other classes.
    """
    built = about(store)
    if "labels" not in built:
        raise InputError(
            f"{file}: {store} was built of the corpus of a recipe, and so no form of files is known; `dglsent build` "
            "makes stores of files, and `dglsent predict` reads any sentences"
        )
    refuse_no_file(file)
    source = Files(
        built["graph"],
        {"test": [file]},
        built["labels"],
        stanza_dir=stanza_dir,
        columns=built.get("columns", {}),
    )
    examples: list[Example] = []
    for part in source.parts(SHARD):
        read = source.read(part)
        read.renumber(_numbers(read, labels))
        examples += read.examples
    return examples


def _numbers(read: Read, labels: Sequence[str]) -> dict[int, int]:
    """The model's number of each class that is met."""
    names = read.classes or ()
    numbers: dict[int, int] = {}
    for example in read.examples:
        for met in labels_of(example):
            if met >= 0 and met not in numbers:
                numbers[met] = number_of(names[met], labels, example.sentences[0].origin)
    return numbers
