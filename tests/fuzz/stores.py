"""The files of a store of graphs as targets: each with the others whole."""

from __future__ import annotations

import json
import shutil
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from harness import Target
from mutations import damaged, mutated
from runs import TRAINED

from dglsent.building.build import build
from dglsent.building.recipe_corpus import OfRecipe
from dglsent.training import recipe as recipes
from graphs.store import Reading, Store, StoredSentences

_SIZE = 12  # examples of a shard
_OPENED = {"train-00001.arrow": damaged}
_BUILT = {"train-00001.arrow": damaged, "train-00001.json": mutated, "building.json": mutated}


def targets(folder: Path) -> list[Target]:
    """What opens a store, and what goes on building it; the store lies in `folder`."""
    whole = folder / "store"
    return [
        Target(f"{what} of a store, {name}", partial(_part, whole, name), damage, partial(use, whole, name), 0.02)
        for what, files, use in (("opening", _OPENED, _open), ("building", _BUILT, _build))
        for name, damage in files.items()
    ]


@cache
def _source() -> OfRecipe:
    return OfRecipe(recipes.dump(recipes.resolve(TRAINED)))


@cache
def _made(folder: Path) -> dict[str, bytes]:
    """The files of a store."""
    shutil.rmtree(folder, ignore_errors=True)
    build(_source(), folder, size=_SIZE)
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def _part(folder: Path, name: str, random: Random) -> bytes:
    return _made(folder)[name]


def _restore(folder: Path) -> None:
    for name, data in _made(folder).items():
        (folder / name).write_bytes(data)


def _open(folder: Path, name: str, data: bytes) -> None:
    """What is opened can be read to the end."""
    (folder / name).write_bytes(data)
    try:
        store = Store(folder)
        counts = store.counts()
        for sentences in store.splits.values():
            _read(sentences)
    finally:
        (folder / name).write_bytes(_made(folder)[name])
    assert all(isinstance(number, int) for each in counts.values() for number in each.word.values()), "odd counts"


def _read(sentences: StoredSentences) -> None:
    for sentence in sentences.sentences():
        assert sentence.words, "a sentence without words"
    readings = [Reading({}, {}) for _ in sentences.shards]
    merged: Any = sentences.merge(np.arange(len(sentences)), readings)
    assert merged.node_counts.sum() == len(merged.level), "levels of other nodes"


def _build(folder: Path, name: str, data: bytes) -> None:
    """The store is as it was, or it is said why not."""
    (folder / name).write_bytes(data)
    try:
        build(_source(), folder, size=_SIZE)
        built = {file.name: file.read_bytes() for file in folder.iterdir()}
        assert _content(built) == _content(_made(folder)), "another store"
    finally:
        _restore(folder)


def _content(files: dict[str, bytes]) -> dict[str, Any]:
    """The files; of JSON what it says, as a blank more or less is no damage."""
    return {name: json.loads(data) if name.endswith(".json") else data for name, data in files.items()}
