"""A store: the graphs of a corpus on disk, in a folder of shards with a manifest beside them.

`manifest.json` is written last, so a folder that has it was built to the end. It names the shards with their sizes and
hashes, the schema of each split, and what they were made of. `vocabularies.json` counts the strings of each split.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from graphs import fields
from graphs.batching import MergedGraphs
from graphs.columns import IntArray, Tagged
from graphs.errors import InputError, Origin
from graphs.features import Counts
from graphs.ranges import ranges, starts
from graphs.store_shard import AGAIN, DST, LEVEL, SRC, Shard
from graphs.vocabulary import check_format, read_json, write_json

FORMAT: Final = "dglsent store"
MANIFEST: Final = "manifest.json"
STRINGS: Final = "vocabularies.json"
SUM: Final = "checksum"
_BLOCK: Final = 1 << 22
_STRANGE: Final = f"not what `dglsent build` writes; {AGAIN}"


def digest(path: Path) -> str:
    """SHA-256 of a file; read, not mapped, so that its pages do not count as the program's memory."""
    sha = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            sha.update(block)
    return sha.hexdigest()


def checksum(data: Mapping[str, Any]) -> str:
    """SHA-256 of all that a mapping says, but for what stands under `SUM`."""
    said = {name: value for name, value in data.items() if name != SUM}
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def write(data: Mapping[str, Any], path: Path) -> None:
    """Writes a JSON file of a store, with its checksum."""
    write_json({**data, SUM: checksum(data)}, path)


def _read(path: Path) -> dict[str, Any]:
    """Reads what `write` wrote.

    Raises:
        InputError: it is something else, or damaged.
    """
    data: dict[str, Any] = read_json(path, AGAIN)
    try:
        check_format(data, FORMAT, path)
    except InputError as error:
        raise InputError(f"{error}; {AGAIN}") from None
    if data.get(SUM) != checksum(data):
        raise InputError(f"{path}: damaged, its content is not what was written; {AGAIN}")
    return data


class Store:
    """An open store.

    Attributes:
        path: the folder.
        manifest: what `manifest.json` holds.
        splits: sentences by the name of their split.

    Args:
        path: the folder; its shards are read once, to compare them with their hashes.

    Raises:
        InputError: the folder is no store or was not built to the end; its manifest or a shard is damaged; a shard is
            missing, in another folder or has other columns.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        file = self.path / MANIFEST
        if not file.is_file():
            begun = any(self.path.glob("*.arrow*"))
            what = f"a store that was not built to the end; {AGAIN}" if begun else "no store; `dglsent build` makes one"
            raise InputError(f"{self.path}: {what}")
        self.manifest: dict[str, Any] = _read(file)
        if not _is_manifest(self.manifest):
            raise InputError(f"{file}: {_STRANGE}")
        found: dict[str, list[Shard]] = {}
        for shard in self.manifest["shards"]:
            found.setdefault(shard["split"], []).append(self._open(shard))
        complete = self.manifest["graph"] == fields.COMPLETE
        self.splits = {name: StoredSentences(shards, complete=complete) for name, shards in found.items()}

    def _open(self, entry: Mapping[str, Any]) -> Shard:
        path = self.path / entry["file"]
        size = path.stat().st_size if path.is_file() else None
        if size is None:
            raise InputError(f"{path}: a shard is missing; {AGAIN}")
        if size != entry["bytes"] or digest(path) != entry["sha256"]:
            raise InputError(f"{path}: damaged, its content is not what was written; {AGAIN}")
        shard = Shard(path)
        wanted = self.manifest["schema"][entry["split"]]
        if shard.schema != wanted:
            strange = sorted(set(shard.schema.items()) ^ set(wanted.items()))[0][0]
            raise InputError(f"{path}: its column {strange!r} does not fit the manifest; {AGAIN}")
        return shard

    def counts(self) -> dict[str, Counts]:
        """How often each word, tag and relation occurs in each split.

        Raises:
            InputError: the file of them is damaged.
        """
        file = self.path / STRINGS
        splits = _read(file).get("splits")
        if not isinstance(splits, dict) or not all(_are_counts(splits.get(name)) for name in self.splits):
            raise InputError(f"{file}: {_STRANGE}")
        return {name: Counts.from_json(splits[name]) for name in self.splits}


def _is_manifest(data: Any) -> bool:
    """Whether it says of a store what is read of it; a checksum may be that of anything."""
    match data:
        case {"graph": str(), "sentences": int(), "labels": list(), "schema": dict(schema), "shards": list(shards)}:
            return all(_is_entry(shard, schema) for shard in shards)
    return False


def _is_entry(data: Any, schema: Mapping[str, Any]) -> bool:
    """Whether it names a shard that lies in the store itself, and is of a split with a schema."""
    match data:
        case {"split": str(split), "file": str(file), "bytes": int(), "sha256": str()}:
            return Path(file).name == file and isinstance(schema.get(split), dict)
    return False


def _are_counts(data: Any) -> bool:
    """Whether they are what `Counts.from_json` reads of a split."""
    match data:
        case {"word": dict(word), "tag": dict(tag), "relation": dict(relation)}:
            return all(isinstance(count, int) for part in (word, tag, relation) for count in part.values())
    return False


@dataclass(eq=False, slots=True)
class Reading:
    """How the ids of a shard become those of some vocabularies.

    Attributes:
        ids: by column, the new id [V] of each old one.
        rows: further node fields that the id of a word tells, each [V, ...].
    """

    ids: dict[str, IntArray]
    rows: dict[str, IntArray]


class StoredSentences:
    """The S sentences of a split; nothing of them is held in memory but their sizes.

    Attributes:
        shards: the open shards.
        node_counts: [S] nodes of each sentence.
        complete: whether their graphs are complete.
    """

    def __init__(self, shards: Sequence[Shard], *, complete: bool) -> None:
        self.shards, self.complete = list(shards), complete
        self._start = np.cumsum([0, *map(len, shards)])
        self.node_counts = np.concatenate([np.diff(shard.offsets(LEVEL)) for shard in shards]).astype(np.int32)

    def __len__(self) -> int:
        return int(self._start[-1])

    def targets(self, name: str) -> Any:
        """[S] gold values."""
        return np.concatenate([shard.values(f"target.{name}") for shard in self.shards])

    def texts(self, name: str) -> Iterator[Any]:
        """The strings, or lists of them, of a plain column."""
        for shard in self.shards:
            yield from shard.texts(name)

    def sentences(self) -> Iterator[Tagged]:
        """The words of each sentence, in order; each is made when it is asked for."""
        for shard in self.shards:
            column = f"node.{fields.WORD}"
            strings, ids, offsets = shard.strings(column), shard.values(column), shard.offsets(column)
            for number in range(len(shard)):
                here = ids[offsets[number] : offsets[number + 1]]
                yield Tagged([strings[word] for word in here if word], origin=Origin(str(shard.path), 0, str(number)))

    def merge(self, rows: IntArray, readings: Sequence[Reading], *, without: Sequence[str] = ()) -> MergedGraphs:
        """The graphs of B sentences, as `graphs.batching.merge` makes them of single graphs.

        Args:
            rows: [B] their numbers.
            readings: of each shard.
            without: node fields that are left out.
        """
        first = self.shards[0]
        home = np.searchsorted(self._start, rows, side="right") - 1
        nodes = self.node_counts[rows].astype(np.int64)
        edges = np.empty_like(nodes)
        parts: list[tuple[Shard, Reading, IntArray, IntArray]] = []
        for number in np.unique(home):
            places = np.flatnonzero(home == number)
            shard, local = self.shards[number], rows[places] - self._start[number]
            offsets = shard.offsets(SRC)
            edges[places] = offsets[local + 1] - offsets[local]
            parts.append((shard, readings[number], local, places))

        def where(column: str, counts: IntArray) -> list[_Where]:
            """The places of the rows' values among those of their shards, and in the batch."""
            begins = starts(counts)
            return [
                (
                    shard,
                    reading,
                    ranges(shard.offsets(column)[local], counts[places]),
                    ranges(begins[places], counts[places]),
                )
                for shard, reading, local, places in parts
            ]

        of_nodes, of_edges = where(LEVEL, nodes), where(SRC, edges)
        offset = np.repeat(starts(nodes), edges)
        kept = [name for name in first.names("node") if name not in without]
        word = f"node.{fields.WORD}"
        pairwise = first.names("pair")
        of_pairs = where(f"pair.{pairwise[0]}", nodes * nodes) if pairwise else []
        return MergedGraphs(
            node_counts=nodes,
            edge_counts=edges,
            src=_gather(SRC, of_edges) + offset,
            dst=_gather(DST, of_edges) + offset,
            nodes={
                **{name: _gather(f"node.{name}", of_nodes) for name in kept},
                **{name: _gather(word, of_nodes, name) for name in readings[0].rows},
                fields.SENTENCE: np.repeat(np.arange(len(rows)), nodes),
            },
            edges={name: _gather(f"edge.{name}", of_edges) for name in first.names("edge")},
            level=_gather(LEVEL, of_nodes),
            pairwise={name: _gather(f"pair.{name}", of_pairs) for name in pairwise},
            complete=self.complete,
        )


_Where: TypeAlias = tuple[Shard, Reading, IntArray, IntArray]
"""A shard, how it is read, places among its values, and where these stand in the batch."""


def _gather(column: str, where: Sequence[_Where], field: str | None = None) -> npt.NDArray[Any]:
    """The values of a column, or those of the further field that the word tells, in the order of the batch."""
    parts = []
    for shard, reading, source, _ in where:
        values = shard.values(column)[source]
        table = reading.rows[field] if field else reading.ids.get(column)
        dtype = values.dtype if values.dtype.kind == "f" else np.int64
        parts.append(values.astype(dtype) if table is None else table[values])
    if len(parts) == 1:
        return parts[0]
    found = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), dtype=parts[0].dtype)
    for (_, _, _, target), values in zip(where, parts, strict=True):
        found[target] = values
    return found
