"""`dglsent predict`: JSON lines for parsed sentences."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

from dglsent.cli.options import Parser, add_device, add_trust
from dglsent.cli.reading import FORMATS, Read, guess, read
from dglsent.json_text import dumps
from graphs.errors import InputError, SentenceError

_BATCH = 64

_EPILOGUE = """
A model of pairs reads two sentences in a row, or two columns of brackets separated by a tab. Every example gives
one line of JSON; one that cannot be used gives a line with "error", is told on standard error, and makes the exit
code 2.
"""


def main(arguments: Sequence[str]) -> int:
    """Predict; prints a line of JSON for each example."""
    parser = Parser("predict", "Predict for parsed sentences in brackets or CoNLL-U; prints JSON lines.")
    parser.epilog = _EPILOGUE
    parser.add_argument("run", metavar="RUN", help="folder that `dglsent fit` wrote")
    parser.add_argument("file", metavar="FILE", nargs="?", help="sentences; standard input by default or for -")
    parser.add_argument("--format", choices=FORMATS, help="format of the input; found out by default")
    add_trust(parser)
    add_device(parser)
    options = parser.parse_args(arguments)

    from dglsent.training.device import pick_device, set_threads
    from dglsent.training.run import Run

    set_threads(options.threads)
    recipe, vocabularies, model = Run(options.run).load(trusted=options.trust)
    model.to(pick_device(options.device))
    name = "<stdin>" if options.file in (None, "-") else options.file
    text = _text(options.file)
    examples = read(text, options.format or guess(name, text), model.task.sentences, name)
    if not examples:
        raise InputError(f"{name}: holds no sentences; give brackets or CoNLL-U")

    from dglsent.training.predicting import Predictor

    predictor = Predictor(recipe, vocabularies, model)
    failed = False
    for first in range(0, len(examples), _BATCH):
        for line in _results(predictor, examples[first : first + _BATCH], first):
            failed |= "error" in line
            if "error" in line:
                print(f"dglsent: {line['error']}", file=sys.stderr)
            print(dumps(line))
        sys.stdout.flush()
    return 2 if failed else 0


def _results(predictor: Any, examples: Sequence[tuple[Read, ...]], first: int) -> Iterator[dict[str, Any]]:
    """A prediction or an error for each example, in order."""
    for number, result in enumerate(predictor(examples), first + 1):
        origin = examples[number - first - 1][0].origin
        head = {"id": origin.sentence or str(number)}
        yield {**head, "error": str(result)} if isinstance(result, SentenceError) else {**head, **result}


def _text(name: str | None) -> str:
    from graphs.formats.source import read_lines

    # Line ends of every kind become one.
    return "\n".join(read_lines(sys.stdin.buffer if name in (None, "-") else str(name)))
