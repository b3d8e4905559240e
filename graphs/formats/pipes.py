"""One sentence a line, its tokens as `word|pos|category` or the like: CCGbank's `.stagged` files, C&C's input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from graphs.columns import Tagged
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.columns import check_names, tagged
from graphs.formats.policy import OnError, Sentences, collect
from graphs.formats.source import Source, read_lines, source_name

_TOKEN = re.compile(r"[^ \t]+")  # U+00A0 belongs to a token


def read_pipes(
    source: Source, columns: Sequence[str] = ("word", "pos", "category"), *, on_error: OnError = "raise"
) -> Sentences[Tagged]:
    """Reads a file of one sentence a line; blank lines, and comments ("# " and what follows), are left out.

    Tags hold no `|`. Words may: the last ones of a token are those that separate.

    Args:
        source: path (`.gz` too) or open file.
        columns: what a token consists of, "word" first; "" for a part to leave out. POS tags should be "pos".
        on_error: "raise" at the first bad sentence, or "skip" it and list it in `skipped`.

    Raises:
        InputError: the first column is not "word", a name stands twice, the file cannot be read, or `on_error` is
            neither word.
        SentenceError: a token has fewer parts, or an empty one, or the file breaks off (`policy`).
    """
    check_names(columns)
    if columns[0] != "word":
        raise InputError(f'columns are {", ".join(columns)}; the first must be "word", as it may hold a "|"')

    def sentences() -> Iterator[Tagged | SentenceError]:
        file, ordinal = source_name(source), 0
        for number, line in enumerate(read_lines(source), 1):
            tokens = _TOKEN.findall(line)
            if not tokens or tokens[0] == "#":
                continue
            ordinal += 1
            origin = Origin(file, number, str(ordinal))
            rows = [token.rsplit("|", len(columns) - 1) for token in tokens]
            wrong = next((row for row in rows if len(row) != len(columns) or not all(row)), None)
            if wrong is None:
                yield tagged(rows, columns, origin)
            else:
                yield SentenceError(f"the token {'|'.join(wrong)!r} is not of the form {'|'.join(columns)}", origin)

    return collect(sentences(), on_error)
