"""The files that a recipe names, such as tables and vectors of one's own, and whether they are still what they were."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from jsonargparse import Namespace

from dglsent.training import recipe as recipes

_ENDS = 2**25  # bytes, at either end of a file, that are read: vectors are gigabytes


def hashes(config: Namespace) -> dict[str, str]:
    """Of each file that the corpus and the word vectors of a resolved recipe name by its path a hash, if it is there.

    That of a store is its manifest, which has the hashes of all its files. Corpora that are found in the data folder
    are published ones, and not looked at.
    """
    tree = yaml.safe_load(recipes.dump(config))
    named = [*_texts(tree["corpus"].get("init_args")), *_texts(tree["embedding"].get("vectors"))]
    found = {}
    for name in named:
        path = Path(name).expanduser()
        for file in (path, path / "manifest.json"):
            if file.is_file():
                found[name] = _hash(file)
    return found


def changed(file: Path, now: Mapping[str, str]) -> str | None:
    """A file that has another hash now than in what was saved; None where there is none, or nothing was saved."""
    try:
        then = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return next((name for name in now if name in then and then[name] != now[name]), None)


def _texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, Mapping):
        for part in tree.values():
            yield from _texts(part)
    elif isinstance(tree, list):
        for part in tree:
            yield from _texts(part)


def _hash(file: Path) -> str:
    size = file.stat().st_size
    sha = hashlib.sha256(str(size).encode())
    with file.open("rb") as opened:
        sha.update(opened.read(_ENDS))
        opened.seek(max(opened.tell(), size - _ENDS))
        sha.update(opened.read(_ENDS))
    return sha.hexdigest()
