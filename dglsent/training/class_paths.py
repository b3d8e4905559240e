"""The classes that a recipe names are looked at before jsonargparse sees them.

jsonargparse calls what stands at a dotted path, a function too, wherever a parameter takes something callable. So each
path is first found here: it is a class, and one of the kind that its place is for.
"""

from __future__ import annotations

import collections.abc
import importlib
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, TypeAlias, get_args, get_origin

from dglsent import registry
from dglsent.names import HOMES
from dglsent.near import near
from dglsent.training.parameters import Function, arguments_of, kinds_of, words_of
from dglsent.training.parser_errors import KEYS
from graphs.errors import InputError

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")
_folders: dict[str, None] = {}  # each once, in order
_REGISTER = "if you know where the folder comes from, --trust imports it, in Python trusted=True"
_OWN = "`dglsent recipes --classes` lists dglsent's; name one of your own with its module, as mine.Encoder"
ARGUMENTS = ("init_args", "dict_kwargs")


Trusted: TypeAlias = bool | Collection[str]
"""Whether classes are imported that are neither of dglsent nor registered, or which of them."""


def checked(value: Any, declared: Any, *, trusted: Trusted, key: str = "") -> Any:
    """What a recipe says, with the dotted paths of registered classes for their names.

    Args:
        value: the whole recipe, or a part of it.
        declared: the type of the parameter that it is for.
        trusted: which classes may be imported.
        key: where it stands, for errors.

    Raises:
        InputError: something named is no class of the kind that its place is for, or may not be imported; an argument
            stands beside a class; or a class, or a file, is named where there are only keys.
    """
    kinds, words = list(kinds_of(declared)), list(words_of(declared))
    said = value.get("class_path", "") if isinstance(value, Mapping) else value
    if words and kinds and said != "":
        if said in words:
            return said
        if not isinstance(said, str) or ("." not in said and registry.registered(said) is None):
            raise InputError(f"{key}: {said!r} is none of {', '.join(map(repr, words))}, and no class")
    if said != "" and is_dataclass(declared) and declared.__module__.startswith("dglsent."):
        # Options of dglsent's own, such as `optimiser`: no class of another takes their place.
        raise InputError(f"{key}: expected keys with values, not {said!r}; {KEYS}")
    if isinstance(value, str):
        if not kinds:
            return value
        return registry.dotted(_taking(declared, find(value, kinds, trusted=trusted, key=key), key))
    if isinstance(value, list | tuple):
        return [checked(each, declared, trusted=trusted, key=key) for each in value]
    if not isinstance(value, Mapping):
        return value
    if "class_path" not in value:
        fields = {name: each for kind in kinds for name, each in arguments_of(kind).items()}
        return _arguments(value, fields, None if fields else declared, trusted, key)
    beside = next((name for name in value if name not in ("class_path", *ARGUMENTS)), None)
    if beside is not None:  # jsonargparse would call class_path an unknown key
        raise InputError(f"{key}.{beside}: stands beside class_path; put it under init_args")
    made = _taking(declared, find(value["class_path"], kinds, trusted=trusted, key=key), key)
    return {**_arguments(value, arguments_of(made), None, trusted, key), "class_path": registry.dotted(made)}


def find(path: Any, kinds: Sequence[type], *, trusted: Trusted, key: str) -> type:
    """The class at a dotted path, or of a registered name.

    Args:
        path: the path.
        kinds: of one of these it must be a subclass.
        trusted: as in `checked`.
        key: as in `checked`.

    Raises:
        InputError: it is none, or may not be imported.
    """
    found = registry.registered(path) if isinstance(path, str) else None
    if found is None:
        if not isinstance(path, str) or not _DOTTED.fullmatch(path):
            known = [*HOMES, *(name for name, _ in registry.own_classes())]
            meant = near(str(path), known, "", closely=True)
            remedies = [meant or _OWN] if trusted else [_REGISTER, meant]
            raise InputError(
                "; ".join([f"{key}: {path!r} is no class of dglsent, nor registered", *filter(None, remedies)])
            )
        if not (may_import(path, trusted) or path.startswith("dglsent.")):
            raise InputError(
                f"{key}: {path} is neither of dglsent nor registered, and a run folder may name no other class; "
                f"{_REGISTER}"
            )
        found = _imported(path, key)
    if not isinstance(found, type) or not any(kind in found.__mro__ for kind in kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds if kind is not Function)
        raise InputError(f"{key}: {path} is no {f'subclass of {wanted}' if wanted else 'class that belongs here'}")
    return found


def _taking(declared: Any, made: type, key: str) -> type:
    """The class, if its first argument may be what a function in its place would be given, as the type declares.

    Raises:
        InputError: it is for something else, such as an option, which would be passed over.
    """
    given = get_args(declared)[0] if get_origin(declared) is collections.abc.Callable else None
    if not isinstance(given, list) or len(given) != 1 or not isinstance(given[0], type):
        return made
    name, taken = next(iter(arguments_of(made).items()), (None, None))
    if not isinstance(taken, type) or taken is Function or taken is Any:
        return made
    if not issubclass(given[0], taken) and (taken is bool or not issubclass(taken, given[0])):
        raise InputError(
            f"{key}: the first argument of {made.__name__} is {name} ({taken.__name__}), and dglsent gives it a value "
            f"of type {given[0].__name__}; put an argument for that in front"
        )
    return made


def may_import(path: str, trusted: Trusted) -> bool:
    """Whether a class that is neither of dglsent nor registered is among those that are trusted."""
    if isinstance(trusted, bool):
        return trusted
    return path in ((trusted,) if isinstance(trusted, str) else trusted)


def look_in(*folders: Path) -> None:
    """Has classes that are not of dglsent be looked for in folders too, after all other places.

    The path changes when the first such class is imported, and not before: what names classes of dglsent alone imports
    nothing that lies there.
    """
    _folders.update(dict.fromkeys(str(folder.resolve()) for folder in folders))


def _imported(path: str, key: str) -> Any:
    module, _, name = path.rpartition(".")
    if not path.startswith("dglsent."):
        sys.path.extend(folder for folder in _folders if folder not in sys.path)
        importlib.invalidate_caches()
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, SyntaxError, ValueError) as error:
        found = registry.moved(path)
        if found is None:
            lost = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
            hint = "; put its file into the working folder, or its folder on PYTHONPATH" if lost else ""
            raise InputError(f"{key}: no class {path!r} ({error}){hint}") from None
        return found


def class_paths(value: Any) -> Iterator[str]:
    """All that stands under `class_path` in a recipe."""
    if isinstance(value, Mapping):
        if "class_path" in value:
            yield str(value["class_path"])
        for each in value.values():
            yield from class_paths(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from class_paths(each)


def named(value: Any) -> Any:
    """A resolved recipe with the names of registered classes for their paths."""
    if isinstance(value, dict):
        return {
            key: registry.name_of(each) if key == "class_path" and isinstance(each, str) else named(each)
            for key, each in value.items()
        }
    return [named(each) for each in value] if isinstance(value, list) else value


def _arguments(
    given: Mapping[Any, Any], parameters: Mapping[str, Any], otherwise: Any, trusted: Trusted, key: str
) -> dict[Any, Any]:
    """Checks each argument; what a class does not take, jsonargparse refuses or passes over."""
    result: dict[Any, Any] = {}
    for name, each in given.items():
        below = f"{key}.{name}" if key else str(name)
        if name in ARGUMENTS:
            if each is not None and not isinstance(each, Mapping):
                raise InputError(f"{below}: a mapping of arguments is expected")
            result[name] = _arguments(each or {}, parameters, otherwise, trusted, key)
        elif name in parameters or otherwise is not None or None in parameters:
            result[name] = checked(each, parameters.get(name, otherwise), trusted=trusted, key=below)
        else:
            result[name] = each
    return result
