"""What a run is made of: its recipe, and the code of this project that its training passed through."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path, PurePath
from typing import Any

from jsonargparse import Namespace

from dglsent.training import recipe as recipes
from dglsent.training.garbage_collection import collection_off
from dglsent.training.yaml_text import read_yaml
from dglsent.version import version

PACKAGES = (
    "graphs",
    "dglsent.passing",
    "dglsent.nn",
    "dglsent.models",
    "dglsent.tasks",
    "dglsent.corpora",
    "dglsent.training",
)
# What they hold that no number depends on: it draws, words errors, has Stanza parse text, of which training reads what
# was written, reads or refuses recipes, whose hash is kept as they are resolved, or reads and writes run folders
# and puts their scores together.
APART = (
    "graphs.bulk",
    "graphs.drawing",
    "graphs.errors",
    "graphs.networkx_bridge",
    "graphs.parse_cache",
    "graphs.parsing",
    "graphs.stanza_models",
    "graphs.stanza_pipeline",
    "graphs.tagging",
    "dglsent.training.bases",
    "dglsent.training.checks",
    "dglsent.training.chosen_recipe",
    "dglsent.training.class_paths",
    "dglsent.training.device_names",
    "dglsent.training.means",
    "dglsent.training.parameters",
    "dglsent.training.parser_errors",
    "dglsent.training.provenance",
    "dglsent.training.ranges",
    "dglsent.training.recipe_files",
    "dglsent.training.recipe_options",
    "dglsent.training.run",
    "dglsent.training.source_files",
    "dglsent.training.trial",
    "dglsent.training.yaml_text",
)
NAMES = "graphs"
"""The package whose own file has names for users alone: what training imports it takes from where they stand."""
# Options that are younger than recorded runs, and the value at which training is what it was without them.
LATER: Mapping[str, Mapping[str, Any]] = {"training": {"clip": None}, "corpus": {"score_range": "0-5"}}
MIXED = "changed while the run was interrupted"
_EMPTY = '["Module", {}]'
_ROOT = Path(__file__).parents[2]


def provenance(config: Namespace, code: Mapping[str, str]) -> dict[str, Any]:
    """What `metrics.json` says of a run.

    Args:
        config: its resolved recipe.
        code: hash of each module that it used.
    """
    import torch

    cpu = torch.backends.cpu.get_cpu_capability()  # of the vector instructions on which rounding depends
    return {"recipe": recipe_hash(config), "version": version(), "cpu": cpu, "code": dict(code)}


def recipe_hash(config: Namespace) -> str:
    """Hash of a resolved recipe; where on this machine its files lie does not count, and their names do."""
    return _hash_of_tree(recipes.tree(config))


def hash_of_text(text: str) -> str:
    """The hash that `recipe_hash` gives, of a recipe as `recipes.dump` writes it."""
    return _hash_of_tree(read_yaml(text))


def _hash_of_tree(tree: Mapping[str, Any]) -> str:
    return _hash(json.dumps(_placeless(without_later(tree)), sort_keys=True))


def without_later(options: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe's options without the younger ones that do nothing, as code that has none of these knows them."""
    made = dict(options)
    for part, younger in LATER.items():
        kept = _without(options[part], younger)
        arguments = _without(kept.pop("init_args", {}), younger)
        made[part] = {**kept, "init_args": arguments} if arguments else kept
    return made


def _without(options: Mapping[str, Any], younger: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in younger or value != younger[name]}


def _placeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _placeless(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_placeless(entry) for entry in value]
    return PurePath(value).name if isinstance(value, str) and PurePath(value).is_absolute() else value


def code_digest(hashes: Mapping[str, str]) -> str:
    """One hash of the hashes of modules, which tells one code from another."""
    return _hash(json.dumps(hashes, sort_keys=True))


def code_of(metrics: Mapping[str, Any]) -> str | None:
    """The hash of the code of a run with these `metrics.json`; None of one that does not say its code."""
    hashes = metrics.get("provenance", {}).get("code")
    return None if hashes is None else code_digest(hashes)


@collection_off()
def code_in_use(known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Hash of each module of `PACKAGES` that this process has imported.

    Args:
        known: hashes of modules that were in use earlier; they stay, as a file that was edited since is not what runs.
    """
    found = {name: code_hash(name) for name in sorted(sys.modules) if counts(name) and name not in (known or {})}
    return dict(sorted({**(known or {}), **{name: made for name, made in found.items() if made is not None}}.items()))


def code_hash(module: str) -> str | None:
    """Hash of a module's syntax tree without its docstrings, so that prose and layout do not count.

    Returns:
        None where there is no such module, or nothing in it.
    """
    file = _ROOT.joinpath(*module.split("."))
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    return _file_hash(file, file.stat().st_mtime_ns) if file.is_file() else None


@cache
def _file_hash(file: Path, changed: int) -> str | None:
    return source_hash(file.read_text(encoding="utf-8"))


def source_hash(source: str) -> str | None:
    """The hash that `code_hash` gives, of the text of a module; None where nothing is in it.

    Raises:
        SyntaxError: it is no Python.
    """
    text = _as_json(ast.parse(source))
    return None if text == _EMPTY else _hash(text)


def _as_json(node: Any) -> str:
    """A syntax tree as JSON; what `ast.unparse` and `ast.dump` write differs between versions of Python.

    It is written here and not by `json`, whose lists and dictionaries of all nodes take longer than the parser.
    """
    if isinstance(node, list):
        return f"[{', '.join(map(_as_json, node))}]"
    if not isinstance(node, ast.AST):
        return _quoted(repr(node))
    fields = []
    for name, value in ast.iter_fields(node):
        if name == "body" and isinstance(value, list):
            # A string that stands alone is a docstring, or has no effect either.
            value = [each for each in value if not (isinstance(each, ast.Expr) and _is_text(each.value))]
            value = value or ([] if isinstance(node, ast.Module) else [ast.Pass()])
        if isinstance(node, ast.JoinedStr):
            value = [each for each in value if not (_is_text(each) and not each.value)]  # Python 3.12 has empty ones
        if value is not None and value != []:  # fields that a version does not know are empty in those that do
            fields.append(f'"{name}": {_as_json(value)}')
    return f'["{type(node).__name__}", {{{", ".join(fields)}}}]'


@cache
def _quoted(text: str) -> str:
    return json.dumps(text)


def modules() -> list[str]:
    """All modules of `PACKAGES`, in use or not."""
    files = [file for package in PACKAGES for file in _ROOT.joinpath(*package.split(".")).rglob("*.py")]
    names = [".".join(file.relative_to(_ROOT).with_suffix("").parts).removesuffix(".__init__") for file in files]
    return sorted(name for name in names if counts(name))


@cache
def counts(module: str) -> bool:
    """Whether numbers depend on a module."""
    return _within(module, PACKAGES) and module != NAMES and not _within(module, APART)


def _within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
