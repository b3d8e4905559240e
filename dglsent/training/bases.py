"""Recipes that build on others: `base: NAME` and what becomes of a chain of files.

The files of a chain are read base first, and later ones change earlier ones key by key. Where a class changes, those of
its arguments go that the new class does not take.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from dglsent.training import recipe_files
from dglsent.training.class_paths import find
from dglsent.training.parameters import arguments_of
from graphs.errors import InputError, one_line

KEY = "base"
_CLASSES = ("corpus", "encoder", "task")
_ODD = re.compile(r"[-+]?0[0-9xb_].*|.*:.*")  # octal, hexadecimal and binary, or of base 60


@dataclass(frozen=True, slots=True)
class Layer:
    """One file of a chain.

    Attributes:
        source: its path, for errors.
        keys: what it says, without `base`.
    """

    source: str
    keys: Mapping[str, Any]


def chain(text: str, source: str) -> list[Layer]:
    """A recipe and all that it builds on, base first.

    Args:
        text: its YAML.
        source: its file; a base is looked for beside it, then among the recipes with names.

    Raises:
        InputError: a file is not a mapping, or a base is missing or builds on what builds on it.
    """
    layers: list[Layer] = []
    files = [Path(source)]
    while True:
        keys = mapping(text, source)
        base = keys.pop(KEY, None)
        layers.insert(0, Layer(source, keys))
        if base is None:
            return layers
        file = _find(base, source)
        if any(file.resolve() == seen.resolve() for seen in files):
            raise InputError(f"{source}: base {base!r} builds on this file itself; a chain of bases must end")
        files.append(file)
        text, source = recipe_files.read(file), str(file)


def merge(layers: Sequence[Layer]) -> dict[str, Any]:
    """One recipe of a chain.

    Raises:
        InputError: a class cannot be imported, or one that another replaces had an argument that it does not take; or
            a class is not named.
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        merged = _over(merged, layer.keys, "", layers)
    for key in _CLASSES:
        if isinstance(merged.get(key), dict) and "class_path" not in merged[key]:
            raise InputError(
                f"{where(layers, key)}: {key}.class_path is missing; name a class there, and its arguments in init_args"
            )
    return merged


def where(layers: Sequence[Layer], key: str) -> str:
    """The last file of a chain that says something about a key such as `encoder.hidden`; the chain's own if none."""
    parts = key.split(".")
    return next((layer.source for layer in reversed(layers) if _says(layer.keys, parts)), layers[-1].source)


def mapping(text: str, source: str) -> dict[str, Any]:
    """The YAML of a recipe as it stands.

    Raises:
        InputError: it is no mapping, has a key twice, or a number of another base than ten.
    """
    try:
        loaded = yaml.load(text, _Loader)
    except _TwiceError as error:
        raise InputError(
            f"{source}:{error.line}: {error.key!r} stands there again; put what both say under one"
        ) from None
    except _OddNumberError as error:
        raise InputError(
            f"{source}:{error.line}: {error.text} is {error.value:g} in YAML; write {error.value:g}, or put text in "
            "quotes"
        ) from None
    except RecursionError:
        raise InputError(f"{source}: not a recipe (it is nested too deep)") from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"{source}: not YAML ({one_line(error)})") from None
    if not isinstance(loaded, dict):
        raise InputError(f"{source}: a recipe is a mapping of keys to values")
    return loaded


class _TwiceError(Exception):
    """A key of a mapping that stands in it already."""

    def __init__(self, key: str, line: int) -> None:
        self.key, self.line = key, line


class _OddNumberError(Exception):
    """A number that is not decimal, such as 010 or 1:30, where nobody expects one."""

    def __init__(self, text: str, value: float, line: int) -> None:
        self.text, self.value, self.line = text, value, line


class _Loader(yaml.SafeLoader):
    """The loader of `yaml.safe_load`, which of a key that stands twice would keep what is below.

    Nor does it take 010 for 8 and 1:30 for 90, as YAML 1.1 has it.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Refuses numbers of other bases than ten, and, by going deep at once, what holds itself."""
        value = super().construct_object(node, deep=True)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and isinstance(node, yaml.ScalarNode) and _ODD.fullmatch(node.value):
            raise _OddNumberError(node.value, value, node.start_mark.line + 1)
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Refuses a key that stands twice; one that is merged in may."""
        met: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                if key.value in met:
                    raise _TwiceError(key.value, key.start_mark.line + 1)
                met.add(key.value)
        return super().construct_mapping(node, deep)


def _find(base: Any, source: str) -> Path:
    if isinstance(base, str) and base:
        beside, named = Path(source).parent / base, recipe_files.folder() / f"{base}.yaml"
        for file in (beside, Path(f"{beside}.yaml"), named):
            if file.is_file():
                return file
    raise InputError(
        f"{source}: no base {base!r}; a base is a name corpus/system (`dglsent recipes`) or a file beside this one"
    )


def _over(below: Mapping[str, Any], above: Mapping[str, Any], path: str, layers: Sequence[Layer]) -> dict[str, Any]:
    """`below` as `above` changes it."""
    merged = dict(below)
    for key, value in above.items():
        old, here = below.get(key), f"{path}.{key}" if path else str(key)
        if isinstance(old, str) and isinstance(value, dict) and "init_args" in value and "class_path" not in value:
            old = {"class_path": old}
        if isinstance(old, dict):
            if isinstance(value, str) and "class_path" in old:
                value = {"class_path": value}
            if isinstance(value, dict):
                value = _over(_kept(old, value.get("class_path"), here, layers), value, here, layers)
        merged[key] = value
    return merged


def _kept(old: dict[str, Any], new_class: str | None, path: str, layers: Sequence[Layer]) -> dict[str, Any]:
    """What stays of a class and its arguments when another class takes its place."""
    old_class = old.get("class_path")
    if new_class is None or old_class is None or new_class == old_class:
        return old
    given: dict[str, Any] = old.get("init_args") or {}
    known, taken = (_arguments_of(name, path, layers) for name in (old_class, new_class))
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None and None not in known:
        raise InputError(
            f"{where(layers, f'{path}.{unknown}')}: unknown key '{path}.{unknown}'; {old_class} takes no such argument"
        )
    return {"init_args": {name: value for name, value in given.items() if name in taken}}


def _arguments_of(class_path: str, path: str, layers: Sequence[Layer]) -> Mapping[Any, Any]:
    try:
        return arguments_of(find(class_path, [object], trusted=True, key=path))
    except InputError as error:
        raise InputError(f"{where(layers, path)}: {error}") from None


def _says(keys: Any, parts: Sequence[str]) -> bool:
    if not parts:
        return True
    if not isinstance(keys, Mapping):
        return False
    return any(
        isinstance(level, Mapping) and parts[0] in level and _says(level[parts[0]], parts[1:])
        for level in (keys, keys.get("init_args"))
    )
