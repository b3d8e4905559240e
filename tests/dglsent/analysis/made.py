"""Recordings and runs made by hand."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pandas import DataFrame

from dglsent.analysis.recording import Recording, begin, finish
from dglsent.analysis.trained_run import TrainedRun


def recording(
    folder: Path, *, system="corpus/model", seed=1, fold=None, fields=(), model="Model", encoder=(), **tables
) -> Recording:
    """A recording of some tables, as DataFrames; a column of rows of numbers becomes one of vectors."""
    path = folder / f"{system.replace('/', '-')}-{seed}{'' if fold is None else f'-{fold}'}"
    about = {"system": system, "seed": seed, "model": model, "data": "Corpus", "split": "test"}
    about["config"] = json.dumps({"encoder": {"class_path": model, "init_args": dict(encoder)}})
    about |= {} if fold is None else {"fold": fold}
    begin(path, {**about, "fields": list(fields), "tables": list(tables)})
    for name, table in tables.items():
        (path / name).mkdir()
        columns = {column: _column(values.tolist()) for column, values in table.items()}
        pq.write_table(pa.table(columns), path / name / "00000000.parquet")
    finish(path)
    return Recording(path)


def _column(values):
    if values and isinstance(values[0], list | np.ndarray):
        flat = np.array(values, dtype=np.float32)
        return pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1])
    return pa.array(values)


def pairs(gold, predicted, texts=None, **columns) -> DataFrame:
    """Examples of pairs."""
    texts = texts or [("a b", "c d")] * len(gold)
    return DataFrame(
        {
            "example": range(len(gold)),
            "id": [f"test-{number:03}" for number in range(len(gold))],
            "text": [text for text, _ in texts],
            "other": [other for _, other in texts],
            "gold": gold,
            "predicted": predicted,
            **columns,
        }
    )


def tree(example, rows) -> DataFrame:
    """Nodes of a tree: (node, parent, start, end, text, tag, gold)."""
    columns = ["node", "parent", "start", "end", "text", "tag", "gold"]
    return DataFrame(rows, columns=columns).assign(example=example, sentence=0, head=-2, dependency=None, predicted=0)


def words(example, text, heads, sentence=0) -> DataFrame:
    """Nodes of a sentence of words with their heads."""
    names = text.split()
    place = np.arange(len(names))
    return DataFrame(
        {
            "example": example, "sentence": sentence, "node": place, "parent": heads, "start": place, "end": place + 1,
            "text": names, "tag": "", "head": heads, "dependency": None, "gold": -1, "predicted": -1,
        }
    )  # fmt: skip


def dense(example, matrix, relation="complete", field="attention_1", sentence=0) -> DataFrame:
    """Edges of a matrix whose rows are receivers."""
    matrix = np.asarray(matrix, float)
    receiver, sender = (ends.ravel() for ends in np.indices(matrix.shape))
    return DataFrame(
        {
            "example": example, "relation": relation, "sentence": sentence, "sender": sender, "receiver": receiver,
            "slot": -1, field: matrix.ravel(),
        }
    )  # fmt: skip


def run(system, seed, test, dev=None, history=(), parameters=10, fold=None, encoder=(), task="Task") -> TrainedRun:
    """A finished run with some scores."""
    metrics = {"dev": dev or test, "test": test, "best_epoch": 1, "epochs": len(history), "history": list(history)}

    class Made(TrainedRun):
        @cached_property
        def parameters(self) -> float:
            return parameters

    path = Path(system) / f"seed-{seed}" / ("" if fold is None else f"fold-{fold}")
    config = {"encoder": {"class_path": "Model", "init_args": dict(encoder)}, "task": {"class_path": task}}
    return Made(path, system, "Model", "Corpus", seed, metrics, config, fold=fold)


def history(values) -> list[dict]:
    """Epochs with these dev accuracies."""
    return [{"epoch": n, "loss": 1.0, "dev": {"accuracy": value}} for n, value in enumerate(values, 1)]


def read(file: Path) -> dict:
    """A JSON file."""
    return json.loads(file.read_text(encoding="utf-8"))
