"""Classes of one's own that a run folder may name.

A run folder is data: to read one imports dglsent and nothing else. A program that brings an encoder, a task or a corpus
of its own registers the class, and run folders may then name it too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

_Class = TypeVar("_Class", bound=type)

_classes: dict[str, type] = {}


def register(name: str) -> Callable[[_Class], _Class]:
    """Gives a class of your own a name for recipes and run folders.

    The class stands at the top of its module. Registered again under its name, as a notebook's cell does, the later
    class counts.

        @dglsent.register("pooled")
        class Pooled(Encoder): ...

    Raises:
        ValueError: the name is none, or the class is not one that can be found again.
    """
    if not re.fullmatch(r"[A-Za-z][\w-]*", name):
        raise ValueError(f"{name!r} is no name for a class: a letter, then letters, digits, - and _")

    def keep(made: _Class) -> _Class:
        if not isinstance(made, type) or "<locals>" in made.__qualname__:
            raise ValueError(f"{name}: only a class at the top of its module can be registered")
        _classes[name] = made
        return made

    return keep


def registered(name: str) -> type | None:
    """The class of a name, or of the dotted path of a registered class."""
    return _classes.get(name) or next((each for each in _classes.values() if dotted(each) == name), None)


def name_of(path: str) -> str:
    """The name under which the class of a dotted path is registered; the path itself where it is not."""
    return next((name for name, each in _classes.items() if dotted(each) == path), path)


def dotted(made: type) -> str:
    """Where a class is found: its module and its name."""
    return f"{made.__module__}.{made.__qualname__}"
