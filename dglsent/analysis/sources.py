"""Where an analysis finds its numbers: run folders, recordings made of them, gates that training logged."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pandas import DataFrame

from dglsent.analysis.catalogue import Analysis
from dglsent.analysis.recording import Recording
from graphs.errors import InputError

Say = Callable[[str], None]


@dataclass(frozen=True)
class TrainedRun:
    """A finished run as its files tell it, without the model.

    Attributes:
        path: its folder.
        system: what it is a run of, such as "sst/tree-lstm".
        model: class of the encoder.
        data: class of the corpus.
        seed: its seed.
        metrics: what `metrics.json` says.
        config: the resolved recipe.
    """

    path: Path
    system: str
    model: str
    data: str
    seed: int
    metrics: dict[str, Any]
    config: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> TrainedRun:
        """A run by its folder.

        Raises:
            InputError: it is not finished.
        """
        from dglsent.analysis.record import system

        file = path / "metrics.json"
        if not file.is_file():
            raise InputError(f"{path}: the run has not finished; repeat its `dglsent fit`")
        config = yaml.safe_load((path / "config.yaml").read_text(encoding="utf-8"))
        encoder, corpus = (config[key]["class_path"].rpartition(".")[2] for key in ("encoder", "corpus"))
        metrics = json.loads(file.read_text(encoding="utf-8"))
        return cls(path, system(path), encoder, corpus, int(config["seed"]), metrics, config)

    @property
    def parameters(self) -> int:
        """Weights, those of words left out."""
        from safetensors import safe_open

        with safe_open(self.path / "weights.safetensors", "numpy") as weights:
            shapes = {name: weights.get_slice(name).get_shape() for name in weights.keys()}  # noqa: SIM118  no mapping
        sizes = {name: int(_product(shape)) for name, shape in shapes.items()}
        return sum(size for name, size in sizes.items() if "embedding.weight" not in name or "tag" in name)

    @property
    def about(self) -> dict[str, Any]:
        """What a result must say of it."""
        return {
            "path": str(self.path),
            "system": self.system,
            "model": self.model,
            "data": self.data,
            "seed": self.seed,
        }


def folders(paths: Sequence[str | Path]) -> list[Path]:
    """Runs and recordings named, and those in folders named: their own, or one for each seed.

    Raises:
        InputError: a folder holds none.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        inside = [path] if _is_one(path) else sorted((f for f in path.glob("*") if _is_one(f)), key=_order)
        if not inside:
            raise InputError(f"{path}: neither a run nor a recording there, nor folders of them")
        found += inside
    return found


def trained_runs(paths: Sequence[str | Path]) -> list[TrainedRun]:
    """The finished runs of some folders.

    Raises:
        InputError: one is a recording, or not finished.
    """
    runs = []
    for path in folders(paths):
        if (path / "recording.json").is_file():
            raise InputError(f"{path}: a recording; this analysis reads the scores of run folders")
        runs.append(TrainedRun.read(path))
    return runs


def recordings(
    analysis: Analysis,
    paths: Sequence[str | Path],
    out: Path,
    *,
    split: str,
    data: Path | None,
    trusted: bool,
    say: Say,
) -> list[Recording]:
    """The recordings of some folders; those of runs are made under `out`, once."""
    found = []
    for path in folders(paths):
        if (path / "recording.json").is_file():
            found.append(Recording(path))
            continue
        from dglsent.analysis.record import record, system

        what = "+".join(re.sub(r"\W", "", field) for field in analysis.fields) or "+".join(analysis.tables)
        name = re.sub(r"[^\w-]", "-", f"{system(path)}-{path.name}-{split}-{what}")
        made = record(
            path,
            out / name,
            split=split,
            fields=list(analysis.fields),
            tables=analysis.tables,
            data=data,
            trusted=trusted,
            say=say,
        )
        found.append(Recording(made))
    return found


def _is_one(path: Path) -> bool:
    return (path / "recording.json").is_file() or (path / "config.yaml").is_file()


def _order(path: Path) -> tuple[str, int]:
    number = re.search(r"\d+$", path.name)
    return path.name[: number.start()] if number else path.name, int(number[0]) if number else 0


def _product(shape: Sequence[int]) -> int:
    total = 1
    for size in shape:
        total *= size
    return total


@dataclass(frozen=True)
class LoggedGates:
    """What `dglsent fit --log-gates` wrote of a run.

    Attributes:
        path: the run's folder.
        system: what it is a run of.
        model: class of the encoder.
        data: class of the corpus.
        seed: its seed.
        gates: a row a step, word, occurrence and offset.
        words: a row a word: word, count and classes in training.
    """

    path: Path
    system: str
    model: str
    data: str
    seed: int
    gates: DataFrame
    words: DataFrame

    @classmethod
    def read(cls, path: Path) -> LoggedGates:
        """The log of a run.

        Raises:
            InputError: it has none.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        run = TrainedRun.read(path)
        files = sorted((path / "gates").glob("step-*.parquet"))
        if not files:
            raise InputError(f"{path}: no gates were logged; train with `dglsent fit RECIPE --log-gates --out ...`")
        words = json.loads((path / "gates" / "words.json").read_text(encoding="utf-8"))
        gates = pa.concat_tables([pq.read_table(file) for file in files]).to_pandas()
        return cls(path, run.system, run.model, run.data, run.seed, gates, DataFrame(words))

    @property
    def about(self) -> dict[str, Any]:
        """What a result must say of it."""
        return {
            "path": str(self.path),
            "system": self.system,
            "model": self.model,
            "data": self.data,
            "seed": self.seed,
        }
