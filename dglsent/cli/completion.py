"""`dglsent completion`: a script by which a shell completes commands, options, recipes and files."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Sequence
from typing import Any

from dglsent.cli.options import Parser

_EPILOGUE = """
bash: the output as file dglsent in ~/.local/share/bash-completion/completions. zsh: as file _dglsent in a folder of
$fpath. To complete runs nothing of dglsent; make the script anew after an update.
"""

_FILES = {"FILE", "IN", "IN... OUT", "OUT", "RUN|TABLE"}
_FOLDERS = {"DIR", "RUN", "TABLE"}
_RECIPES = "_dglsent_recipes"


def make_parser() -> Parser:
    """The options."""
    parser = Parser("completion", "Print a script by which a shell completes dglsent's commands and their options.")
    parser.epilog = _EPILOGUE
    parser.add_argument("shell", choices=("bash", "zsh"), help="for which shell")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Print the script."""
    options = make_parser().parse_args(arguments)

    import shtab

    from dglsent.training import recipe_files

    names = " ".join(recipe_files.names())
    preamble: Any = {  # shtab says a string and takes both
        "bash": f'{_RECIPES}() {{ compgen -W "{names}" -- "$1"; compgen -f -- "$1"; }}',
        "zsh": f"{_RECIPES}() {{ compadd {names}; _files }}",
    }
    print(shtab.complete(_program(), shell=options.shell, root_prefix="dglsent", preamble=preamble))
    return 0


def _program() -> argparse.ArgumentParser:
    """All commands under one parser, each argument with what completes it."""
    from dglsent.analysis.catalogue import ANALYSES
    from dglsent.cli.main import COMMANDS
    from dglsent.reproduction import tables

    chosen = {("reproduce", "table"): tables.names(), ("analyse", "name"): [one.name for one in ANALYSES]}
    program = argparse.ArgumentParser("dglsent")
    program.add_argument("--version", action="store_true", help="print the version")
    commands = program.add_subparsers()
    for name, what in COMMANDS.items():
        made: Parser = importlib.import_module(f"dglsent.cli.{name}").make_parser()
        if name == "fit":
            _add_keys(made)
        for action in made._actions:
            _complete(action, chosen.get((name, action.dest)))
        commands.add_parser(name, help=what, parents=[made], add_help=False, conflict_handler="resolve")
    return program


def _add_keys(parser: argparse.ArgumentParser) -> None:
    """The keys of a recipe, which are options too."""
    from dglsent.training import recipe
    from dglsent.training.graphs import KINDS

    named = {"--graph": list(KINDS)}  # which may be a class of one's own, too
    taken = {option for action in parser._actions for option in action.option_strings}
    for key, choices in re.findall(r"^ +(?:-\w, )?(--[\w.]+)(?: \{([^}]*)\})?", recipe.usage(), re.MULTILINE):
        if key not in taken and not key.endswith(".help"):
            values = choices.split(",") if choices else named.get(key)
            parser.add_argument(key, choices=values, help="key of the recipe")


def _complete(action: argparse.Action, names: Sequence[str] | None) -> None:
    import shtab

    if names is not None:
        action.choices = list(names)
    elif action.metavar == "RECIPE":
        action.complete = {"bash": _RECIPES, "zsh": _RECIPES}  # type: ignore[attr-defined]
    elif action.metavar in _FILES or action.metavar in _FOLDERS:
        action.complete = shtab.FILE if action.metavar in _FILES else shtab.DIRECTORY  # type: ignore[attr-defined]
