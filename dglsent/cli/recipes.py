"""`dglsent recipes`: what can be trained."""

from __future__ import annotations

from collections.abc import Sequence

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
        from dglsent import registry

        print(registry.listed())
        return 0

    from dglsent.training import recipe as recipes

    if options.recipe:
        file = recipes.find(options.recipe)
        text = recipes.read(file)
        print(recipes.dump(recipes.resolve(text, source=str(file))) if options.resolved else text, end="")
        return 0
    if options.resolved:
        parser.error("--resolved wants a RECIPE")
    names = recipes.names()
    width = max(map(len, names))
    for name in names:
        print(f"{name:<{width}}  {recipes.description(name)}")
    return 0
