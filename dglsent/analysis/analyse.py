"""Running an analysis: its sources are gathered, its tables written, and figures made of the tables alone."""

from __future__ import annotations

import importlib
import inspect
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_type_hints

from docstring_parser import parse
from pandas import DataFrame

from dglsent.analysis.catalogue import Analysis
from dglsent.analysis.mixed import mixed
from dglsent.analysis.sources import recordings, trained_runs
from dglsent.analysis.trained_run import LoggedGates
from dglsent.json_text import dumps
from dglsent.lock import locked
from graphs.errors import InputError
from graphs.files import replacing

if TYPE_CHECKING:
    from dglsent.training.fit import Say

_ROWS_IN_JSON = 2000
_WRITTEN = (".csv", ".txt", ".svg", ".png")
# What the numbers among options may be, of whatever analysis.
_LEAST = {"k": 1, "least": 1, "longest": 1, "permutations": 1, "dimension": 0, "c": 0, "long": 0, "top": 0, "purity": 0}
_SHARES = ("top", "purity")


def analyse(
    analysis: Analysis,
    paths: Sequence[str | Path],
    out: Path,
    *,
    split: str = "test",
    data: Path | None = None,
    trusted: bool = False,
    options: Mapping[str, Any] | None = None,
    say: Say = lambda line: None,
) -> list[Path]:
    """Makes the numbers and figures of an analysis.

    Args:
        analysis: which.
        paths: runs, recordings, or folders of them.
        out: numbers and figures go to the folder NAME in it, recordings of runs to `recordings`.
        split: of runs that are recorded.
        data: the data folder, for the same.
        trusted: whether those runs may name classes that are neither of dglsent nor registered.
        options: of its `tables`.
        say: what is told on the way.

    Returns:
        The files written.

    Raises:
        InputError: the runs do not have what the analysis reads, an option is out of its range, or another process
            writes the folder.
    """
    _in_range(options or {})
    with locked(out / analysis.name):
        sources: Sequence[Any]
        if analysis.reads == "runs":
            sources = trained_runs(paths)
        elif analysis.reads == "gates":
            sources = [LoggedGates.of(run) for run in trained_runs(paths)]
        else:
            sources = recordings(analysis, paths, out / "recordings", split=split, data=data, trusted=trusted, say=say)
        for line in mixed(sources):
            say(line)
        return _write(analysis, sources, out / analysis.name, options or {}, say)


def _write(
    analysis: Analysis, sources: Sequence[Any], folder: Path, options: Mapping[str, Any], say: Say
) -> list[Path]:
    module = importlib.import_module(analysis.module)
    made = module.tables(sources, **options)
    if not any(len(table) for table in made.values()):
        raise InputError(
            f"{analysis.name}: nothing to show of {len(sources)} runs; `dglsent analyse --list` says which it is for"
        )
    folder.mkdir(parents=True, exist_ok=True)
    empty = ", ".join(name for name, table in made.items() if table.empty)
    if empty:
        say(f"{analysis.name}: not written, as of these runs they have no rows: {empty}")
    usual = {name: option.default for name, option in options_of(analysis).items()}
    chosen = {**usual, **options}
    told = {name: value for name, value in chosen.items() if value or value != usual[name]}  # "" and 0 name nothing
    files = write_tables(made, folder)
    for name, text in (module.texts(made) if hasattr(module, "texts") else {}).items():
        files.append(folder / f"{name}.txt")
        with replacing(files[-1]) as beside:
            beside.write_text(text, encoding="utf-8")
    files += draw(analysis, made, folder, caption(analysis, sources, told), say)
    about = folder / f"{analysis.name}.json"
    for name in {*_written(about), *(f"{name}.csv" for name in made)} - {file.name for file in files}:
        (folder / name).unlink(missing_ok=True)  # of other runs
    write_about(analysis, made, about, sources, chosen, files)
    return [*files, about]


class Option(NamedTuple):
    """An option of an analysis.

    Attributes:
        type: int, float or str.
        default: what it is where nothing is said.
        what: what it is for.
    """

    type: type
    default: Any
    what: str


def options_of(analysis: Analysis) -> dict[str, Option]:
    """The options of an analysis: what its function `tables` takes beside the runs."""
    tables = importlib.import_module(analysis.module).tables
    hints = get_type_hints(tables)
    said = {each.arg_name: each.description or "" for each in parse(tables.__doc__ or "").params}
    parameters = inspect.signature(tables).parameters.items()
    return {
        name: Option(hints[name], each.default, said[name].rstrip("."))
        for name, each in parameters
        if each.kind is each.KEYWORD_ONLY
    }


def _in_range(options: Mapping[str, Any]) -> None:
    for name, value in options.items():
        low, share = _LEAST.get(name), name in _SHARES
        if low is not None and not low <= value <= (1 if share else math.inf):
            raise InputError(f"--{name} {value:g}: is not from {low}{' to 1' if share else ''}")


def write_tables(tables: Mapping[str, DataFrame], folder: Path) -> list[Path]:
    """Writes every table that has rows as CSV."""
    files = [folder / f"{name}.csv" for name, table in tables.items() if not table.empty]
    for file in files:
        with replacing(file) as beside:
            tables[file.stem].to_csv(beside, index=False, float_format="%.6g")
    return files


def write_about(
    analysis: Analysis,
    tables: Mapping[str, DataFrame],
    file: Path,
    sources: Sequence[Any],
    options: Mapping[str, Any],
    files: Sequence[Path],
) -> None:
    """Writes as JSON of what an analysis was made, the files that were written, and all tables of moderate size."""
    said = {
        "analysis": analysis.name,
        "code": analysis.code,
        "paper": analysis.paper,
        "shows": analysis.what,
        "options": options,
        "sources": [_about(source) for source in sources],
        "files": [each.name for each in files],
        "tables": {
            name: json.loads(table.to_json(orient="records", double_precision=8))
            for name, table in tables.items()
            if len(table) <= _ROWS_IN_JSON
        },
    }
    with replacing(file) as beside:
        beside.write_text(dumps(said, indent=1) + "\n", encoding="utf-8")


def _written(file: Path) -> set[str]:
    """The names of the files beside that the last call wrote; none where that cannot be known."""
    try:
        names = json.loads(file.read_text(encoding="utf-8"))["files"]
        return {name for name in names if Path(name).name == name and Path(name).suffix in _WRITTEN}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def draw(analysis: Analysis, tables: Mapping[str, DataFrame], folder: Path, caption: str, say: Say) -> list[Path]:
    """Writes the figures of some tables, as SVG and PNG, and tells which characters are boxes in the latter."""
    from dglsent.analysis.pictures import look, save

    files = []
    missing: set[str] = set()
    with look():
        figures = importlib.import_module(analysis.module).figures(tables)
    for name, figure in figures.items():
        drawn = figure.get_label()  # which of the runs, where it is not all
        missing |= save(figure, folder / f"{name}.svg", f"{caption} {drawn}".strip())
        files += [folder / f"{name}.svg", folder / f"{name}.png"]
    if missing:
        some = "".join(sorted(missing)[:20])
        say(f"{folder}: no installed font has {some!r}, boxes in the PNGs; install one that does, such as a Noto Sans")
    return files


def caption(analysis: Analysis, sources: Sequence[Any], options: Mapping[str, Any]) -> str:
    """Model, data, split, seeds and folds of what is shown, and the options; of many systems how many they are."""
    systems: dict[str, list[Any]] = {}
    for source in sources:
        systems.setdefault(source.system, []).append(source)
    parts = []
    for system, of_one in systems.items():
        seeds = sorted({source.seed for source in of_one})
        folds = sorted({source.fold for source in of_one} - {None})
        which = _listed("seed", seeds)
        which += f", {_listed('fold', folds)}" if folds else ""
        parts.append(f"{system} ({of_one[0].model}, {which})")
    shown = "; ".join(parts)
    if len(parts) > 8:
        seeds = sorted({source.seed for source in sources})
        shown = f"{len(parts)} systems, {len(sources)} runs, {_seeds(seeds)}"
    data = ", ".join(sorted({source.data for source in sources}))
    splits = {source.split for source in sources if hasattr(source, "split")}
    chosen = ", ".join(f"{name} {value}" for name, value in options.items())
    where = f"{data} {'/'.join(sorted(splits))}".strip()
    return f"{analysis.code} {analysis.name}. {where}: {shown}.{f' {chosen}.' if chosen else ''}"


def _listed(what: str, numbers: Sequence[int]) -> str:
    """Such as "seed 11" or "folds 1, 3"."""
    return f"{what}{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def _seeds(seeds: Sequence[int]) -> str:
    """As `_listed`, or "seeds 11 to 20" where none between is missing."""
    if len(seeds) < 3 or seeds[-1] - seeds[0] >= len(seeds):
        return _listed("seed", seeds)
    return f"seeds {seeds[0]} to {seeds[-1]}"


def _about(source: Any) -> dict[str, Any]:
    about = dict(source.about)
    about.setdefault("path", str(source.path))
    return {key: value for key, value in about.items() if key != "tables"}
