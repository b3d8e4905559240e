"""What a recipe names of one's own, tables, vectors and classes, and whether it is still what it was."""

from __future__ import annotations

import hashlib
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from jsonargparse import Namespace

from dglsent.training import recipe as recipes
from dglsent.training.class_paths import class_paths, find
from dglsent.training.provenance import source_hash
from dglsent.training.words import vectors_file
from graphs.errors import InputError
from graphs.store import MANIFEST
from graphs.vocabulary import read_json

_ENDS = 2**25  # bytes, at either end of a file, that are read: vectors are gigabytes
_NOT_OWN = {"__main__", "dglsent", "graphs", *sys.stdlib_module_names}
_INSTALLED = {"site-packages", "dist-packages"}


def hashes(config: Namespace, data: Path | None = None) -> dict[str, str]:
    """Of each file that the corpus and the word vectors of a resolved recipe name by its path a hash, if it is there.

    And of the code of the recipe's classes, see `own_code`. That of a store is its manifest, which has the hashes of
    all its files. Corpora that are found in the data folder are published ones, and not looked at.

    Args:
        config: the recipe.
        data: the data folder, in which word vectors may lie too; None for that of the environment.
    """
    tree = recipes.tree(config, named=False)
    files = {}
    for name in _texts(tree["corpus"].get("init_args")):
        path = Path(name).expanduser()
        file = path / MANIFEST if path.is_dir() else path
        if file.is_file():
            files[name] = file
    for name in _texts(tree["embedding"].get("vectors")):
        with suppress(InputError):  # it is not there
            files[name] = vectors_file(name, data)
    return {name: _hash(file, file.stat().st_mtime_ns) for name, file in files.items()} | own_code(tree)


def own_code(tree: Any, *, packages: bool = True) -> dict[str, str]:
    """Hashes of the code of the classes in a recipe's tree that are neither of dglsent nor of an installed library.

    It is that of their modules; of a class in a notebook or a script, which has other code too, it is its own.

    Args:
        tree: the recipe's.
        packages: add all modules of the same package that are loaded so far, which may differ between processes.
    """
    classes = {made for path in class_paths(tree) for made in find(path, [object], trusted=True, key=path).__mro__}
    modules = {made.__module__ for made in classes if made.__module__.partition(".")[0] not in _NOT_OWN}
    modules = {module for module in modules if _own_file(module)}
    if packages:
        inside = tuple(f"{module.partition('.')[0]}." for module in modules if "." in module)
        modules |= {name for name in sys.modules if name.startswith(inside)}
    texts = {module: file.read_text(encoding="utf-8") for module in modules if (file := _own_file(module))}
    texts |= {made.__qualname__: _text(made) for made in classes if made.__module__ == "__main__"}
    found = {f"code of {name}": _source_hash(text) for name, text in sorted(texts.items())}
    return {name: made for name, made in found.items() if made is not None}


def require_code_of_store(config: Namespace) -> None:
    """Refuses a store whose graphs other code has made than the recipe's class has now.

    Raises:
        InputError: it is such a one.
    """
    tree = recipes.tree(config, named=False)
    if tree["corpus"]["class_path"] != "dglsent.corpora.stored.Stored":
        return
    store = Path(tree["corpus"]["init_args"]["store"]).expanduser()
    made_by = read_json(store / MANIFEST).get("code", {})
    now = own_code(tree["graph"], packages=False)
    different = next((name for name in now if name in made_by and made_by[name] != now[name]), None)
    if different is not None:
        raise InputError(f"{store}: {different} has changed since this store was built; build it in another folder")


def changed(file: Path, now: Mapping[str, str]) -> str | None:
    """What has another hash now than in what was saved; None where nothing has, or nothing was saved."""
    then = saved(file)
    return next((name for name in now if name in then and then[name] != now[name]), None)


def saved(file: Path) -> dict[str, str]:
    """The hashes that a run folder has; none of a run that names nothing of one's own, or is older than they are.

    Raises:
        InputError: the file is damaged.
    """
    if not file.is_file():
        return {}
    try:
        loaded = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        loaded = None
    if not isinstance(loaded, dict):
        raise InputError(
            f"{file}: damaged, and nothing else tells whether the files of the run have changed; delete it if they "
            "have not"
        )
    return loaded


def _texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, Mapping):
        for part in tree.values():
            yield from _texts(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _texts(part)


def _own_file(module: str) -> Path | None:
    """The file of a loaded module; None where it has none, or is installed."""
    file = Path(getattr(sys.modules.get(module), "__file__", None) or "")
    return file if file.suffix == ".py" and not _INSTALLED & set(file.parts) and file.is_file() else None


def _text(made: type) -> str:
    """The source of a class, or that of its methods, which alone a notebook can tell; "" where nothing can."""
    try:
        return inspect.getsource(made)
    except (OSError, TypeError):
        pass
    try:
        methods = [inspect.getsource(each) for each in vars(made).values() if inspect.isfunction(each)]
    except (OSError, TypeError):
        return ""
    return "class _:\n" + "\n".join(methods)


def _source_hash(source: str) -> str | None:
    try:
        return source_hash(source)
    except SyntaxError:  # a magic line of a notebook, or half a module that somebody edits
        return hashlib.sha256(source.encode()).hexdigest()


@cache
def _hash(file: Path, changed: int) -> str:
    size = file.stat().st_size
    sha = hashlib.sha256(str(size).encode())
    with file.open("rb") as opened:
        sha.update(opened.read(_ENDS))
        opened.seek(max(opened.tell(), size - _ENDS))
        sha.update(opened.read(_ENDS))
    return sha.hexdigest()
