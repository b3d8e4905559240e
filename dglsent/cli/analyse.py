"""`dglsent analyse`: the figures and tables of the papers, from runs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from dglsent.analysis.catalogue import ANALYSES, NAMES, Analysis, find
from dglsent.cli.console import say, tell
from dglsent.cli.options import Parser, add_data, add_trust, written

_EPILOGUE = """
A RUN is a folder that `dglsent fit` wrote, or one of several seeds; a TABLE one that `dglsent record` wrote. Several
systems may be given. Numbers are written as CSV and JSON, then figures of them as SVG and PNG.
`dglsent analyse NAME --help` says the options of an analysis.
"""


def make_parser() -> Parser:
    """The options."""
    parser = Parser("analyse", "Make a figure or table of the papers from runs: numbers first, then the picture.")
    parser.epilog = _EPILOGUE
    parser.add_argument("name", metavar="NAME", nargs="?", help="the analysis, such as tag-pairs or A1")
    parser.add_argument(
        "sources", metavar="RUN|TABLE", nargs="*", default=[], help="run folders, recordings, or folders of them"
    )
    parser.add_argument(
        "--list", action="store_true", help="list the analyses with their papers, and the runs that each is for"
    )
    parser.add_argument(
        "--out",
        type=written,
        metavar="DIR",
        default=Path("analyses"),
        help="folder of what it writes; analyses by default",
    )
    parser.add_argument(
        "--split",
        choices=("train", "dev", "test"),
        default="test",
        help="which split of runs is recorded; test by default",
    )
    add_data(parser)
    add_trust(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Analyse; prints the files written."""
    parser = make_parser()
    named = parser.parse_known_intermixed_args([each for each in arguments if each not in ("-h", "--help")])[0].name
    if named is not None and named.lower() not in NAMES:  # misspelt, or the value of an option that is not known yet
        named = next((each for each in arguments if each.lower() in NAMES), named)
    if named is not None:
        _add_options(parser, find(named))
    options = parser.parse_args(arguments)
    if options.list:
        _list()
        return 0
    if options.name is None:
        parser.error("name an analysis; --list lists them")
    analysis = find(options.name)
    if not options.sources:
        parser.error(f"{analysis.name} wants runs or recordings")

    from dglsent.analysis.analyse import analyse, options_of

    given = {name: getattr(options, name) for name in options_of(analysis)}
    files = analyse(
        analysis,
        options.sources,
        options.out,
        split=options.split,
        data=options.data,
        trusted=options.trust,
        options={name: value for name, value in given.items() if value is not None},
        say=say,
    )
    for file in files:
        tell(file)
    return 0


def _list() -> None:
    width = max(len(analysis.name) for analysis in ANALYSES)
    for paper, of_paper in groupby(ANALYSES, attrgetter("paper")):
        print(paper)
        for analysis in of_paper:
            print(f"  {analysis.code}  {analysis.name:<{width}}  {analysis.what}")
            print(f"{'':<{width + 8}}runs: {analysis.runs}")


def _add_options(parser: Parser, analysis: Analysis) -> None:
    from dglsent.analysis.analyse import options_of

    group = parser.add_argument_group(f"options of {analysis.name}")
    for name, (kind, default, what) in options_of(analysis).items():
        shown = what if default in ("", 0) else f"{what}; {default} by default"
        group.add_argument(f"--{name}", type=kind, metavar=kind.__name__.upper(), help=shown.replace("%", "%%"))
