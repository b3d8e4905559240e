"""CoNLL-U: one word a line in ten columns, a blank line between sentences (universaldependencies.org/format).

Stanza's reader is not used: it silently drops a word with a duplicate id and a sentence without words, and a
head out of range ends it with a bare IndexError. Its documents come in through `from_stanza_sentence`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphs import trees
from graphs.columns import Dependencies
from graphs.errors import Origin, SentenceError, check_kind, counted
from graphs.formats.numbers import natural
from graphs.formats.policy import OnError, Sentences, collect
from graphs.formats.source import Source, read_lines, source_name, source_start

_COLUMNS = 10
_CONLL_2009 = 14  # columns, and one more for each predicate of the sentence
_BREAKS = frozenset("\t\n\r")


def read_conllu(source: Source, *, heads: bool = True, on_error: OnError = "raise") -> Sentences[Dependencies]:
    """Reads a CoNLL-U file; several roots and crossing arcs are kept as they are.

    Args:
        source: path (`.gz` too) or open file.
        heads: whether heads and relations are read; a sentence may be without, as where it was tagged alone: "_" of
            all its words. Without heads each is -1, and every relation "_".
        on_error: "raise" at the first bad sentence, or "skip" it and list it in `skipped`.

    Raises:
        InputError: the file cannot be read, or `on_error` is neither word.
        SentenceError: a line without ten columns, ids that do not count up from 1, a multiword token or an empty node
            out of place, a word without a form, a head that is missing where others are not or out of range, a cycle,
            a block without words, or a file that breaks off (`policy`).
    """
    return collect(_sentences(read_lines(source), source_name(source), heads, *source_start(source)), on_error)


def parse_conllu(text: str, *, heads: bool = True, on_error: OnError = "raise") -> Sentences[Dependencies]:
    """Reads CoNLL-U from a string; otherwise as `read_conllu`.

    Raises:
        InputError: it is no text, or `on_error` is neither word.
        SentenceError: as of `read_conllu`.
    """
    check_kind(text, str, "give text, or a file to `read_conllu`")
    return read_conllu(io.StringIO(text, newline=None), heads=heads, on_error=on_error)


def to_conllu(sentence: Dependencies) -> str:
    """Writes a sentence as one block, blank line included, so that reading it gives the same columns.

    Columns that `Dependencies` does not hold (enhanced dependencies, misc) are "_", and so are the heads of one that
    has none.

    Raises:
        InputError: if it is something else.
        SentenceError: if there are no words, a column has another length than the words, one of its cells is no text,
            empty or holds a tab or a line end, heads that make no tree, or multiword tokens and empty nodes without a
            place.
    """
    check_kind(sentence, Dependencies, "to_brackets writes constituency trees")
    count = len(sentence)
    if not count:
        raise SentenceError("the sentence has no words", sentence.origin)
    head = trees.heads(sentence)
    trees.refuse_cycle(head, sentence.origin)
    before: list[list[str]] = [[] for _ in range(count + 1)]  # lines that go before each word, and after the last
    for name, form in sentence.empty:
        word, _, rank = name.partition(".")
        if not (0 <= natural(word) <= count and natural(rank) > 0):
            raise SentenceError(f"empty node {name!r} follows none of the {count} words", sentence.origin)
        before[natural(word)].append(_line(sentence, name, form))
    covered = 0
    for first, end, form in sentence.multiword:
        if not covered <= first < end <= count:
            raise SentenceError(f"multiword token {form!r} does not span words of {count}", sentence.origin)
        before[first].append(_line(sentence, f"{first + 1}-{end}", form))
        covered = end
    if any("\n" in comment or "\r" in comment for comment in sentence.comments):
        raise SentenceError("a comment holds a line end and cannot be written", sentence.origin)
    lines = [f"# {comment}" for comment in sentence.comments]
    columns: Sequence[Sequence[str]] = (
        sentence.word,
        sentence.lemma,
        sentence.upos,
        sentence.xpos,
        sentence.feats,
        ["_"] * count if sentence.headless else [str(above + 1) for above in head.tolist()],
        sentence.relation,
    )
    for place, cells in enumerate(zip(*columns, strict=True)):
        lines += before[place]
        lines.append(_line(sentence, str(place + 1), *cells))
    return "\n".join([*lines, *before[count]]) + "\n\n"


def _line(sentence: Dependencies, *columns: str) -> str:
    for column in columns:
        if not isinstance(column, str) or not column or not _BREAKS.isdisjoint(column):
            what = (
                "is no text" if not isinstance(column, str) else "holds a tab or a line end" if column else "is empty"
            )
            raise SentenceError(
                f"word {columns[0]}: the column {column!r} {what} and cannot be written", sentence.origin
            )
    return "\t".join(columns + ("_",) * (_COLUMNS - len(columns)))


def from_stanza_sentence(sentence: Any, origin: Origin | None = None) -> Dependencies:
    """Columns of a `stanza.models.common.doc.Sentence`, as its pipeline and its reader make them.

    Raises:
        SentenceError: if the sentence has no dependency tree, or a broken one.
    """
    tagged = tags_of_stanza_sentence(sentence, origin)
    words, origin = sentence.words, tagged.origin
    if any(word.head is None for word in words):
        raise SentenceError("the sentence has no dependency tree; run Stanza with its depparse processor", origin)
    head = np.asarray([word.head - 1 for word in words], dtype=np.int64)
    parsed = replace(tagged, head=head, relation=[word.deprel or "_" for word in words])
    trees.refuse_cycle(trees.heads(parsed), origin)
    return parsed


def tags_of_stanza_sentence(sentence: Any, origin: Origin | None = None) -> Dependencies:
    """Columns of a `stanza.models.common.doc.Sentence` but for heads, which are -1, and relations, which are "_".

    Raises:
        SentenceError: if the sentence has no words.
    """
    origin = origin or Origin(sentence=str(sentence.sent_id or ""))
    words = sentence.words
    if not words:
        raise SentenceError("the sentence has no words", origin)
    return Dependencies(
        word=[word.text for word in words],
        head=np.full(len(words), -1),
        relation=["_"] * len(words),
        upos=[word.upos or "_" for word in words],
        xpos=[word.xpos or "_" for word in words],
        lemma=[word.lemma or "_" for word in words],
        multiword=[(token.id[0] - 1, token.id[-1], token.text) for token in sentence.tokens if len(token.id) > 1],
        empty=[(".".join(map(str, word.id)), word.text) for word in sentence.empty_words],
        comments=[_comment(line) for line in sentence.comments],
        origin=origin,
        feats=[word.feats or "_" for word in words],
    )


def _sentences(
    lines: Iterable[str], file: str, heads: bool, line: int, first: int
) -> Iterator[Dependencies | SentenceError]:
    for ordinal, (start, block) in enumerate(_blocks(lines, line), first):
        comments = [_comment(line) for line in block if line.startswith("#")]
        named = (text.partition("=") for text in comments)
        name = next((value.strip() for key, _, value in named if key.strip() == "sent_id"), "")
        try:
            sentence = _sentence(start, block, heads, Origin(file, start, name or str(ordinal)))
        except SentenceError as error:
            yield error
        else:
            sentence.comments = comments
            yield sentence


def _blocks(lines: Iterable[str], first: int) -> Iterator[tuple[int, list[str]]]:
    """Cuts lines at blank ones: the line on which each sentence starts, and its lines."""
    block: list[str] = []
    number = 0
    for number, line in enumerate(lines, first):
        if line.strip(" \t"):
            block.append(line)
        elif block:
            yield number - len(block), block
            block = []
    if block:
        yield number + 1 - len(block), block


def _comment(line: str) -> str:
    return line[2:] if line.startswith("# ") else line[1:]


def _sentence(start: int, block: list[str], heads: bool, origin: Origin) -> Dependencies:
    """The words of one block; its comments are left to the caller."""
    rows: list[list[str]] = []
    places: list[int] = []
    multiword: list[tuple[int, int, str]] = []
    empty: list[tuple[str, str]] = []
    for number, line in enumerate(block, start):
        if line.startswith("#"):
            continue
        row = line.split("\t")
        if len(row) != _COLUMNS:
            hint = ""
            if len(row) >= _CONLL_2009 and natural(row[8]) >= 0:  # there the ninth is the head
                hint = "; they look like those of CoNLL-2009, of which docs/text-to-graphs.md makes CoNLL-U"
            raise SentenceError(
                f"line {number}: {counted(len(row), 'column')}, expected {_COLUMNS} separated by tabs{hint}", origin
            )
        expected = len(rows) + 1
        if row[0] == str(expected):
            rows.append(row)
            places.append(number)
        elif "-" in row[0]:
            first, _, last = row[0].partition("-")
            covered = multiword[-1][1] if multiword else 0
            if natural(first) != expected or natural(last) < expected or covered >= expected:
                raise SentenceError(f"line {number}: id {row[0][:40]!r} does not span words from {expected} on", origin)
            multiword.append((expected - 1, natural(last), row[1]))
        elif "." in row[0]:
            before, _, rank = row[0].partition(".")
            if natural(before) != len(rows) or natural(rank) < 1:
                raise SentenceError(
                    f"line {number}: empty node {row[0][:40]!r} does not follow word {len(rows)}", origin
                )
            empty.append((row[0], row[1]))
        elif 0 < natural(row[0]) < expected:
            raise SentenceError(f"line {number}: id {row[0][:40]} occurs twice", origin)
        else:
            raise SentenceError(f"line {number}: id {row[0][:40]!r} where {expected} should follow", origin)
    if not rows:
        raise SentenceError(f"line {start}: the sentence has no words", origin)
    if multiword and multiword[-1][1] > len(rows):
        raise SentenceError(
            f"a multiword token ends at word {multiword[-1][1]}, the sentence has {len(rows)} words", origin
        )
    for row, place in zip(rows, places, strict=True):
        if not row[1]:
            raise SentenceError(f"line {place}: word {row[0]} has no form", origin)
    heads = heads and not all(row[6] == row[7] == "_" for row in rows)
    return Dependencies(
        word=[row[1] for row in rows],
        head=_heads(rows, places, origin) if heads else np.full(len(rows), -1),
        relation=[(heads and row[7]) or "_" for row in rows],
        upos=[row[3] or "_" for row in rows],
        xpos=[row[4] or "_" for row in rows],
        lemma=[row[2] or "_" for row in rows],
        multiword=multiword,
        empty=empty,
        origin=origin,
        feats=[row[5] or "_" for row in rows],
    )


def _heads(rows: list[list[str]], places: list[int], origin: Origin) -> np.ndarray:
    heads: list[int] = []
    for row, place in zip(rows, places, strict=True):
        head = natural(row[6])
        if head < 0:
            raise SentenceError(f"line {place}: head {row[6][:40]!r} of word {row[0]} is not a number", origin)
        if head > len(rows):
            raise SentenceError(
                f"line {place}: head {row[6][:40]} is out of range, the sentence has {len(rows)} words", origin
            )
        heads.append(head - 1)
    column = np.asarray(heads, dtype=np.int64)
    trees.refuse_cycle(column, origin)
    return column
