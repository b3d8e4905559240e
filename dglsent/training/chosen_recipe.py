"""A recipe by the name or the file that somebody gives, with all that it brings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace

from dglsent.training import recipe as recipes
from dglsent.training import recipe_files
from dglsent.training.class_paths import look_in
from dglsent.training.run import register_named


def load_recipe(recipe: str, overrides: Sequence[str] = ()) -> tuple[str, Namespace]:
    """What the folder of a recipe's runs is called, and the recipe with all its defaults written out.

    Classes of one's own are looked for beside it and in the working folder; those that the head of a run's recipe names
    are registered.

    Args:
        recipe: a name `corpus/system`, or the path of a YAML file.
        overrides: options such as `--training.epochs 3`.

    Raises:
        InputError: there is no such recipe, or it cannot be used.
    """
    file = recipe_files.find(recipe)
    text = recipe_files.read(file)
    look_in(file.parent, Path.cwd())
    register_named(text, str(file))
    name = recipe if file != Path(recipe) else file.stem
    return name, recipes.resolve(text, overrides, source=str(file))
