"""One shard of a store: the graphs of some sentences as columns of an Arrow file, one row a sentence.

Columns are named by what they hold: `node.FIELD`, `edge.FIELD` and `pair.FIELD` are lists of the graph's fields,
`edge.src` and `edge.dst` nodes of the sentence, `target.NAME` gold values of the example. Words, tags and relations are
dictionary-encoded, so that any reader of Arrow files shows them as strings; each shard has its own dictionaries.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from graphs import fields
from graphs.batching import MergedGraphs
from graphs.columns import IntArray
from graphs.complete_graphs import token_relations
from graphs.errors import InputError, Origin, one_line
from graphs.features import Vocabularies
from graphs.files import replacing
from graphs.ranges import starts

if TYPE_CHECKING:
    import pyarrow as pa

VERSION: Final = 1
LEVEL, SRC, DST, PAIR_RELATION = "node.level", "edge.src", "edge.dst", f"pair.{fields.RELATION}"
_METADATA: Final = b"dglsent shard"
ENCODED: Final = {f"node.{fields.WORD}": "word", f"node.{fields.TAG}": "tag", f"edge.{fields.RELATION}": "relation"}
"""Columns of strings, with the vocabulary of each."""
_INT32: Final = np.iinfo(np.int32)


def write_shard(
    path: Path,
    merged: MergedGraphs,
    vocabularies: Vocabularies,
    *,
    examples: Sequence[str],
    origins: Sequence[Origin],
    groups: Sequence[Iterable[str]],
    targets: Mapping[str, Sequence[int] | Sequence[float]],
    about: Mapping[str, Any],
) -> None:
    """Writes S sentences; the same sentences give the same bytes.

    Args:
        path: the file, which is whole once it has its name.
        merged: their graphs.
        vocabularies: of the ids in them, without unknown strings.
        examples: [S] name of the example of each.
        origins: [S] where each was read.
        groups: [S] parts of the corpus to which each belongs.
        targets: gold values, each [S].
        about: what else is to be known of the sentences, as plain JSON values.

    Raises:
        InputError: a field is none that a shard keeps as it is, or has the name of another column; it is named.
    """
    import pyarrow as pa

    columns: dict[str, Any] = {
        "example": pa.array(examples, pa.string()),
        "file": pa.array([origin.file for origin in origins], pa.string()).dictionary_encode(),
        "line": pa.array([origin.line for origin in origins], pa.int32()),
        "sentence": pa.array([origin.sentence for origin in origins], pa.string()),
        "groups": pa.array([sorted(names) for names in groups], pa.list_(pa.string())),
    }
    for name, values in targets.items():
        columns[f"target.{name}"] = pa.array(np.asarray(values))
    nodes, edges = merged.node_counts, merged.edge_counts
    first = np.repeat(starts(nodes), edges)
    own = {LEVEL: (nodes, merged.level), SRC: (edges, merged.src - first), DST: (edges, merged.dst - first)}
    flat = {f"node.{name}": (nodes, column) for name, column in merged.nodes.items() if name != fields.SENTENCE}
    flat |= {f"edge.{name}": (edges, column) for name, column in merged.edges.items()}
    flat |= {f"pair.{name}": (nodes * nodes, column) for name, column in merged.pairwise.items()}
    if taken := own.keys() & flat.keys():
        raise InputError(f"field {min(taken)}: a store has another column of that name; give the field another one")
    for name, (counts, column) in {**own, **flat}.items():
        strings = None
        if name in ENCODED:
            strings = getattr(vocabularies, ENCODED[name]).strings
        elif name == PAIR_RELATION:
            strings = token_relations(vocabularies.relation)
        _require_kept(name, column, strings)
        columns[name] = _lists(counts, column, strings)
    schema = pa.schema([(name, column.type) for name, column in columns.items()])
    schema = schema.with_metadata({_METADATA: json.dumps({"version": VERSION, **about}, sort_keys=True)})
    with replacing(path) as beside, pa.OSFile(os.fspath(beside), "wb") as sink, pa.ipc.new_file(sink, schema) as file:
        file.write_batch(pa.record_batch(list(columns.values()), schema=schema))


def _require_kept(name: str, column: npt.NDArray[Any], strings: Sequence[str] | None) -> None:
    """Refuses a column that would come back as another one."""
    if column.ndim > 2:
        raise InputError(f"field {name}: has {column.ndim} dimensions, a store keeps two; give [n] or [n, d]")
    if column.dtype.kind == "f" and strings is None:
        return
    low, high = (column.min(), column.max()) if column.size else (0, 0)
    if column.dtype.kind not in "iu" or not _INT32.min <= low <= high <= _INT32.max:
        held = f"whole numbers from {low} to {high}" if column.dtype.kind in "iu" else f"an array of {column.dtype}"
        wanted = "whole numbers" if strings else "fractions, or whole numbers"
        raise InputError(f"field {name}: is {held}, where a store keeps {wanted} of 32 bits")
    if strings is not None and not 0 <= low <= high < len(strings):
        raise InputError(
            f"field {name}: has ids from {low} to {high}, and its vocabulary has {len(strings)} strings; a field of "
            "another vocabulary wants another name"
        )


def _lists(counts: IntArray, column: npt.NDArray[Any], strings: Sequence[str] | None) -> Any:
    """A column [n, ...] as one list a row: of int32, or of the column's own dtype where it holds fractions."""
    import pyarrow as pa

    values = pa.array(column.ravel() if column.dtype.kind == "f" else column.ravel().astype(np.int32))
    if strings is not None:
        values = pa.DictionaryArray.from_arrays(values, pa.array(strings, pa.string()))
    elif column.ndim == 2:
        values = pa.FixedSizeListArray.from_arrays(values, column.shape[1])
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), values)


class Shard:
    """An open shard of S sentences, whose columns lie in the file and are mapped into memory.

    Attributes:
        path: the file.
        about: what was said of the sentences when it was written.
        schema: the type of each column by its name.

    Raises:
        InputError: the file is missing, cut short, no shard, or one of another version.
    """

    def __init__(self, path: Path) -> None:
        import pyarrow as pa

        self.path = path
        try:
            file = pa.ipc.open_file(pa.memory_map(os.fspath(path)))
            metadata = (file.schema.metadata or {}).get(_METADATA)
            if metadata is None:
                raise InputError(f"{path}: an Arrow file, but no shard of dglsent; choose another folder")
            self._table: pa.RecordBatch = file.get_batch(0)
            self.about: dict[str, Any] = json.loads(metadata)
        except (pa.ArrowException, OSError, IndexError) as error:
            raise InputError(f"{path}: not a whole shard ({one_line(error)}); {AGAIN}") from None
        if self.about.get("version") != VERSION:
            raise InputError(
                f"{path}: a shard of version {self.about.get('version')}, this dglsent reads {VERSION}; build it again"
            )
        self.schema = {field.name: str(field.type) for field in file.schema}
        self._arrays: dict[str, Any] = {}

    def __reduce__(self) -> tuple[type[Shard], tuple[Path]]:
        """Processes open the file themselves."""
        return Shard, (self.path,)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def names(self, kind: str) -> list[str]:
        """The fields of a kind: "node", "edge", "pair" or "target"; levels and ends of edges are none."""
        own = (LEVEL, SRC, DST)
        return [name.partition(".")[2] for name in self.schema if name.startswith(f"{kind}.") and name not in own]

    def offsets(self, name: str) -> IntArray:
        """[S + 1] where each sentence's list begins among the `values` of a column."""
        key = f"{name} offsets"
        if key not in self._arrays:
            self._arrays[key] = self._table.column(name).offsets.to_numpy()
        found: IntArray = self._arrays[key]
        return found

    def values(self, name: str) -> Any:
        """The values of a column, [n] or [n, width] int32 or floats of lists; of plain columns [S]."""
        if name not in self._arrays:
            self._arrays[name] = self._mapped(name)
        return self._arrays[name]

    def _mapped(self, name: str) -> Any:
        import pyarrow as pa

        values = self._table.column(name)
        if pa.types.is_large_list(values.type):
            values = values.values
        if pa.types.is_dictionary(values.type):
            values = values.indices
        if pa.types.is_fixed_size_list(values.type):
            return values.values.to_numpy().reshape(-1, values.type.list_size)
        return values.to_numpy()

    def strings(self, name: str) -> list[str]:
        """The strings of a dictionary-encoded column, by id."""
        found: list[str] = self._table.column(name).values.dictionary.to_pylist()
        return found

    def classes(self, labels: Sequence[str]) -> IntArray | None:
        """The numbers among `labels` of the C classes of the shard, [C + 1]: the last is -1, where -1 looks it up.

        None where the classes of the shard are numbered as the corpus numbers them.
        """
        names = self.about["classes"]
        if names is None:
            return None
        number = {label: place for place, label in enumerate(labels)}
        return np.array([*(number[name] for name in names), -1], dtype=np.int64)

    def texts(self, name: str) -> list[Any]:
        """A plain column of strings, or of lists of them, [S]."""
        found: list[Any] = self._table.column(name).to_pylist()
        return found


AGAIN = "the same `dglsent build` command makes it again and keeps the others"
