"""`dglsent draw`: parsed sentences as SVG files, without a model."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dglsent.cli.console import complain, tell
from dglsent.cli.options import Parser, positive
from dglsent.cli.reading import guess, read, text_of
from dglsent.cli.taken_for_text import refuse_markup
from graphs.errors import InputError, SentenceError

if TYPE_CHECKING:
    from graphs.columns import Constituency, Dependencies
    from graphs.drawing import Svg

_EPILOGUE = """
Sentences are brackets or CoNLL-U, such as `dglsent parse` writes. DIR/NAME-0001.svg is the first sentence of FILE
NAME.brackets or NAME.conllu.gz; of a further file of that name the numbers go on. A sentence that cannot be drawn is
reported on standard error, and makes the exit code 2.
"""


def make_parser() -> Parser:
    """The options."""
    parser = Parser("draw", "Draw parsed sentences as SVG files.")
    parser.epilog = _EPILOGUE
    parser.add_argument(
        "files", metavar="FILE", nargs="*", default=[], help="parses (.gz too); standard input by default or for -"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=Path("drawings"), help="folder of the drawings; drawings by default"
    )
    parser.add_argument("--format", choices=("brackets", "conllu"), help="format of the input; found out by default")
    parser.add_argument("--limit", type=positive, metavar="N", help="only the first N sentences of each file")
    parser.add_argument("--compact", action="store_true", help="dependencies in rows; long sentences are always so")
    parser.add_argument(
        "--paper", choices=("light", "dark"), help="draw for light or for dark paper; by default each viewer chooses"
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    """Draw; prints the names of the files."""
    options = make_parser().parse_args(arguments)
    failed, numbers = False, Counter[str]()
    for file in options.files or ["-"]:
        stem = "sentence" if file == "-" else Path(Path(file).name.removesuffix(".gz")).stem
        for sentence in _read(file, options):
            numbers[stem] += 1
            try:
                if isinstance(sentence, SentenceError):
                    raise sentence
                svg = _drawn(sentence, options)
            except SentenceError as error:
                failed = True
                complain(error)
                continue
            options.out.mkdir(parents=True, exist_ok=True)
            path = options.out / f"{stem}-{numbers[stem]:04}.svg"
            svg.save(path)
            tell(path)
    return 2 if failed else 0


def _read(file: str, options: Namespace) -> Iterator[Constituency | Dependencies | SentenceError]:
    """The sentences of a file in order, broken ones among them."""
    from dglsent.corpora.example import Parsed
    from dglsent.corpora.own_files import TEXT

    name = "<stdin>" if file == "-" else file
    text = text_of(file)
    refuse_markup(text, name)
    form = options.format or guess(name, text)
    if form not in ("brackets", "conllu") and text.strip():
        raise InputError(f"{name}: neither brackets nor CoNLL-U; `dglsent parse` makes them of text")
    found = read(text, form, [TEXT], name)
    if not found:
        raise InputError(f"{name}: holds no sentences; give brackets or CoNLL-U")
    for (sentence,) in found[: options.limit]:
        if isinstance(sentence, SentenceError):
            yield sentence
        elif isinstance(sentence, Parsed):
            parse = sentence.constituency or sentence.dependencies
            if parse is None:
                yield SentenceError(
                    "tags alone, without heads; `dglsent parse` without --tags makes parses", sentence.origin
                )
            else:
                yield parse


def _drawn(sentence: Constituency | Dependencies, options: Namespace) -> Svg:
    from graphs.columns import Constituency
    from graphs.drawing import dependencies_svg, tree_svg

    if isinstance(sentence, Constituency):
        svg = tree_svg(sentence)
    else:
        svg = dependencies_svg(sentence, compact=options.compact or None)
    return {"light": svg.light, "dark": svg.dark}[options.paper]() if options.paper else svg
