"""Where an analysis finds its numbers: run folders, recordings made of them, gates that training logged."""

from __future__ import annotations

import filecmp
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import yaml
from pandas import DataFrame

from dglsent.analysis.catalogue import Analysis
from dglsent.analysis.recording import Recording, is_recording
from dglsent.analysis.runs import called, encoder_options, fold_of, model_name, name_of, system, which_run
from dglsent.analysis.whole import whole
from dglsent.training.recipe_files import CONFIG
from graphs.errors import InputError

if TYPE_CHECKING:
    from dglsent.training.fit import Say

_AGAIN = "train the run again"
_Source = TypeVar("_Source", bound="TrainedRun | Recording")


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
            raise InputError(f"{run.config_file}: not a resolved recipe ({reason}); train the run again") from None

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


def folders(paths: Sequence[str | Path]) -> list[Path]:
    """Runs and recordings named, and those in folders named: their own, or one for each seed, or for its folds.

    Raises:
        InputError: a folder holds none.
    """
    found: list[Path] = []
    for path in map(Path, paths):
        inside = [path] if _is_one(path) else _inside(path)
        if not inside:
            raise InputError(f"{path}: neither a run nor a recording there, nor folders of them")
        found += inside
    return found


def trained_runs(paths: Sequence[str | Path]) -> list[TrainedRun]:
    """The finished runs of some folders; one that is named twice counts once.

    Raises:
        InputError: one is a recording, or not finished, or two are called alike and are not the same.
    """
    runs = []
    for path in folders(paths):
        if is_recording(path):
            raise InputError(f"{path}: a recording; this analysis reads the scores of run folders")
        runs.append(TrainedRun.read(path))
    return _each_once(runs, lambda one, other: one.metrics == other.metrics)


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
    """The recordings of some folders; those of runs are made under `out`, once. One that is named twice counts once.

    Raises:
        InputError: one lacks what the analysis reads, or two are called alike and are not the same.
    """
    found = []
    here = folders(paths)
    _refuse_namesakes([path for path in here if not is_recording(path)])
    for path in here:
        if is_recording(path):
            found.append(_usable(Recording(path), analysis))
            continue
        from dglsent.analysis.record import record
        from dglsent.analysis.rows import FieldError

        what = "+".join(re.sub(r"\W", "", field) for field in analysis.fields) or "+".join(analysis.tables)
        folder = re.sub(r"[^\w-]", "-", f"{name_of(path)}-{split}-{what}")
        try:
            made = record(
                path,
                out / folder,
                split=split,
                fields=list(analysis.fields),
                tables=analysis.tables,
                data=data,
                trusted=trusted,
                say=say,
            )
        except FieldError as error:
            raise InputError(f"{path}: {error}; choose another run") from None
        found.append(Recording(made))
    return _each_once(found, lambda one, other: _of_what(one) == _of_what(other))


def _usable(source: Recording, analysis: Analysis) -> Recording:
    """Refuses a recording whose tables are not all there; that it lacks fields the analysis tells, with its remedy."""
    of_its_fields = any(fnmatch(field, pattern) for field in source.fields for pattern in analysis.fields)
    source.require_tables(*(analysis.tables if of_its_fields else ()))
    return source


def _refuse_namesakes(runs: Sequence[Path]) -> None:
    """Refuses different runs whose recordings would have one name."""
    named: dict[str, Path] = {}
    for path in runs:
        first = named.setdefault(name_of(path), path)
        if first == path:
            continue
        from dglsent.training.run import Run

        one, other = Run(first).weights_file, Run(path).weights_file
        for file in (one, other):
            if not file.is_file():
                raise InputError(f"{file.parent}: has no weights to record; train the run again")
        if not filecmp.cmp(one, other, shallow=False):
            raise _called_alike(path, first, name_of(path))


def _of_what(source: Recording) -> list[Any]:
    return [source.about.get(name) for name in ("weights", "split", "examples")]


def _each_once(sources: Sequence[_Source], same: Callable[[_Source, _Source], bool]) -> list[_Source]:
    found: dict[tuple[Any, ...], _Source] = {}
    for source in sources:
        first = found.setdefault(tuple(which_run(source).values()), source)
        if not same(first, source):
            raise _called_alike(source.path, first.path, called(source))
    return list(found.values())


def _called_alike(path: Path, first: Path, name: str) -> InputError:
    return InputError(
        f"{path}: is not the same as {first}, and both are called {name}; analyse them apart, or rename the folder of "
        "one run (and record it again)"
    )


def _is_one(path: Path) -> bool:
    return is_recording(path) or (path / CONFIG).is_file()


def _inside(path: Path) -> list[Path]:
    """The runs and recordings in a folder; of seeds that have folds these."""
    folds = [one for one in path.glob("seed-*/fold-*") if re.fullmatch(r"seed-\d+", one.parent.name)]
    return sorted(
        filter(_is_found, [*path.glob("*"), *folds]), key=lambda one: [*map(_order, one.relative_to(path).parts)]
    )


def _is_found(path: Path) -> bool:
    """Whether a folder in one that is named is meant."""
    from dglsent.training.run import STALE, VERIFYING

    return _is_one(path) and path.suffix not in (STALE, VERIFYING)


def _order(part: str) -> tuple[str, int]:
    number = re.search(r"\d+$", part)
    return part[: number.start()] if number else part, int(number[0]) if number else 0


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
