"""A finished run as its files tell it, and the gates that training logged beside it."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from pandas import DataFrame

from dglsent.analysis.runs import encoder_options, fold_of, model_name, system
from dglsent.analysis.whole import whole
from graphs.errors import InputError

_AGAIN = "train the run again"


@dataclass(frozen=True)
class TrainedRun:
    """A finished run as its files tell it, without the model.

    Attributes:
        path: its folder.
        system: what it is a run of, such as "sst/tree-lstm".
        model: class of the encoder, and of the one that it is around.
        data: class of the corpus.
        seed: its seed.
        metrics: what `metrics.json` says.
        config: the resolved recipe.
        fold: on which part of the corpus it is tested; None where the corpus has a test split of its own.
    """

    path: Path
    system: str
    model: str
    data: str
    seed: int
    metrics: dict[str, Any]
    config: dict[str, Any]
    fold: int | None = field(default=None, kw_only=True)

    @classmethod
    def read(cls, path: Path) -> TrainedRun:
        """A run by its folder.

        Raises:
            InputError: it is not finished.
        """
        from dglsent.training.run import Run

        run = Run(path)
        if not run.metrics_file.is_file():
            raise InputError(f"{path}: the run has not finished; repeat its `dglsent fit`")
        metrics = run.metrics()
        try:
            config = yaml.safe_load(run.config_file.read_text(encoding="utf-8"))
            model, corpus = model_name(config["encoder"]), config["corpus"]["class_path"].rpartition(".")[2]
            return cls(path, system(path), model, corpus, int(config["seed"]), metrics, config, fold=fold_of(path))
        except (yaml.YAMLError, OSError, AttributeError, KeyError, TypeError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise InputError(f"{run.config_file}: not a resolved recipe ({reason}); {_AGAIN}") from None

    @property
    def encoder(self) -> dict[str, Any]:
        """The options of the encoder, by name."""
        return encoder_options(self.config)

    @cached_property
    def parameters(self) -> float:
        """How many weights the model has, word vectors left out; nan where the file of weights is not there."""
        from dglsent.training.run import Run

        file = Run(self.path).weights_file
        if not file.is_file():  # its scores are from a ledger
            return math.nan
        sizes = {name: math.prod(shape) for name, shape in whole(file, _shapes, _AGAIN).items()}
        words = {"encoder.embedding.weight", "encoder.structure.embedding.weight"}
        return sum(size for name, size in sizes.items() if name not in words)

    @property
    def about(self) -> dict[str, Any]:
        """What a result must say of it: its folder, system, model, data, seed, fold, recipe, code and version."""
        from dglsent.training.provenance import code_of

        made = self.metrics.get("provenance", {})
        names = ("system", "model", "data", "seed", *(() if self.fold is None else ("fold",)))
        about = {"path": str(self.path), **{name: getattr(self, name) for name in names}}
        made_of = {"recipe": made.get("recipe"), "version": made.get("version"), "code": code_of(self.metrics)}
        return {**about, **made_of, "config": self.config}


@dataclass(frozen=True)
class LoggedGates(TrainedRun):
    """A finished run, with what `dglsent fit --log-gates` wrote of it.

    Attributes:
        gates: a row a step, word, occurrence and offset.
        words: a row a word: word, count and classes in training.
    """

    gates: DataFrame
    words: DataFrame

    @classmethod
    def of(cls, run: TrainedRun) -> LoggedGates:
        """A run with its log.

        Raises:
            InputError: it has none, a damaged one, or gates that are nan.
        """
        if not _steps(run.path / "gates"):
            raise InputError(f"{run.path}: no gates were logged; train with `dglsent fit RECIPE --log-gates`")
        gates, words = whole(run.path / "gates", _logged, _AGAIN)
        broken = gates.step[gates.gate.isna()]
        if len(broken):
            raise InputError(f"{run.path}: gates of step {broken.iloc[0]} are nan; the run went wrong, train it again")
        own = {each.name: getattr(run, each.name) for each in fields(run)}
        return cls(**own, gates=gates, words=DataFrame(words))


def _shapes(file: Path) -> dict[str, Sequence[int]]:
    from safetensors import safe_open

    with safe_open(file, "numpy") as weights:
        return {name: weights.get_slice(name).get_shape() for name in weights.keys()}  # noqa: SIM118  no mapping


def _steps(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.parquet"))


def _logged(folder: Path) -> tuple[DataFrame, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    return pa.concat_tables([pq.read_table(file) for file in _steps(folder)]).to_pandas(), words
