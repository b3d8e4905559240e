"""A corpus -> a store, shard by shard; what is whole is kept, so a killed build goes on."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from dglsent.building.parts import Part
from dglsent.building.shards import make, note_of
from dglsent.building.sources import Source, labels_of
from dglsent.corpora.own_files import sorted_classes
from dglsent.lock import locked
from graphs.errors import InputError, Origin, SentenceError
from graphs.features import Counts
from graphs.store import FORMAT, MANIFEST, STRINGS, SUM, checksum, write
from graphs.vocabulary import VERSION, read_json, write_json

SHARD: Final = 1 << 15
"""Sentences of a shard: some seconds of work."""

_MARKER: Final = "building.json"

Say = Callable[[str], None]
Making = Callable[[Path, Source, Sequence[Part]], Iterable[Part]]
"""What makes shards, and says of each part when it is done."""


def in_order(folder: Path, source: Source, parts: Sequence[Part]) -> Iterator[Part]:
    """Makes the shards in this process."""
    for part in parts:
        make(folder, source, part)
        yield part


def build(
    source: Source, folder: Path, *, size: int = SHARD, making: Making = in_order, say: Say = lambda line: None
) -> dict[str, Any]:
    """Builds a store, or goes on with one; shards that are whole are kept.

    Args:
        source: where the examples come from.
        folder: the folder, new or of a store of the same source.
        size: examples of a shard.
        making: how the shards are made: in this process, or by Ray.
        say: what is told on the way.

    Returns:
        The manifest.

    Raises:
        InputError: the folder is something else, another program builds in it, a source cannot be read, or another
            split has a class that training has not.
    """
    with locked(folder):
        _begin(folder, source.about())
        parts = list(source.parts(size))
        todo = [part for part in parts if note_of(folder, source, part) is None]
        if todo:
            (folder / MANIFEST).unlink(missing_ok=True)
        if len(todo) < len(parts):
            say(f"{folder}: {len(parts) - len(todo)} of {len(parts)} shards are whole and kept")
        start, sentences = time.monotonic(), 0
        for done, part in enumerate(making(folder, source, todo), 1):
            sentences += part.count
            rate = sentences / (time.monotonic() - start)
            say(f"{part.name}: {done} of {len(todo)} shards, {rate:.0f} examples/s")
        return _finish(folder, source, parts)


def _begin(folder: Path, about: Mapping[str, Any]) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; choose another folder for the store")
    marker = folder / _MARKER
    # A build that was killed as it began may have left the half-written marker.
    strange = [path for path in folder.glob("*") if not path.name.startswith(_MARKER)]
    if strange and not marker.is_file():
        raise InputError(f"{folder}: is not empty and no store of dglsent; choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    if marker.is_file():
        there = read_json(marker)
        if not isinstance(there, dict):
            raise InputError(f"{marker}: damaged, not what was written; choose another folder for the store")
        if there != about:
            different = next(key for key in {**about, **there} if there.get(key) != about.get(key))
            raise InputError(
                f"{folder}: holds a store of another kind ({different} is {there.get(different)!r} there and "
                f"{about.get(different)!r} here); choose another folder"
            )
    write_json(dict(about), marker)


def _finish(folder: Path, source: Source, parts: Sequence[Part]) -> dict[str, Any]:
    """Writes what concerns the whole store, the manifest last."""
    schema: dict[str, dict[str, str]] = {}
    counts: dict[str, Counts] = {}
    shards: list[dict[str, Any]] = []
    skipped: list[str] = []
    classes: dict[str, dict[str, Part]] = {}
    sentences: dict[int, Part] = {}
    for part in parts:
        note = read_json(folder / f"{part.name}.json")
        sentences.setdefault(note["sentences"], part)
        if len(sentences) > 1:
            one, pair = sentences[1].file, sentences[2].file
            raise InputError(f"{one} has sentences and {pair} pairs of them; build a store of each")
        wanted = schema.setdefault(part.split, note["schema"])
        if note["schema"] != wanted:
            strange = sorted({*wanted.items()} ^ {*note["schema"].items()})[0][0]
            raise InputError(
                f"{part.file}:{part.line}: only some sentences of split {part.split} have {strange!r}; give it to all"
            )
        counts.setdefault(part.split, Counts()).add(Counts.from_json(note["counts"]))
        skipped += note["skipped"]
        for name in note["classes"] or ():
            classes.setdefault(part.split, {}).setdefault(name, part)
        shards.append(
            {
                "file": f"{part.name}.arrow",
                "split": part.split,
                **{key: note[key] for key in ("rows", "bytes", "sha256")},
                "source": {"file": part.file, "line": part.line, "sha256": part.sha256},
            }
        )
    _refuse_classes_unknown_to_training(source, classes, {part.split for part in parts})
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        **source.about(),
        "sentences": min(sentences),
        "labels": source.class_names() or sorted_classes(chain.from_iterable(classes.values())),
        "skipped": skipped,
        "schema": schema,
        "shards": shards,
    }
    strings = {split: found.to_json() for split, found in counts.items()}
    write({"format": FORMAT, "version": VERSION, "splits": strings}, folder / STRINGS)
    own = {_MARKER, MANIFEST, STRINGS, *(f"{part.name}{end}" for part in parts for end in (".arrow", ".json"))}
    for path in folder.iterdir():
        if path.name not in own and path.suffix in (".arrow", ".json", ".part"):
            path.unlink()  # of a source that was longer, or of a killed build
    if not _is_there(folder / MANIFEST, manifest):
        write(manifest, folder / MANIFEST)
    return manifest


def _refuse_classes_unknown_to_training(
    source: Source, classes: Mapping[str, Mapping[str, Part]], splits: Collection[str]
) -> None:
    """Refuses a store whose model could not learn a class that it is scored on; shards by themselves cannot know.

    Args:
        source: where the examples come from.
        classes: of each split that has classes, the first part with each.
        splits: all splits.

    Raises:
        SentenceError: dev or test has another class than training.
    """
    known = classes.get("train", {})
    for split in classes if "train" in splits else ():
        for name, part in classes[split].items():
            if name not in known:
                those = f": {', '.join(sorted(known))}" if known else ", which has none"
                what = f"class {name!r} of split {split} is none of those of training{those}"
                raise SentenceError(what, _place(source, part, name))


def _place(source: Source, part: Part, name: str) -> Origin:
    """Where the first sentence of a part with a class stands."""
    read = source.read(part)
    names = dict(enumerate(read.classes or ()))
    places = (each.sentences[0].origin for each in read.examples if name in map(names.get, labels_of(each)))
    return next(places, Origin(part.file, part.line))


def _is_there(path: Path, manifest: Mapping[str, Any]) -> bool:
    try:
        return bool(read_json(path) == {**manifest, SUM: checksum(manifest)})
    except InputError:  # none, or a damaged one
        return False
