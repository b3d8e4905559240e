"""What `dglsent predict` reads: text, brackets, CoNLL-U or tab-separated pairs, broken sentences included."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from dglsent.inference.given import Given, Raw, parsed
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import parse_brackets, read_brackets
from graphs.formats.conllu import read_conllu

Format: TypeAlias = Literal["text", "tokens", "brackets", "conllu", "tsv"]
FORMATS: tuple[Format, ...] = ("text", "tokens", "brackets", "conllu", "tsv")

_TOKEN = re.compile(r"[^ \t]+")


class _Named(io.StringIO):
    """Text that knows its file's name, for messages."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self.name = name


def guess(name: str, text: str) -> Format:
    """The format of a file, by its name, else by its first line that is not blank or a comment."""
    name = name.removesuffix(".gz")
    if name.endswith((".conllu", ".conll")):
        return "conllu"
    if name.endswith((".brackets", ".ptb", ".mrg")):
        return "brackets"
    if name.endswith(".tsv"):
        return "tsv"
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if re.match(r"[0-9]+([-.][0-9]+)?\t", first):
        return "conllu"
    if "\t" in first.strip():
        return "tsv"
    return "brackets" if first.lstrip().startswith("(") and first.count("(") > 1 else "text"


def read(text: str, form: Format, sentences: int, name: str = "") -> list[tuple[Given, ...]]:
    """The examples of a text, each of `sentences` sentences, in the order of the text.

    Args:
        text: what was read.
        form: its format; "text" is a raw sentence a line, "tokens" one whose tokens stand between spaces.
        sentences: 1, or 2 for pairs: two sentences in a row, or the two columns of a line of "tsv".
        name: the file, for messages.

    Raises:
        InputError: "tsv" is given to a model of single sentences.
    """
    if form == "tsv":
        if sentences != 2:
            raise InputError(f"{name or 'input'}: tab-separated pairs, but the model reads single sentences")
        return [_pair(line, Origin(name, number)) for number, line in _lines(text)]
    single = _single(text, form, name)
    groups = [tuple(single[i : i + sentences]) for i in range(0, len(single), sentences)]
    if groups and len(groups[-1]) < sentences:
        (alone,) = groups[-1]
        origin = alone.origin
        groups[-1] = (SentenceError("the second sentence of the pair is missing", origin),)
    return groups


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that are not blank, with their numbers."""
    numbered = enumerate(re.split(r"\r\n|\n|\r", text), 1)
    return [(number, line) for number, line in numbered if line.strip()]


def _pair(line: str, origin: Origin) -> tuple[Given, ...]:
    columns = line.split("\t")
    if len(columns) != 2:
        return (SentenceError(f"{len(columns)} columns, expected the two sentences of a pair", origin),)
    return tuple(_cell(column, origin) for column in columns)


def _cell(text: str, origin: Origin) -> Given:
    if not text.lstrip().startswith("("):
        return _raw(text, origin)
    try:
        trees = parse_brackets(text.strip(), unescape=True)
    except SentenceError as error:
        return SentenceError(error.reason, origin)
    if len(trees) != 1:
        return SentenceError(f"{len(trees)} trees in one column, expected one", origin)
    trees[0].origin = origin
    return parsed(trees[0])


def _raw(text: str, origin: Origin, *, tokens: bool = False) -> Given:
    said = _TOKEN.findall(text) if tokens else text.strip()
    return Raw(said, origin) if said else SentenceError("the sentence has no words", origin)


def _single(text: str, form: Format, name: str) -> list[Given]:
    if form in ("text", "tokens"):
        lines = _lines(text)
        return [_raw(line, Origin(name, number, str(number)), tokens=form == "tokens") for number, line in lines]
    source = _Named(text, name)
    read: Sequence[Constituency | Dependencies]
    skipped: Sequence[SentenceError]
    if form == "brackets":
        trees = read_brackets(source, on_error="skip", unescape=True)
        read, skipped = trees, trees.skipped
    else:
        conllu = read_conllu(source, on_error="skip")
        read, skipped = conllu, conllu.skipped
    results: list[Given] = [parsed(one) for one in read]
    # Several trees may share a line, so equal lines keep their order.
    return sorted([*results, *skipped], key=lambda result: result.origin.line)
