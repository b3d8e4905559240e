"""Lines of text from a path, a gzipped path or an open file, decoded and split alike for every reader."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from typing import IO, TypeAlias

from graphs.errors import InputError

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]


def source_name(source: Source) -> str:
    """The path of a source, "" for a file object that has none."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", "")
    return name if isinstance(name, str) else ""


def read_lines(source: Source) -> Iterator[str]:
    r"""The lines of a source without their line ends.

    Only `\n`, `\r\n` and `\r` end a line: `str.splitlines` would also cut at U+2028 or U+0085 inside a token.
    Files are UTF-8, with or without a byte order mark; a name in `.gz` is read through gzip.

    Raises:
        InputError: if the text is not UTF-8.
        OSError: if the file cannot be opened.
    """
    try:
        if not isinstance(source, (str, os.PathLike)):
            yield from _stripped(source)
        elif os.fspath(source).endswith(".gz"):
            with gzip.open(source, "rt", encoding="utf-8-sig") as packed:
                yield from _stripped(packed)
        else:
            with open(source, encoding="utf-8-sig") as plain:
                yield from _stripped(plain)
    except UnicodeDecodeError as error:
        name = source_name(source) or "input"
        raise InputError(f"{name}: not UTF-8 text ({error.reason}); convert the file to UTF-8") from error


def _stripped(lines: Iterable[str] | Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        text = line.decode() if isinstance(line, bytes) else line
        yield text.rstrip("\r\n")
