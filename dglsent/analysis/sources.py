"""Where an analysis finds its numbers: run folders, and recordings that are made of them."""

from __future__ import annotations

import filecmp
import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dglsent.analysis.catalogue import Analysis
from dglsent.analysis.recording import Recording, is_recording
from dglsent.analysis.runs import called, name_of, which_run
from dglsent.analysis.trained_run import TrainedRun
from dglsent.training.recipe_files import CONFIG
from graphs.errors import InputError

if TYPE_CHECKING:
    from dglsent.training.fit import Say

_Source = TypeVar("_Source", bound="TrainedRun | Recording")


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
