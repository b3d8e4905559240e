"""What the parameters of a class take, by their types: classes, words, or something else."""

from __future__ import annotations

import collections.abc
import enum
import inspect
import pathlib
import types
import typing
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

_BUILT_IN = ("builtins", "typing")  # of Python 3.11 on, Any is a class
_VALUES = (enum.Enum, pathlib.PurePath)


class Function:
    """What a parameter takes that is for a function: no class is of this kind."""


def kinds_of(declared: Any) -> Iterator[type]:
    """The classes of which a parameter of some type takes an instance, or something that makes one."""
    origin, arguments = get_origin(declared), get_args(declared)
    if origin is Annotated:
        yield from kinds_of(arguments[0])
    elif declared in (typing.Callable, collections.abc.Callable) or origin is collections.abc.Callable:
        yield from list(kinds_of(arguments[-1])) if arguments else ()
        yield Function
    elif origin is Union or isinstance(origin, type):
        for argument in arguments:
            yield from kinds_of(argument)
    elif isinstance(declared, type) and not (declared.__module__ in _BUILT_IN or issubclass(declared, _VALUES)):
        yield declared


def words_of(declared: Any) -> Iterator[str]:
    """The words that a parameter takes as they are, beside classes."""
    if get_origin(declared) is Literal:
        yield from (each for each in get_args(declared) if isinstance(each, str))
    elif get_origin(declared) in (Union, types.UnionType):
        for argument in get_args(declared):
            yield from words_of(argument)


def arguments_of(made: type) -> dict[Any, Any]:
    """The types of what a class is made of; with the key None where it takes more than that."""
    found: dict[Any, Any] = {}
    for each in made.__mro__:
        function = each.__dict__.get("__init__")
        if not inspect.isfunction(function):
            continue
        found.pop(None, None)
        for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
            if parameter.kind is parameter.VAR_KEYWORD:
                found[None] = None  # and so what the next class of the order takes
            else:
                found.setdefault(name, _evaluated(parameter.annotation, function.__globals__))
        if None not in found:
            break
    return found


def _evaluated(annotation: Any, names: dict[str, Any]) -> Any:
    if annotation is inspect.Parameter.empty:
        return Any
    holder = types.SimpleNamespace(__annotations__={"it": annotation})
    try:
        return typing.get_type_hints(holder, globalns=names)["it"]
    except (NameError, AttributeError, TypeError, SyntaxError):
        return Function  # a type that is known to type checkers alone: nothing can be named here
