"""A recipe as options change it, such as `--encoder.hidden 3`, and the options as jsonargparse reads them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml
from jsonargparse import Namespace

from dglsent.training.class_paths import ARGUMENTS


def with_options(recipe: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """A recipe as options such as `--encoder.hidden 3` change it, as far as `class_paths.checked` needs to know."""
    changed = copy.deepcopy(dict(recipe))
    for option, text in _options(overrides[:-1] if overrides and _asks(overrides[-1]) else overrides):
        try:
            value = yaml.safe_load(text)
        except (yaml.YAMLError, ValueError, RecursionError):
            value = text
        *above, last = _parts(option)
        place = changed
        for part in above:
            place = _below(place, part)
        _put(place, last, value)
    return changed


def spelled_out(overrides: Sequence[str], given: Mapping[str, Any], checked: Mapping[str, Any]) -> list[str]:
    """Options with the dotted paths of classes for their names, as jsonargparse reads them.

    A last `--encoder.help` without a class asks for the help of the recipe's own.

    Args:
        overrides: the options.
        given: a recipe as they change it (`with_options`).
        checked: the same after `class_paths.checked`.
    """
    result = list(overrides)
    for option, text in _options(overrides):
        before, after = (_at(recipe, option) for recipe in (given, checked))
        if before == after:
            continue
        if isinstance(after, Mapping) and not text.lstrip().startswith("{"):
            after = after["class_path"]
        said = after if isinstance(after, str) else json.dumps(after)
        for place, each in enumerate(overrides):
            if each == f"--{option}={text}":
                result[place] = f"--{option}={said}"
            elif each == text and place and overrides[place - 1] == f"--{option}":
                result[place] = said
    if result and _asks(result[-1]):
        own = _at(checked, result[-1].removeprefix("--"))
        result += [own["class_path"]] if isinstance(own, Mapping) and "class_path" in own else []
    return result


def _asks(argument: str) -> bool:
    """Whether an argument, the last, asks for help of the class that a recipe has."""
    return argument.startswith("--") and argument.endswith(".help")


def written(recipe: Mapping[str, Any], config: Namespace, overrides: Sequence[str]) -> Namespace:
    """A resolved recipe without the defaults of classes in whose place options may put others.

    Args:
        recipe: what was said of it.
        config: the same with all defaults written out; it is changed.
        overrides: the options.
    """
    for option, _ in _options(overrides):
        option = option.removesuffix(".class_path")
        said = _at(recipe, option)
        if isinstance(said, Mapping) and "class_path" in said:
            place = _at(config, option)
            given, filled = said.get("init_args") or {}, vars(place.get("init_args", Namespace()))
            place.init_args = Namespace({name: value for name, value in filled.items() if name in given})
    return config


def _at(place: Any, option: str) -> Any:
    """What stands at an option's place in a recipe, be it resolved or not; None where nothing does."""
    for part in _parts(option):
        if not isinstance(place, Mapping | Namespace):
            return None
        if "class_path" in place and part not in ("class_path", *ARGUMENTS):
            place = place.get("init_args") or {}
        place = place.get(part)
    return place


def _parts(option: str) -> list[str]:
    return option.rstrip("+").removesuffix(".help").split(".")


def _options(overrides: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options among arguments, with their values."""
    for place, argument in enumerate(overrides):
        if argument.startswith("--"):
            option, given, text = argument[2:].partition("=")
            after = overrides[place + 1] if place + 1 < len(overrides) else ""
            yield option, text if given else after


def _below(place: dict[str, Any], part: str) -> dict[str, Any]:
    """The mapping under a key, made where there is none; a class that is named alone becomes one."""
    place = _holder(place, part)
    old = place.get(part)
    found: dict[str, Any] = {"class_path": old} if isinstance(old, str) else old if isinstance(old, dict) else {}
    place[part] = found
    return found


def _put(place: dict[str, Any], part: str, value: Any) -> None:
    """Puts a value under a key; the name of another class leaves the arguments of the one before."""
    place = _holder(place, part)
    old = place.get(part)
    place[part] = {**old, "class_path": value} if isinstance(old, dict) and isinstance(value, str) else value


def _holder(place: dict[str, Any], part: str) -> dict[str, Any]:
    """The mapping that has a key: of a class its arguments, but for what stands beside these."""
    inside = "class_path" in place and part not in ("class_path", *ARGUMENTS)
    return _below(place, "init_args") if inside else place
