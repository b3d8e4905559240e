"""The files of recipes: those that come with the package, by name, and a user's own."""

from __future__ import annotations

import shlex
from functools import cache
from importlib import resources
from pathlib import Path

from dglsent.near import near
from graphs.errors import InputError

CONFIG = "config.yaml"
"""What a run folder calls its resolved recipe."""


def names() -> list[str]:
    """The recipes that come with the package, as `corpus/system`; not those that are but bases of others."""
    return [name for name in _files() if not name.partition("/")[2].startswith("_")]


def description(name: str) -> str:
    """The first comment line of a recipe that comes with the package."""
    first = (folder() / f"{name}.yaml").read_text(encoding="utf-8").partition("\n")[0]
    return first[1:].strip() if first.startswith("#") else ""


def find(recipe: str) -> Path:
    """The file of a recipe.

    Args:
        recipe: a name `corpus/system`, or the path of a YAML file.

    Raises:
        InputError: there is no such recipe; near names are said.
    """
    if recipe in _files():
        return folder() / f"{recipe}.yaml"
    if Path(recipe).is_file():
        return Path(recipe)
    if Path(recipe).is_dir():
        own = Path(recipe) / CONFIG
        if own.is_file():
            again = shlex.join(["dglsent", "fit", str(own), "--out", str(recipe)])
            raise InputError(f"{recipe}: is a run folder; `{again}` goes on with it")
        raise InputError(f"{recipe}: is a folder; a recipe is a name, of which `dglsent recipes` has a list, or a file")
    if recipe.endswith((".yaml", ".yml")):
        raise InputError(f"{recipe}: no such file")
    raise InputError(f"no recipe {recipe!r}; {near(recipe, names(), '`dglsent recipes` lists them')}")


def read(file: Path) -> str:
    """The text of a recipe.

    Raises:
        InputError: it cannot be read, or is not UTF-8.
    """
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}); name a recipe in YAML") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: not UTF-8 text ({error.reason}); convert it to UTF-8") from None


@cache
def _files() -> tuple[str, ...]:
    return tuple(sorted(path.relative_to(folder()).with_suffix("").as_posix() for path in folder().glob("*/*.yaml")))


def folder() -> Path:
    """Where the recipes lie that come with the package."""
    return Path(str(resources.files("dglsent"))) / "recipes"
