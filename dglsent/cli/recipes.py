"""`dglsent recipes`: what can be trained."""

from __future__ import annotations

from collections.abc import Sequence

from dglsent.cli.options import Parser


def main(arguments: Sequence[str]) -> int:
    """List the recipes, or print one."""
    parser = Parser("recipes", "List the recipes that come with dglsent, or show one as YAML.")
    parser.add_argument("recipe", metavar="RECIPE", nargs="?", help="name of the recipe to show")
    options = parser.parse_args(arguments)

    from dglsent.training import recipe as recipes

    if options.recipe:
        print(recipes.find(options.recipe).read_text(encoding="utf-8"), end="")
        return 0
    names = recipes.names()
    width = max(map(len, names))
    for name in names:
        print(f"{name:<{width}}  {recipes.description(name)}")
    return 0
