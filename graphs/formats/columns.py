"""One token a line, its word and tags in columns, a blank line between sentences: CoNLL-2000, CoNLL-2003, PMB."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from graphs.columns import Tagged
from graphs.errors import InputError, Origin, SentenceError, counted
from graphs.formats.policy import OnError, Sentences, collect
from graphs.formats.source import Source, read_lines, source_name

_DOCUMENT: Final = "-DOCSTART-"
_FIELD = re.compile(r"[^ \t]+")  # U+00A0 belongs to a token


def read_columns(
    source: Source,
    columns: Sequence[str],
    *,
    separator: str | None = None,
    comments: str | Sequence[str] = (),
    iob1: Collection[str] = (),
    on_error: OnError = "raise",
) -> Sentences[Tagged]:
    """Reads a file of one token a line.

    Lines that start with `-DOCSTART-` end a sentence, as blank lines do.

    Args:
        source: path (`.gz` too) or open file.
        columns: the name of every column of the file, left to right, "" for one to leave out. One is "word"; POS tags
            should be "pos".
        separator: what stands between columns; by default spaces and tabs, however many.
        comments: lines that start with one of these are left out. There are none by default: "#" may be a word.
        iob1: columns of IOB1 chunk tags, which become BIO (`iob1_to_bio`).
        on_error: "raise" at the first bad sentence, or "skip" it and list it in `skipped`.

    Raises:
        InputError: not exactly one column is "word", a name stands twice, `iob1` names no column of tags, `separator`
            is empty, the file cannot be read, or `on_error` is neither word.
        SentenceError: a line has another number of columns or no word, a tag is no chunk tag, or the file breaks off
            (`policy`).
    """
    check_names(columns)
    tags = [name for name in columns if name not in ("word", "")]
    if missing := sorted({iob1} if isinstance(iob1, str) else set(iob1) - set(tags)):
        raise InputError(
            f"iob1 names {missing[0]!r}; give a list of columns of tags, of which there are {', '.join(tags) or 'none'}"
        )
    if separator == "":
        raise InputError("separator is ''; leave it out for spaces and tabs")
    marks = (comments,) if isinstance(comments, str) else tuple(comments)

    def sentences() -> Iterator[Tagged | SentenceError]:
        file = source_name(source)
        for ordinal, block in enumerate(_blocks(read_lines(source), marks), 1):
            origin = Origin(file, block[0][0], str(ordinal))
            try:
                yield _sentence(block, columns, separator, iob1, origin)
            except SentenceError as error:
                yield error

    return collect(sentences(), on_error)


def read_conll2000(source: Source, *, on_error: OnError = "raise") -> Sentences[Tagged]:
    """Reads a file of the CoNLL-2000 shared task: columns pos and chunk (BIO); otherwise as `read_columns`."""
    return read_columns(source, ("word", "pos", "chunk"), on_error=on_error)


def read_conll2003(source: Source, *, on_error: OnError = "raise") -> Sentences[Tagged]:
    """Reads an English file of the CoNLL-2003 shared task, whose chunks and entities are IOB1 and become BIO.

    Columns pos, chunk and ner; otherwise as `read_columns`.
    """
    return read_columns(source, ("word", "pos", "chunk", "ner"), iob1=("chunk", "ner"), on_error=on_error)


def read_pmb(source: Source, *, on_error: OnError = "raise") -> Sentences[Tagged]:
    """Reads a file of the Parallel Meaning Bank in columns; otherwise as `read_columns`.

    Columns symbol, semantic, category, sense and roles. Supertags are the column category, the fifth: the fourth,
    semantic tags, looks much like them. Comments, one of which has as many tabs as a token, are left out.
    """
    columns = ("word", "", "symbol", "semantic", "category", "sense", "roles")
    return read_columns(source, columns, separator="\t", comments=("# ", "### "), on_error=on_error)


def iob1_to_bio(tags: Sequence[str]) -> list[str]:
    """Chunk tags of a sentence with B- at the start of every chunk.

    In IOB1 a chunk starts with B- only where it follows another of its kind. Tags that are BIO stay as they are.

    Raises:
        InputError: a tag is none of O, B-kind and I-kind.
    """
    result: list[str] = []
    before = ""
    for tag in tags:
        place, dash, kind = tag.partition("-")
        if tag != "O" and (place not in ("B", "I") or not dash or not kind):
            raise InputError(f"{tag!r} is no chunk tag; those are O, B-kind and I-kind")
        result.append(f"B-{kind}" if place == "I" and kind != before else tag)
        before = kind
    return result


def check_names(columns: Sequence[str]) -> None:
    """Refuses columns of which not exactly one is "word", or of which a name but "" stands twice.

    Raises:
        InputError: they are such.
    """
    if isinstance(columns, str) or list(columns).count("word") != 1:
        raise InputError(f'columns are {columns!r}; name every column of the file, and one of them "word"')
    named = [name for name in columns if name]
    if len(set(named)) < len(named):
        raise InputError(f"columns {', '.join(named)}: a name stands twice")


def tagged(rows: Sequence[Sequence[str]], columns: Sequence[str], origin: Origin) -> Tagged:
    """The sentence of N rows, each with an entry a column."""
    by_name = dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True))
    by_name.pop("", None)
    return Tagged(by_name.pop("word"), by_name, origin)


def _blocks(lines: Iterable[str], comments: tuple[str, ...]) -> Iterator[list[tuple[int, str]]]:
    """The lines of each sentence, with their numbers."""
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, 1):
        if line.startswith(comments):
            continue
        if line.strip(" \t") and not line.startswith(_DOCUMENT):
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _sentence(
    block: Sequence[tuple[int, str]],
    columns: Sequence[str],
    separator: str | None,
    iob1: Collection[str],
    origin: Origin,
) -> Tagged:
    rows: list[list[str]] = []
    word = columns.index("word")
    for number, line in block:
        row = _FIELD.findall(line) if separator is None else line.split(separator)
        if len(row) != len(columns):
            raise SentenceError(f"line {number}: {counted(len(row), 'column')}, expected {len(columns)}", origin)
        if not row[word]:
            raise SentenceError(f"line {number}: the word is empty", origin)
        rows.append(row)
    sentence = tagged(rows, columns, origin)
    try:
        bio = {name: iob1_to_bio(sentence.columns[name]) for name in iob1}
    except InputError as error:
        raise SentenceError(str(error), origin) from None
    return Tagged(sentence.word, {**sentence.columns, **bio}, origin)
