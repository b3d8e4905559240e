"""A recording on disk: its tables, and of which run, split and fields they are."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from pandas import DataFrame

from dglsent.analysis.recorded_columns import read_table
from dglsent.analysis.runs import called, encoder_options
from dglsent.analysis.whole import whole
from dglsent.json_text import dumps
from graphs.errors import InputError, check_kind
from graphs.files import is_part, replacing

TABLES = ("examples", "nodes", "edges")
_ABOUT = "recording.json"
_FORMAT, _VERSION = "dglsent recording", 1
_AGAIN = "record the run again"
_TOLD: Mapping[str, type] = {
    "finished": bool,
    **dict.fromkeys(("system", "model", "data", "split"), str),
    "seed": int,
    "config": str,
    **dict.fromkeys(("fields", "tables"), list),
}


class Recording:
    """What `record` wrote.

    Args:
        path: its folder.

    Attributes:
        about: all that is told of it.
        system: what its run is a run of, such as "sst/tree-lstm".
        model: class of the encoder.
        data: class of the corpus.
        split: "train", "dev", "test", or the files that are recorded.
        seed: seed of the run.
        fold: the fold of the run; None where that has none.
        config: its resolved recipe, as YAML.
        fields: what is recorded of nodes and edges.

    Raises:
        InputError: there is no whole recording, or something else than a path is given.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        check_kind(path, (str, os.PathLike), "name the folder that `dglsent record` wrote")
        self.path = Path(path)
        about = _read(self.path)
        if about is None:
            raise InputError(f"{self.path}: no recording there; make one with `dglsent record RUN --out {self.path}`")
        if not about["finished"]:
            raise InputError(f"{self.path}: the recording is not whole; repeat its `dglsent record`")
        self.about = about
        self.system: str = about["system"]
        self.model: str = about["model"]
        self.data: str = about["data"]
        self.split: str = about["split"]
        self.seed: int = about["seed"]
        self.fold: int | None = about.get("fold")
        self.config: str = about["config"]
        self.fields: list[str] = about["fields"]

    def __repr__(self) -> str:
        return f"<Recording {self.path}: {called(self)}, {self.split}, of {', '.join(self.fields) or 'no field'}>"

    @property
    def labels(self) -> Sequence[str]:
        """The names of the classes; empty where it predicts none."""
        return self.about.get("labels", ())

    @cached_property
    def encoder(self) -> dict[str, Any]:
        """The options of the encoder, by name."""
        return encoder_options(yaml.safe_load(self.config))

    @cached_property
    def examples(self) -> DataFrame:
        """A row an example, with its number as `example`."""
        return self._table("examples").to_pandas()

    @cached_property
    def nodes(self) -> DataFrame:
        """A row a node, by `example`, `sentence` and `node`, without fields that are vectors."""
        return _without_vectors(self._table("nodes"))

    @cached_property
    def edges(self) -> DataFrame:
        """A row an edge, from node `sender` to node `receiver`, which listens, of one `example` and `sentence`.

        Without fields that are vectors; empty where no edge field was recorded.
        """
        return _without_vectors(self._table("edges"))

    def vectors(self, table: str, name: str) -> np.ndarray[Any, Any]:
        """A field that is a vector, [rows, d] in the order of the rows of its table, "nodes" or "edges".

        Rows that have no such field, as edges of other relations, are nan.

        Raises:
            InputError: it is not recorded.
        """
        first = next((self.path / table).glob("*.parquet"), None)
        if first is None or name not in whole(first, pq.read_schema, _AGAIN).names:
            known = ", ".join(self.fields) or "none"
            raise InputError(f"{self.path}: the {table} have no field {name!r}; recorded are {known}")
        column = self._table(table, [name]).column(name)
        if not pa.types.is_fixed_size_list(column.type):
            return np.asarray(column)[:, None]
        return column.combine_chunks().flatten().to_numpy().reshape(-1, column.type.list_size)

    def label(self, number: float) -> str:
        """The name of a class; the number itself where there is none."""
        return self.labels[int(number)] if number in range(len(self.labels)) else f"{number:g}"

    def with_labels(self, table: DataFrame, *columns: str) -> DataFrame:
        """A table with the names of the classes whose numbers columns hold, such as `gold_label` of `gold`."""
        return table.assign(**{f"{column}_label": [*map(self.label, table[column])] for column in columns})

    def require(self, name: str) -> None:
        """Refuse a recording that lacks a field.

        Raises:
            InputError: it does.
        """
        if name not in self.fields:
            known = ", ".join(self.fields) or "none"
            raise InputError(f"{self.path}: field {name!r} is not recorded; recorded are {known}; choose another run")

    def require_tables(self, *names: str) -> None:
        """Refuse a recording without examples, or one of which some tables were left out.

        Raises:
            InputError: it is one.
        """
        if self.examples.empty:
            raise InputError(f"{self.path}: has no examples; {_AGAIN}")
        for name in names:
            if name != "examples" and name not in self.about["tables"]:
                raise InputError(f"{self.path}: was recorded without its {name}; {_AGAIN}, with all tables")

    def require_pairs(self) -> None:
        """Refuse a recording of anything but pairs of sentences with a gold value and a prediction each.

        Raises:
            InputError: it is one.
        """
        if self.examples[["other", "gold", "predicted"]].isna().any(axis=None):
            what = "pairs with a gold value and a prediction each"
            raise InputError(f"{self.path}: not of {what}, which this reads; choose another run")

    @property
    def has_probabilities(self) -> bool:
        """Whether all its examples have the probabilities of classes."""
        return "probabilities" in self.examples and bool(self.examples.probabilities.map(len).all())

    @cached_property
    def of_classes(self) -> bool:
        """Whether its predictions are classes, and not scores.

        Classes are the likeliest by their probabilities; where these are not recorded, numbers of the labels.
        """
        predicted = self.examples.predicted.to_numpy(float)
        if self.has_probabilities:
            shares = self.examples.probabilities
            return all(share_of(each, number) == max(each) for each, number in zip(shares, predicted, strict=True))
        return bool(np.isin(predicted, range(len(self.labels))).all())

    def require_scores(self) -> None:
        """Refuse a recording of classes, whose numbers have no order.

        Raises:
            InputError: it is one.
        """
        if self.of_classes:
            names = f" ({', '.join(self.labels[:3])}{', …' * (len(self.labels) > 3)})" if self.labels else ""
            raise InputError(
                f"{self.path}: predicts classes{names}, and this wants scores (as of sick); choose another run"
            )

    def require_classes(self) -> None:
        """Refuse a recording of scores, of which none is ever exactly right.

        Raises:
            InputError: it is one.
        """
        if not self.of_classes:
            raise InputError(f"{self.path}: predicts scores, and accuracy wants classes (as of msrp); see length-bins")

    def _table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        files = sorted((self.path / name).glob("*.parquet"))
        if not files:
            if name == "nodes" and name in self.about["tables"] and len(self.examples):
                raise InputError(f"{self.path / name}: its files are gone; {_AGAIN}")
            return pa.table({})
        tables = [whole(file, partial(read_table, name, columns=columns), _AGAIN) for file in files]
        return pa.concat_tables(tables, promote_options="default")


def share_of(shares: Sequence[float], number: float) -> float:
    """The probability of a class; 0 of a number that is none."""
    return float(shares[int(number)]) if number in range(len(shares)) else 0.0


def require_same_examples(sources: Sequence[Recording]) -> None:
    """Refuse recordings of several splits, corpora or folds, whose examples cannot be compared one by one.

    Examples of every corpus may be called test-1, test-2 and so on, so that their gold values must be the same, too.

    Raises:
        InputError: they are.
    """
    first = sources[0]
    for source in sources[1:]:
        if source.fold != first.fold:
            raise InputError(f"{source.path}: of another fold than {first.path}; name runs of one fold")
        if not source.examples[["id", "gold"]].equals(first.examples[["id", "gold"]]):
            raise InputError(f"{source.path}: other examples than {first.path}; compare runs on one split")


def is_recording(path: Path) -> bool:
    """Whether a recording has at least begun in a folder."""
    return (path / _ABOUT).is_file()


def begin(path: Path, about: Mapping[str, Any]) -> bool:
    """Start a recording or go on with it; returns whether it is whole already.

    Raises:
        InputError: the folder holds another recording, or something else.
    """
    found = _read(path)
    if found is not None:
        # The same weights may be of a run that says of which code it is, and of one that does not.
        different = next((key for key in about if key != "code" and found.get(key) != about[key]), None)
        if different:
            raise InputError(
                f"{path}: holds a recording that differs in {different} "
                f"({_short(found.get(different))}, here {_short(about[different])}); delete it, or choose another --out"
            )
        return bool(found["finished"])
    if path.exists() and (not path.is_dir() or not all(map(is_part, path.iterdir()))):
        raise InputError(f"{path}: is not empty and no recording; choose another --out")
    path.mkdir(parents=True, exist_ok=True)
    _write(path, {"format": _FORMAT, "version_of_format": _VERSION, **about, "finished": False})
    return False


def finish(path: Path) -> None:
    """Say that a recording is whole."""
    _write(path, {**(_read(path) or {}), "finished": True})


def _read(path: Path) -> dict[str, Any] | None:
    if not is_recording(path):
        return None
    file = path / _ABOUT
    try:
        about: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if about["format"] != _FORMAT or about["version_of_format"] != _VERSION:
            raise ValueError("of another format")
        if missing := [name for name in _TOLD if name not in about]:
            raise ValueError(f"it lacks {missing[0]!r}")
        if strange := [name for name, kind in _TOLD.items() if not isinstance(about[name], kind)]:
            raise ValueError(f"{strange[0]!r} is of type {type(about[strange[0]]).__name__}")
        if not all(isinstance(each, str) for name in ("fields", "tables") for each in about[name]):
            raise ValueError("'fields' and 'tables' are not names")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{file}: not a recording of this version ({error}); {_AGAIN}") from None
    return about


def _write(path: Path, about: Mapping[str, Any]) -> None:
    with replacing(path / _ABOUT) as beside:
        beside.write_text(dumps(about, indent=2) + "\n", encoding="utf-8")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < 60 else text[:57] + "..."


def _without_vectors(table: pa.Table) -> DataFrame:
    kept = [field.name for field in table.schema if not pa.types.is_fixed_size_list(field.type)]
    return table.select(kept).to_pandas()
