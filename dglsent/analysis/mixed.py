"""Runs of one system that are not of one recipe: a mean over them is of no system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from dglsent.analysis.runs import called
from dglsent.analysis.trained_run import TrainedRun
from dglsent.training.class_paths import named

# What differs between the runs of one system: seeds and folds, and who makes the batches.
_OF_A_RUN = {"seed", "corpus.fold", "training.workers"}
_HEAD = {"version", "classes"}  # what stands above the recipe in a run folder


def mixed(sources: Sequence[Any]) -> list[str]:
    """A line on each run, or recording of one, that is not what the first of its system is, and in what it differs."""
    first: dict[str, Any] = {}
    lines = []
    for source in sources:
        of_system = first.setdefault(source.system, source)
        different = _difference(of_system, source)
        if different:
            lines.append(
                f"{called(source)}: {different}, unlike {called(of_system)}; what is said of {source.system} mixes both"
            )
    return lines


def _difference(one: Any, other: Any) -> str | None:
    """A key of the recipe, or a file that it names, in which two runs differ; older recipes may lack keys."""
    left, right = (dict(_keys(source.config)) for source in (one, other))
    then, now = (_files(source) for source in (one, other))
    for key in left:
        unlike = key in right and key not in _OF_A_RUN and left[key] != right[key]
        if unlike and _content(left[key], then) != _content(right[key], now):  # else a file that lies elsewhere
            return f"{key} is {right[key]}, not {left[key]}"
    return next((f"another {name}" for name in then if name in now and then[name] != now[name]), None)


def _content(value: Any, files: Mapping[str, str]) -> Any:
    """A value of a recipe, with the hashes of the files that it names for their paths."""
    if isinstance(value, list):
        return [_content(each, files) for each in value]
    return files.get(value, value) if isinstance(value, str) else value


def _files(source: Any) -> dict[str, str]:
    """Hashes of the files and of the code of one's own that the recipe of a run names; a recording has none."""
    from dglsent.training.run import Run
    from dglsent.training.source_files import saved

    return saved(Run(source.path).sources_file) if isinstance(source, TrainedRun) else {}


def _keys(config: Any) -> Iterator[tuple[str, Any]]:
    """The keys of a resolved recipe and their values, without its head; a part that is of a class has its name."""
    recipe = named(yaml.safe_load(config) if isinstance(config, str) else config)  # older ones have dotted paths
    for part, said in recipe.items():
        if part not in _HEAD:
            yield from _flat(said, part)


def _flat(said: Any, key: str) -> Iterator[tuple[str, Any]]:
    if not isinstance(said, dict):
        yield key, said
        return
    for name, value in said.items():
        yield from _flat(value, key if name in ("class_path", "init_args") else f"{key}.{name}")
