"""`dglsent predict`: JSON lines for sentences."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dglsent.cli import token_columns
from dglsent.cli.console import complain, say, tell, tell_unfinished
from dglsent.cli.options import Parser, add_device, add_stanza, add_trust, column_names, refuse_runs_as_files
from dglsent.cli.reading import FORMATS, guess, is_csv, names_columns, read, text_of
from dglsent.cli.taken_for_text import refuse_columns, refuse_csv, refuse_trees
from dglsent.corpora.own_files import PAIR, TEXT
from dglsent.corpora.tables import TABLES
from dglsent.json_text import dumps
from graphs.errors import InputError, SentenceError

if TYPE_CHECKING:
    from dglsent.inference.explanation import Explanation
    from dglsent.inference.given import Given, Readable
    from dglsent.inference.model import Model

_EPILOGUE = """
A line is a sentence; where the model needs parses, or tags, Stanza makes them (for many sentences it is faster to run
`dglsent parse` first, whose files are read as they are). A model of pairs reads two sentences on two consecutive
lines, or two columns separated by a tab. In a table (.tsv, .csv, .jsonl) the columns are read that the model was
trained on or, if it was not trained on a table, `text`, for pairs `first` and `second`; --columns names others. A
tagger that was trained on one token per line reads such files, too: with --format columns, and without if most tokens
have their classes. Every example gives one line of JSON; one that cannot be used gives a line with "error", is
reported on standard error, and makes the exit code 2. A file of several sentences none of which can be used, because
it has another format or no parses that the model reads, is one error. "id" is that of the (first) sentence: `sent_id`
of CoNLL-U, the number of the line where each line has one sentence or tree, else its number; with several files each
line names its "file".
"""


def make_parser() -> Parser:
    """The options."""
    parser = Parser("predict", "Predict for raw text, brackets or CoNLL-U; prints JSON lines.")
    parser.epilog = _EPILOGUE
    parser.add_argument("run", metavar="RUN", help="folder that `dglsent fit` wrote")
    parser.add_argument(
        "files", metavar="FILE", nargs="*", default=[], help="sentences (.gz too); standard input by default or for -"
    )
    parser.add_argument("--format", choices=FORMATS, help="format of the input; found out by default")
    parser.add_argument(
        "--columns",
        type=column_names,
        default={},
        metavar="A=B,...",
        help="names that columns have in tables, as for `dglsent build`: text=review; first=question1,second=question2",
    )
    parser.add_argument("--structure", action="store_true", help="add what the model used: nodes, edges, their fields")
    parser.add_argument("--draw", type=Path, metavar="DIR", help="draw what the model used; lines name the SVG files")
    parser.add_argument(
        "--vectors", type=Path, metavar="FILE", help="safetensors of the tokens' vectors, for a model that reads such"
    )
    add_stanza(parser)
    add_trust(parser)
    add_device(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Predict; prints a line of JSON for each example."""
    options = make_parser().parse_args(arguments)
    refuse_runs_as_files(options.files)

    from dglsent.building.strange_tags import strange_tags
    from dglsent.inference.model import BATCH, Model
    from dglsent.training.device import set_threads

    set_threads(options.threads)
    model = Model.of_run(
        options.run,
        device=options.device,
        stanza_dir=options.stanza_dir,
        trusted=options.trust,
        vectors=options.vectors,
    )
    tell_unfinished(model.run)
    heads, given = zip(*_given(options, model), strict=True)
    examples = model.readable([*given], say)
    if warning := strange_tags(chain.from_iterable(examples), model.recipe, model.vocabularies, model.model):
        say(warning)
    failed = False
    for first in range(0, len(examples), BATCH):
        batch = slice(first, first + BATCH)
        for line in _lines(model, heads[batch], examples[batch], first, options):
            failed |= "error" in line
            if "error" in line:
                complain(line["error"])
            tell(dumps(line))
        sys.stdout.flush()
    return 2 if failed else 0


def _given(options: Namespace, model: Model) -> list[tuple[dict[str, Any], tuple[Given, ...]]]:
    """The examples of all files, each after what its line begins with."""
    examples: list[tuple[dict[str, Any], tuple[Given, ...]]] = []
    for file in options.files or ["-"]:
        name = "<stdin>" if file == "-" else file
        found = _read(text_of(file), name, options, model)
        if not found:
            raise InputError(
                f"{name}: holds no sentences; give text, a sentence a line, or what `dglsent parse` makes of it"
            )
        _refuse_other_parses(found, name, model)
        of_file = {"file": name} if len(options.files) > 1 else {}
        for number, example in enumerate(found, 1):
            examples.append(({**of_file, "id": example[0].origin.sentence or str(number)}, example))
    return examples


def _refuse_other_parses(found: Sequence[tuple[Given, ...]], name: str, model: Model) -> None:
    """Refuses a file of sentences none of which has a parse that the model reads: each would be the same error."""
    from dglsent.corpora.example import Parsed
    from dglsent.training.graphs import shape

    reasons = set[str]()
    for one in chain.from_iterable(found):
        if not isinstance(one, Parsed):
            return
        try:
            shape(model.recipe.graph, one)
        except SentenceError as error:
            reasons.add(error.reason)
        else:
            return
    if len(found) > 1 and len(reasons) == 1:
        raise InputError(f"{name}: {reasons.pop()}")


def _read(text: str, name: str, options: Namespace, model: Model) -> list[tuple[Given, ...]]:
    """The examples of a file."""
    own = token_columns.of_model(model)
    form, columns = options.format or guess(name, text), _columns(model, options.columns)
    if options.format is None and form == "text" and is_csv(text, columns):
        form = "csv"
    # A name that ends in .conll is that of columns as well as that of CoNLL-U.
    unsure = form in ("text", "tsv") or (form == "conllu" and own is not None)
    if options.format is None and unsure and token_columns.are_columns(text, model, own):
        form = "columns"
    if options.columns and f".{form}" not in TABLES:
        raise InputError(
            f"{name}: --columns names columns of a table, and this is {form}; add --format csv, or another"
        )
    if options.format is None and form == "text":
        refuse_csv(text, name, columns)
        refuse_trees(text, name)
    if options.format is None and (form == "text" or (form == "tsv" and not names_columns(text, columns))):
        refuse_columns(text, name, least=1 if own else 2)
    if form != "columns":
        return read(text, form, columns, name, named=bool(options.columns))
    if own is None:
        raise InputError(
            f"{name}: a token and its class a line, which a model that was trained on TaggedColumns reads; give this "
            "one CoNLL-U, a sentence a line, or with --format tokens its tokens between spaces"
        )
    return own.read(text, name)


def _columns(model: Model, named: Mapping[str, str]) -> tuple[str, ...]:
    """The columns of a table from which the model reads, those that are named before those that it was trained on."""
    from dglsent.building.build import about, is_store
    from dglsent.corpora.labelled import LabelledPairs, LabelledText
    from dglsent.corpora.stored import Stored

    corpus, usual = model.recipe.corpus, PAIR if model.sentences == 2 else (TEXT,)
    own: Mapping[str, str] = {}
    if isinstance(corpus, LabelledPairs | LabelledText):
        own = {name: getattr(corpus, name) for name in usual}
    elif isinstance(corpus, Stored) and is_store(corpus.store):  # it may be elsewhere, or gone
        own = about(corpus.store).get("columns", {})
    if strange := named.keys() & {TEXT, *PAIR} - {*usual}:
        raise InputError(f"--columns {min(strange)}: this model reads {' and '.join(usual)}, as in {usual[0]}=NAME")
    return tuple(named.get(name, own.get(name, name)) for name in usual)


def _lines(
    model: Model,
    heads: Sequence[dict[str, Any]],
    examples: Sequence[tuple[Readable, ...]],
    first: int,
    options: Namespace,
) -> Iterator[dict[str, Any]]:
    """A prediction or an error for each example, in order."""
    results = model.attempt(examples, explain=bool(options.structure or options.draw))
    for number, (head, result) in enumerate(zip(heads, results, strict=True), first + 1):
        if isinstance(result, SentenceError):
            yield {**head, "error": str(result)}
        elif isinstance(result, dict):
            yield {**head, **result}
        else:
            line = {**head, **(result.to_json() if options.structure else result.prediction)}
            yield {**line, "drawings": _draw(result, options.draw, number)} if options.draw else line


def _draw(explanation: Explanation, folder: Path, number: int) -> list[str]:
    """The files of what was drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    pictures = explanation.pictures()
    drawn: list[str] = []
    for name, svg in pictures.items():
        own = f"-{name.replace(' ', '-')}" if len(pictures) > 1 else ""
        path = folder / f"{number:04}{own}.svg"
        svg.save(path)
        drawn.append(str(path))
    return drawn
