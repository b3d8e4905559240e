"""Classes that recipes and run folders name: dglsent's own, and those of a program that registers them.

A run folder is data: to read one imports dglsent and nothing else. A program that brings an encoder, a task or a corpus
of its own registers the class, and run folders may then name it too.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from dglsent.names import HOMES

_Class = TypeVar("_Class", bound=type)

_classes: dict[str, type] = {}


def register(name: str) -> Callable[[_Class], _Class]:
    """Gives a class of your own a name for recipes and run folders.

    The class stands at the top of its module. Registered again under its name, as a notebook's cell does, the later
    class counts.

        @dglsent.register("pooled")
        class Pooled(Encoder): ...

    Raises:
        ValueError: the name is none or that of a class of dglsent, or the class is not one that can be found again.
    """
    if not isinstance(name, str):
        raise ValueError('register takes the name that the class is to have: @dglsent.register("pooled")')
    if not re.fullmatch(r"[A-Za-z][\w-]*", name):
        raise ValueError(f"{name!r} is no name for a class: a letter, then letters, digits, - and _")

    if name in HOMES:
        raise ValueError(f"{name!r} is a class of dglsent's own; choose another name")

    def keep(made: _Class) -> _Class:
        if not isinstance(made, type) or "<locals>" in made.__qualname__:
            raise ValueError(f"{name}: only a class at the top of its module can be registered")
        _classes[name] = made
        return made

    return keep


def registered(name: str) -> type | None:
    """The class of a name, or of the dotted path of a class that a program has registered."""
    if name in HOMES:
        found: type = getattr(importlib.import_module(HOMES[name]), name)
        return found
    return _classes.get(name) or next((each for each in _classes.values() if dotted(each) == name), None)


def moved(path: str) -> type | None:
    """The class of dglsent that once stood at a dotted path of dglsent."""
    package, _, name = path.rpartition(".")
    return registered(name) if package.startswith("dglsent.") and name in HOMES else None


def name_of(path: str) -> str:
    """The name of the class at a dotted path; the path itself where it has none."""
    module, _, name = path.rpartition(".")
    if HOMES.get(name) == module:
        return name
    return next((name for name, each in _classes.items() if dotted(each) == path), path)


def own_classes() -> Iterator[tuple[str, type]]:
    """The classes that a program has registered, with their names."""
    yield from _classes.items()


def listed() -> str:
    """The names that recipes may use, for help: corpora, graphs, encoders, tasks, and what a program has registered."""
    kinds = {"corpora": "corpus", "training": "graph", "models": "encoder", "tasks": "task"}
    lines = []
    for package, kind in kinds.items():
        names = [name for name, module in HOMES.items() if module.split(".")[1] == package]
        lines.append(f"{kind}: {', '.join(sorted(names, key=str.lower))}")
    lines += [f"registered: {name} ({dotted(made)})" for name, made in _classes.items()]
    return "\n".join(lines)


def dotted(made: type) -> str:
    """Where a class is found: its module and its name."""
    return f"{made.__module__}.{made.__qualname__}"
