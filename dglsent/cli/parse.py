"""`dglsent parse`: raw or tokenised sentences to CoNLL-U and brackets.

Tokens such as -LRB- are parsed as the brackets that they stand for: the models know no other, and so a reader that
unescapes the trees finds the same words in both files.
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from dglsent.cli.console import Progress, resumed_by, tell
from dglsent.cli.options import Parser, add_data, add_device, add_stanza, positive
from dglsent.cli.parse_files import spare, write
from dglsent.lock import locked
from graphs.errors import InputError, SentenceError

if TYPE_CHECKING:
    from graphs.bulk import Text
    from graphs.columns import Dependencies
    from graphs.parsing import Parse

SOME_FAILED = 1

# Fewer than those of `graphs.formats.brackets.unescaped`: `\/` and `\*` are escapes in treebanks alone, and a token of
# text that has such letters keeps them.
_ESCAPED = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_BRACKET = re.compile("|".join(_ESCAPED))
_EPILOGUE = """
Writes OUT.conllu.gz and OUT.brackets.gz. A sentence that cannot be parsed, an empty line among them, is listed in
OUT.failed.txt with its number and why, and makes the exit code 1; the others keep their numbers (`# sent_id`, line of
brackets). With --tags all of this is of OUT.tags.conllu.gz. Where IN is no file but one of the corpora {corpora},
all of its sentences are parsed, and OUT is the folder of the parse files. Parses are cached by their content: the same
command again goes on where it was stopped.
"""


def make_parser() -> Parser:
    """The options."""
    from dglsent.corpora.texts import corpora_with_texts

    parser = Parser("parse", "Parse sentences with Stanza: dependencies as CoNLL-U, constituency trees as brackets.")
    parser.epilog = _EPILOGUE.format(corpora=", ".join(corpora_with_texts()))
    parser.add_argument("input", metavar="IN", help="file of sentences (.gz too), - for standard input, or a corpus")
    parser.add_argument("out", metavar="OUT", type=Path, help="output prefix; .conllu.gz and .brackets.gz are appended")
    parser.add_argument(
        "--input",
        dest="form",
        choices=("lines", "text", "tokens", "conllu"),
        help="one sentence a line (the default, unless it looks like a table), running text to be split, tokens "
        "separated by spaces, or CoNLL-U, whose tags, features and lemmas are kept and parsed with, and whose heads "
        "may be _",
    )
    add_stanza(parser)
    parser.add_argument(
        "--cache",
        type=Path,
        metavar="DIR",
        help="folder of the cache; DGLSENT_CACHE, or ~/.cache/dglsent/parses, by default",
    )
    parser.add_argument(
        "--max-tokens",
        type=positive,
        default=400,
        metavar="N",
        help="refuse sentences over N tokens, unless cached; 400 by default",
    )
    parser.add_argument(
        "--tags",
        action="store_true",
        help="part-of-speech tags alone, which takes a small part of the time, for models that read no trees",
    )
    add_data(parser)
    add_device(parser)
    return parser


def main(arguments: Sequence[str]) -> int:
    """Parse; returns 1 if there are sentences that could not be parsed."""
    options = make_parser().parse_args(arguments)
    inputs = _inputs(options)

    from dglsent.training.device import pick_device, set_threads

    set_threads(options.threads)
    options.device = pick_device(options.device)
    with resumed_by(f"dglsent parse {shlex.join(arguments)}", "what is parsed is kept; to go on"):
        failed = sum(_parse(texts, out, options) for out, texts in inputs.items())
    return SOME_FAILED if failed else 0


def _inputs(options: Namespace) -> dict[Path, Sequence[Text | SentenceError]]:
    """The sentences, by the path that they are to be written to."""
    from dglsent.cli.reading import guess
    from dglsent.corpora.corpus import data_folder
    from dglsent.corpora.texts import corpora_with_texts

    form = guess(options.input, "")
    if form in ("csv", "tsv", "jsonl") or options.input.removesuffix(".gz").endswith(".json"):
        raise InputError(
            f"{options.input}: a table, and not sentences; `dglsent build` reads tables, has their text "
            "parsed and keeps their labels"
        )
    if options.form != "conllu" and form in ("conllu", "brackets"):
        remedy = "add --input conllu, which keeps its tags" if form == "conllu" else "give its text"
        raise InputError(f"{options.input}: parses, and not text; {remedy}")
    if options.input == "-" or (Path(options.input).exists() and not Path(options.input).is_dir()):  # perhaps a pipe
        if options.out.name in ("", "..", "-"):
            raise InputError(f"{options.out}: OUT is how names of files begin, such as parsed/reviews")
        return {options.out: _read(options.input, options.form)}
    corpora = corpora_with_texts()
    if options.input not in corpora:
        what = "a folder and no file" if Path(options.input).is_dir() else "no such file"
        raise InputError(f"{options.input}: {what}, and no corpus of that name (corpora are {', '.join(corpora)})")
    options.form = "lines"  # a corpus says itself what a sentence is
    texts = corpora[options.input](data_folder(options.data))
    return {options.out / name: list(sentences) for name, sentences in texts.items()}


def _read(name: str, form: str | None) -> Sequence[Text | SentenceError]:
    """Sentences of a file, of running text its paragraphs; where no form is named, tables and columns are no lines."""
    from dglsent.cli.reading import TOKEN, lines_of
    from dglsent.cli.taken_for_text import csv_table, refuse_columns
    from dglsent.corpora.own_files import refuse_parses

    lines = list(lines_of(name))
    if form == "conllu":
        return _tagged(lines)
    if form == "tokens":
        return [TOKEN.findall(line) for line in lines]
    refuse_parses(enumerate(lines, 1), name, "give its text, or of CoNLL-U add --input conllu, which keeps its tags")
    if form == "text":
        return list(_paragraphs(lines))
    if form == "lines":
        return lines
    if table := csv_table([line for line in lines if line.strip()]):
        _, (head, *_) = table
        raise InputError(
            f"{name}:1: {', '.join(head)} look like names of columns; give the text alone, or for `dglsent build` a "
            "table named .csv, with commas; if each line is a sentence, add --input lines"
        )
    remedy = "write a sentence a line for --input tokens; if each line is a sentence, add --input lines"
    refuse_columns("\n".join(lines), name, remedy=remedy)
    return lines


def _tagged(lines: Iterable[str]) -> list[Text | SentenceError]:
    """Sentences of CoNLL-U whose heads nobody asks for, broken ones in their places."""
    from graphs.formats.conllu import parse_conllu

    return [*parse_conllu("\n".join(lines), heads=False, on_error="skip").in_order()]


def _paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Lines joined up to each blank line."""
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line)
        elif paragraph:
            yield " ".join(paragraph)
            paragraph = []


def _clean(text: Text | SentenceError) -> Text:
    """A sentence as the models know it; one that could not be read has no words."""
    from graphs.columns import Dependencies, Tagged

    if isinstance(text, str):
        return text
    if isinstance(text, SentenceError):
        return []
    if isinstance(text, Dependencies | Tagged):
        return replace(text, word=[_unescaped(word) for word in text.word])
    return [_unescaped(token) for token in text]


def _unescaped(token: str) -> str:
    return _BRACKET.sub(lambda match: _ESCAPED[match.group()], token)


def _parse(texts: Sequence[Text | SentenceError], out: Path, options: Namespace) -> int:
    """Parses and writes one input; returns how many sentences failed."""
    import graphs

    prefix = f"{out}.tags" if options.tags else str(out)
    files = [f"{prefix}.conllu.gz", *([] if options.tags else [f"{prefix}.brackets.gz"])]
    listed = f"{prefix}.failed.txt"
    spare(options.input, [*files, listed])
    with locked(out):
        progress = Progress(out.name)
        try:
            results: Sequence[Parse | Dependencies | SentenceError] = (graphs.tag if options.tags else graphs.parse)(
                map(_clean, texts),
                stanza_dir=options.stanza_dir,
                cache=options.cache,
                device=options.device,
                split=options.form == "text",
                max_tokens=options.max_tokens,
                on_progress=progress,
            )
        finally:
            progress.end()
        if options.form == "conllu":
            read = zip(texts, results, strict=True)
            results = [text if isinstance(text, SentenceError) else result for text, result in read]
        failed = write(results, files, Path(listed))
    told = f", {failed} failed (listed in {listed})" if failed else ""
    tell(f"{', '.join(files)}: {len(results) - failed} sentences{told}", flush=True)
    return failed
