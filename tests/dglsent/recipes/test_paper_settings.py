"""Every recipe has the settings of its paper or says in a comment that it departs from them, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from paper_settings import SETTINGS, Setting

from dglsent.reproduction import tables
from dglsent.training import bases, class_paths, recipe_files
from dglsent.training import recipe as recipes

# `# departs: KEY (paper VALUE): REASON`; its own value stands in the recipe.
FORM = re.compile(r"\s*# departs: (?P<key>[a-z_.]+) \(paper (?P<value>[^)]+)\): (?P<reason>\S.*)")
FOLDER = recipe_files.find("sick/tree-lstm").parents[1]
OPTIONS = {
    "embedding": recipes.EmbeddingOptions(),
    "optimiser": recipes.OptimiserOptions(),
    "training": recipes.TrainingOptions(),
}
FILES = sorted(FOLDER.glob("*/*.yaml"))


@cache
def rows() -> list[tuple[str, str]]:
    """Papers and their recipes."""
    return sorted(
        {
            (row.paper.rpartition(", table")[0] or row.paper, row.recipe)
            for name in tables.names()
            for row in tables.load(name).rows
            if row.recipe
        }
    )


@cache
def layers(recipe: str) -> list[bases.Layer]:
    file = recipe_files.find(recipe)
    return bases.chain(file.read_text(), str(file))


@cache
def merged(recipe: str) -> dict[str, Any]:
    return bases.merge(layers(recipe))


def value(known: Any, parts: list[str], default: Any) -> Any:
    """What a recipe says of a key; where it says nothing, what the class that it names takes, or the options' own."""
    for part in parts:
        said = known if isinstance(known, Mapping) else {}
        defaults: Any = default
        if "class_path" in said:
            made = class_paths.find(said["class_path"], [object], trusted=True, key="class_path")
            parameters = signature(made).parameters.items()
            defaults = SimpleNamespace(**{name: parameter.default for name, parameter in parameters})
            said = said.get("init_args") or {}
        default = getattr(defaults, part, None)
        known = said.get(part, default)
    return known


def found(recipe: str, key: str) -> Any:
    first, *rest = key.split(".")
    return value(merged(recipe).get(first, {}), rest, OPTIONS.get(first))


def comments(file: Path) -> Iterator[re.Match[str]]:
    for line in file.read_text().splitlines():
        if "departs:" in line:
            said = FORM.fullmatch(line)
            assert said, f"{file}: {line.strip()!r} is not `# departs: KEY (paper VALUE): REASON`"
            yield said


def departures(recipe: str) -> set[tuple[str, str]]:
    """Keys and values of the papers that a recipe, or one that it builds on, says it departs from."""
    return {(said["key"], said["value"]) for layer in layers(recipe) for said in comments(Path(layer.source))}


@cache
def mismatches() -> list[tuple[str, Setting, Any]]:
    """Recipes whose value of a setting is not that of their paper."""
    values = [
        (recipe, setting, found(recipe, setting.key))
        for paper, recipe in rows()
        for setting in SETTINGS
        if setting.holds_for(paper, recipe)
    ]
    return [(recipe, setting, ours) for recipe, setting, ours in values if not setting.is_kept(ours)]


def told(setting: Setting) -> tuple[str, str]:
    return setting.key, str(setting.value)


def test_departures_are_told():
    missing = [
        f"{recipe}: {setting.key} is {ours!r}; say `# departs: {setting.key} (paper {setting.value}): why`"
        f" or take the paper's ({setting.says})"
        for recipe, setting, ours in mismatches()
        if told(setting) not in departures(recipe)
    ]
    assert missing == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(FOLDER).with_suffix("").as_posix())
def test_what_is_told_is_a_departure(file):
    departing = {
        told(setting)
        for recipe, setting, _ in mismatches()
        if any(Path(layer.source) == file for layer in layers(recipe))
    }
    for said in comments(file):
        assert (said["key"], said["value"]) in departing, f"{file}: no recipe departs so: {said[0].strip()}"


def test_every_setting_is_one_of_some_row():
    assert [setting for setting in SETTINGS if not any(setting.holds_for(*row) for row in rows())] == []


def test_a_value_is_that_of_the_recipe_or_the_default_of_its_class():
    assert found("pmb/lstm-word-dropout", "encoder.options.filter") == "ones"
    assert found("pmb/lstm-word-dropout", "encoder.options.cap_dim") == 5
    assert found("sick/dependency-progressive", "encoder.structure.hidden") == 150
    assert found("sick/dependency", "optimiser.momentum") == 0.0
    assert found("sick/dependency", "encoder.no_such_key") is None
