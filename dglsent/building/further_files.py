"""Examples of files of the form of those of which a store was built."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dglsent.building.build import SHARD, about
from dglsent.building.sources import Files, Read, labels_of
from dglsent.corpora.example import Example
from dglsent.corpora.own_files import number_of
from graphs.errors import InputError


def further_examples(
    store: Path, file: str, labels: Sequence[str], *, stanza_dir: str | None = None, cache: str | None = None
) -> list[Example]:
    """The examples of a file, read as the store's own files were.

    Args:
        store: the folder of the store; no more is read of it than how it was built.
        file: the file.
        labels: the classes that a model knows.
        stanza_dir: Stanza's models, for raw text.
        cache: folder of the cache of parses.

    Raises:
        InputError: the store was built of the corpus of a recipe, the file cannot be read, or has other classes.
    """
    built = about(store)
    if "labels" not in built:
        raise InputError(
            f"{file}: {store} was built of the corpus of a recipe, and so no form of files is known; `dglsent build` "
            "makes stores of files, and `dglsent predict` reads any sentences"
        )
    if not Path(file).is_file():
        raise InputError(f"{file}: no such file")
    source = Files(
        built["graph"],
        {"test": [file]},
        built["labels"],
        stanza_dir=stanza_dir,
        cache=cache,
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
