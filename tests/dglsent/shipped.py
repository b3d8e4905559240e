"""The recipes that come with the package, by what their models are made of."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from families import merged

from dglsent.training import recipe_files


def first_of_each(kind: Callable[[dict[str, Any]], Hashable]) -> list[str]:
    """The name of the first recipe of each kind."""
    found: dict[Hashable, str] = {}
    for name, recipe in zip(recipe_files.names(), merged(), strict=True):
        found.setdefault(kind(recipe), name)
    return list(found.values())


def switches(recipe: dict[str, Any]) -> Hashable:
    """What decides which code a model runs: its graph, its classes and their arguments that are no numbers."""
    return repr([recipe["graph"], *(_switches(recipe[part]) for part in ("encoder", "task"))])


def classes(recipe: dict[str, Any]) -> Hashable:
    """Which classes its model is made of, and its graph."""
    return repr([recipe["graph"], *(sorted(_classes(recipe[part])) for part in ("encoder", "task"))])


def _switches(value: Any) -> Any:
    if isinstance(value, dict):
        return [(key, _switches(each)) for key, each in sorted(value.items())]
    if isinstance(value, list):
        return [_switches(each) for each in value]
    return value if isinstance(value, bool | str) else type(value).__name__


def _classes(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield from [each] if key == "class_path" else _classes(each)
