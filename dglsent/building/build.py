"""A corpus -> a store, shard by shard; what is whole is kept, so a killed build goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from dglsent.building.contents import Contents
from dglsent.building.parts import Part
from dglsent.building.shards import Source, make, note_of
from dglsent.lock import locked
from dglsent.training.fit import Say
from graphs.errors import InputError
from graphs.store import MANIFEST, STRINGS, SUM, checksum, write
from graphs.vocabulary import read_json, write_json

SHARD: Final = 1 << 15
"""Examples of a shard: some seconds of work."""

_MARKER: Final = "building.json"
# Shards and what is said of them, and what `replacing` has half written of these and of the whole store's files.
_SHARD: Final = r"\w+-\d{5,}\.(arrow|json)"
_OURS: Final = re.compile(rf"{_SHARD}|({_SHARD}|{_MARKER}|{MANIFEST}|{STRINGS})\..+\.part")
_ANEW: Final = "build the store anew in another folder"

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
            split has a class that training has not, or the folder holds a whole store of files that are not among
            these.
    """
    with locked(folder):
        _begin(folder, source.about())
        parts = list(source.parts(size))
        _keep_other_files(folder, parts)
        todo = [part for part in parts if note_of(folder, source, part) is None]
        if todo:
            (folder / MANIFEST).unlink(missing_ok=True)
        if len(todo) < len(parts):
            say(f"{folder}: {len(parts) - len(todo)} of {len(parts)} shards are whole and kept")
        elif any(folder.glob("*.arrow")):
            say(f"{folder}: none of its shards can be kept; all are made again")
        start, examples = time.monotonic(), 0
        for done, part in enumerate(making(folder, source, todo), 1):
            examples += part.count
            rate = examples / (time.monotonic() - start)
            say(f"{part.name}: {done} of {len(todo)} shards, {rate:.0f} examples/s")
        return _finish(folder, source, parts)


def is_store(folder: Path) -> bool:
    """Whether a build has at least begun in a folder."""
    return (folder / _MARKER).is_file()


def about(folder: Path) -> dict[str, Any]:
    """How the graphs of a store are made of its source: as that source's `about`.

    Raises:
        InputError: the folder is no store, or its note of it is damaged.
    """
    marker = folder / _MARKER
    if not is_store(folder):
        raise InputError(
            f"{folder.absolute()}: no store; corpus.store names it, from the working folder; `dglsent build` makes one"
        )
    there = read_json(marker, _ANEW)
    if not isinstance(there, dict):
        raise InputError(f"{marker}: damaged, not what was written; {_ANEW}")
    return there


def _begin(folder: Path, here: Mapping[str, Any]) -> None:
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file; choose another folder for the store")
    marker = folder / _MARKER
    # A build that was killed as it began may have left the half-written marker.
    strange = [path for path in folder.glob("*") if not path.name.startswith(_MARKER)]
    if strange and not is_store(folder):
        raise InputError(f"{folder}: is not empty and no store of dglsent (no {_MARKER} there); choose another folder")
    folder.mkdir(parents=True, exist_ok=True)
    if is_store(folder):
        there = about(folder)
        if there != here and any(folder.glob("*.arrow")):  # a build that made no shard stands in nobody's way
            different = next(key for key in {**here, **there} if there.get(key) != here.get(key))
            raise InputError(
                f"{folder}: holds a store of another kind ({different} is {there.get(different)!r} there and "
                f"{here.get(different)!r} here); choose another folder"
            )
    write_json(dict(here), marker)


def _keep_other_files(folder: Path, parts: Sequence[Part]) -> None:
    """Refuses to build over a whole store of files of other names, whose graphs would be gone."""
    here = {(part.split, Path(part.file).name) for part in parts}
    try:
        there = [(shard["split"], shard["source"]["file"]) for shard in read_json(folder / MANIFEST)["shards"]]
        lost = next((one for one in there if (one[0], Path(one[1]).name) not in here), None)
    except (InputError, LookupError, TypeError):  # none, or a damaged one
        return
    if lost:
        raise InputError(
            f"{folder}: holds a store of {lost[1] or 'other splits'} too ({lost[0]}), whose graphs would be lost; name "
            "all its files, choose another folder, or delete it"
        )


def _finish(folder: Path, source: Source, parts: Sequence[Part]) -> dict[str, Any]:
    """Writes what concerns the whole store, the manifest last."""
    contents = Contents(source)
    for part in parts:
        contents.add(part, read_json(folder / f"{part.name}.json"))
    manifest = contents.manifest()
    write(contents.strings(), folder / STRINGS)
    own = {f"{part.name}{end}" for part in parts for end in (".arrow", ".json")}
    for path in folder.iterdir():
        if path.name not in own and _OURS.fullmatch(path.name):
            path.unlink()  # of a source that was longer, or of a killed build
    if not _is_there(folder / MANIFEST, manifest):
        write(manifest, folder / MANIFEST)
    return manifest


def _is_there(path: Path, manifest: Mapping[str, Any]) -> bool:
    try:
        return bool(read_json(path) == {**manifest, SUM: checksum(manifest)})
    except InputError:  # none, or a damaged one
        return False
