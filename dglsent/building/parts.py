"""Files of sentences, cut into parts of which each becomes one shard."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Final, Literal, TypeAlias, cast

from graphs.errors import InputError

Form: TypeAlias = Literal["conllu", "brackets", "text", "tsv", "jsonl"]

_BLANK: Final = b" \t\r\n"
_BY_LINE: Final = ("text", "tsv", "jsonl")
_ENDINGS: Final[dict[str, Form]] = {
    ".conllu": "conllu",
    ".conll": "conllu",
    ".brackets": "brackets",
    ".ptb": "brackets",
    ".mrg": "brackets",
    ".txt": "text",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
}


@dataclass(frozen=True, slots=True)
class Part:
    """Sentences that stand together and become one shard.

    Attributes:
        split: the split that they belong to.
        number: the number of the shard in its split, from 0.
        first: the number of the first sentence, or example, in its split, from 1.
        count: how many there are.
        sha256: hash of what they are made of.
        file: the file that has them; "" for examples of a corpus.
        begin: where they begin in it, in bytes of unpacked text; of a corpus the place among the examples, from 0.
        size: bytes of unpacked text.
        line: the line on which they begin, from 1.
        ordinal: the number of the first sentence in the file, from 1.
    """

    split: str
    number: int
    first: int
    count: int
    sha256: str
    file: str = ""
    begin: int = 0
    size: int = 0
    line: int = 1
    ordinal: int = 1

    @property
    def name(self) -> str:
        """The name of the shard."""
        return f"{self.split}-{self.number:05d}"


def form_of(file: str) -> Form:
    """The format of a file by its name.

    Raises:
        InputError: the name says none.
    """
    path = Path(file)
    ending = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if ending not in _ENDINGS:
        raise InputError(f"{file}: its name should end in {', '.join(_ENDINGS)}, or that and .gz")
    return _ENDINGS[ending]


def parts_of(split: str, files: list[str], size: int) -> Iterator[Part]:
    """Cuts files into parts of `size` sentences; each file begins a new one.

    Raises:
        InputError: a file cannot be read, or there are no sentences in it.
    """
    number, first = 0, 1
    for file in files:
        before = first
        for part in _cut(split, file, size):
            yield Part(split, number, first, *part)
            number, first = number + 1, first + part[0]
        if first == before:
            raise InputError(f"{file}: no sentences")


def text_of(part: Part) -> str:
    """The text of a part; of TSV the line that names the columns stands before it."""
    file = _kept_open(part.file)
    file.seek(part.begin)
    raw = _header(part.file) + file.read(part.size)
    if hashlib.sha256(raw).hexdigest() != part.sha256:
        raise InputError(f"{part.file}: changed while it was read; run the command again")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{part.file}: not UTF-8 text ({error.reason}); convert the file to UTF-8") from None


def lines_before(part: Part) -> int:
    """How many lines of its file stand before those of a part in its text."""
    return _header(part.file).count(b"\n")


def _opened(file: str) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(file)) if file.endswith(".gz") else open(file, "rb")


_kept_open = lru_cache(1)(_opened)  # in a packed file, only what lies before a part must be unpacked again


def _header(file: str) -> bytes:
    """Of TSV the lines up to the one that names the columns, which every part needs."""
    if form_of(file) != "tsv":
        return b""
    with _opened(file) as lines:
        return _first(lines)


def _first(lines: IO[bytes]) -> bytes:
    """The lines up to the first that is not blank."""
    read = b""
    while line := lines.readline():
        read += line
        if line.strip(_BLANK):
            break
    return read


def _cut(split: str, file: str, size: int) -> Iterator[tuple[int, str, str, int, int, int, int]]:
    """The attributes of each part, from `count` on."""
    form = form_of(file)
    ordinal = 1  # of the first sentence of the part
    held: list[bytes] = []
    count = 0
    after_blank = True
    try:
        with _opened(file) as lines:
            header = _first(lines) if form == "tsv" else b""
            begin, line = len(header), 1 + header.count(b"\n")  # where the part begins
            for raw in lines:
                blank = not raw.strip(_BLANK)
                # Where a reader would begin a new sentence.
                starts = not blank and (form in _BY_LINE or (raw[:1] == b"(" if form == "brackets" else after_blank))
                if starts and count == size:
                    text = b"".join(held)
                    yield count, _digest(header, text), file, begin, len(text), line, ordinal
                    begin, line, ordinal = begin + len(text), line + len(held), ordinal + count
                    held, count = [], 0
                held.append(raw)
                count += starts
                after_blank = blank
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{file}: cannot be read ({reason}); give a whole file") from None
    if count:
        text = b"".join(held)
        yield count, _digest(header, text), file, begin, len(text), line, ordinal


def _digest(header: bytes, text: bytes) -> str:
    return hashlib.sha256(header + text).hexdigest()
