"""The encoders and tasks of the recipes that come with the package, as raw recipes."""

from __future__ import annotations

from functools import cache
from typing import Any

from dglsent.training import bases
from dglsent.training import recipe as recipes


@cache
def merged() -> tuple[dict[str, Any], ...]:
    """All recipes, each put together with its bases; their options are not looked at, which takes longer."""
    files = [recipes.find(name) for name in recipes.names()]
    return tuple(bases.merge(bases.chain(file.read_text(), str(file), recipes._folder())) for file in files)


def encoder_of(known: dict[str, Any]) -> str:
    """The class of a recipe's encoder, and of the structure below it."""
    encoder = known["encoder"]
    parts = (encoder, encoder.get("init_args", {}).get("structure"))
    return "-".join(part["class_path"].rpartition(".")[2] for part in parts if part)


def task_of(known: dict[str, Any]) -> str:
    """The class of a recipe's task, and whether it has a CRF."""
    task = known["task"]
    return task["class_path"].rpartition(".")[2] + ("-CRF" if task.get("init_args", {}).get("crf") else "")
