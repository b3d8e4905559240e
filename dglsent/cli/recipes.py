"""`dglsent recipes`: what can be trained."""

from __future__ import annotations

from collections.abc import Sequence

from dglsent.cli.console import tell
from dglsent.cli.options import Parser


def make_parser() -> Parser:
    """The options."""
    parser = Parser("recipes", "List the recipes that come with dglsent, or show one as YAML.")
    parser.add_argument("recipe", metavar="RECIPE", nargs="?", help="name of the recipe to show")
    parser.add_argument("--resolved", action="store_true", help="show it with its bases and all defaults written out")
    parser.add_argument("--classes", action="store_true", help="list the classes that recipes may name instead")
    return parser


def main(arguments: Sequence[str]) -> int:
    """List the recipes, or print one."""
    parser = make_parser()
    options = parser.parse_args(arguments)

    if options.classes:
        if options.recipe or options.resolved:
            parser.error("--classes lists classes, and takes neither RECIPE nor --resolved")

        from dglsent import registry

        print(registry.listed())
        return 0

    from dglsent.training import recipe_files

    if options.recipe:
        text = recipe_files.read(recipe_files.find(options.recipe))
        tell(_resolved(options.recipe) if options.resolved else text, end="")
        return 0
    if options.resolved:
        parser.error("--resolved wants a RECIPE")
    names = recipe_files.names()
    width = max(map(len, names))
    for name in names:
        print(f"{name:<{width}}  {recipe_files.description(name)}")
    return 0


def _resolved(recipe: str) -> str:
    from dglsent.training import recipe as recipes
    from dglsent.training.chosen_recipe import load_recipe

    _, config = load_recipe(recipe)
    return recipes.head(config) + recipes.dump(config)
