"""Files of sentences, cut into parts of which each becomes one shard."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import IO, Final, cast

from dglsent.building.endings import Form, form_of
from graphs.errors import InputError
from graphs.formats.brackets import parse_brackets, starts_tree
from graphs.formats.source import broken, packed, packed_by, reason, unreadable

_BRACKET: Final = re.compile("[()]")
# Whole cells, and then one whose quotes are not closed; a quote within other text is text.
_OPEN: Final = re.compile(r'(?:(?:"[^"]*(?:""[^"]*)*"|[^",][^,]*)?,)*"[^"]*(?:""[^"]*)*')
_BY_LINE: Final = ("text", "tsv", "csv", "jsonl")
_WITH_HEADER: Final = ("tsv", "csv")


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


def parts_of(split: str, files: list[str], size: int) -> Iterator[Part]:
    """Cuts files into parts of `size` sentences; each file begins a new one.

    Raises:
        InputError: a file cannot be read, or it holds no sentences.
    """
    number, first = 0, 1
    for file in files:
        before = first
        for part in _cut(split, file, size):
            yield replace(part, number=number, first=first)
            number, first = number + 1, first + part.count
        if first == before:
            raise InputError(f"{file}: holds no sentences; leave it out")


def text_of(part: Part) -> str:
    """The text of a part; of TSV and CSV the line that names the columns stands before it.

    Raises:
        InputError: the file has changed since it was cut, or is no UTF-8.
    """
    stat = os.stat(part.file)
    file = _kept_open(part.file, stat.st_ino, stat.st_mtime_ns)
    try:
        file.seek(part.begin)
        raw = _header(part.file) + file.read(part.size)
    except (EOFError, zlib.error, gzip.BadGzipFile):  # it was whole when it was cut into parts
        raw = b""
    if hashlib.sha256(raw).hexdigest() != part.sha256:
        raise InputError(f"{part.file}: changed while it was read; run the command again")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = part.line - lines_before(part) + len((raw[: error.start] + b".").splitlines()) - 1
        raise InputError(f"{part.file}:{line}: not UTF-8 text ({error.reason}); convert the file to UTF-8") from None


def lines_before(part: Part) -> int:
    """How many lines of its file stand before those of a part in its text."""
    return len(_header(part.file).splitlines())


def _opened(file: str) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(file)) if file.endswith(".gz") else open(file, "rb")


@lru_cache(1)  # in a packed file, only what lies before a part must be unpacked again
def _kept_open(file: str, inode: int, changed: int) -> IO[bytes]:
    return _opened(file)


def _header(file: str) -> bytes:
    """Of TSV and CSV the lines up to the one that names the columns, which every part needs."""
    if form_of(file) not in _WITH_HEADER:
        return b""
    return b"".join(_first(_lines(file)))


def _lines(file: str) -> Iterator[tuple[bytes, str]]:
    """The lines that a reader would see, each as it is in the file and as text without its end.

    Raises:
        InputError: the file cannot be read, or breaks off.
    """
    mark, number = codecs.BOM_UTF8, 0
    try:
        with _opened(file) as opened:
            for some in opened:
                if not number and (packer := packed_by(some)):
                    raise packed(file, packer)
                for raw in some.splitlines(keepends=True):  # of bytes, these are cut where `read_lines` cuts
                    yield raw, raw.removeprefix(mark).rstrip(b"\r\n").decode(errors="replace")
                    mark, number = b"", number + 1
    except (OSError, EOFError, zlib.error) as error:
        if not number:
            raise unreadable(file, error) from None
        raise broken(file, number + 1, f"the file breaks off here ({reason(error)}); fetch it again") from None


def _first(lines: Iterator[tuple[bytes, str]]) -> list[bytes]:
    """The lines up to the first that is not blank."""
    read = []
    for raw, line in lines:
        read.append(raw)
        if line.strip():
            break
    return read


def _blocks(form: Form, lines: Iterator[tuple[bytes, str]]) -> Iterator[tuple[list[bytes], int]]:
    """Lines from where a reader would begin a sentence to the next such place, and how many sentences they hold.

    What stands before the first sentence is a block of none. Trees may share a line, and with it a block.
    """
    block: list[tuple[bytes, str]] = []
    begun, depth, after_blank, quoted = False, 0, True, False
    for raw, line in lines:
        filled = bool(line.strip() if form in _BY_LINE else line.strip(" \t"))
        if form == "brackets":
            starts = starts_tree(line, depth)
        else:
            starts = filled and not quoted and (form in _BY_LINE or after_blank)
        if starts:
            if block:
                yield [each for each, _ in block], _count(form, block) if begun else 0
            block, begun, depth = [], True, 0
        block.append((raw, line))
        depth += line.count("(") - line.count(")")
        after_blank = not filled
        quoted = form == "csv" and _OPEN.fullmatch(f'"{line}' if quoted else line) is not None
    if block:
        yield [each for each, _ in block], _count(form, block) if begun else 0


def _count(form: Form, block: Sequence[tuple[bytes, str]]) -> int:
    """The sentences of a block that has any; a broken one is one, as readers count them."""
    if form != "brackets":
        return 1
    text = "\n".join(line for _, line in block)
    depth = closed = 0
    for bracket in _BRACKET.findall(text):
        depth += 1 if bracket == "(" else -1
        closed += bracket == ")" and depth == 0
    # To read a tree takes far longer than to count brackets, and nearly all blocks are one tree.
    return 1 if closed < 2 else max(1, len(parse_brackets(text, on_error="skip")))


def _cut(split: str, file: str, size: int) -> Iterator[Part]:
    """The parts of a file, not yet numbered."""
    form = form_of(file)
    ordinal = 1  # of the first sentence of the part
    held: list[bytes] = []
    count = 0
    lines = _lines(file)
    above = _first(lines) if form in _WITH_HEADER else []
    header = b"".join(above)
    begin, line = len(header), 1 + len(above)  # where the part begins
    for block, more in _blocks(form, lines):
        if more and count >= size:
            text = b"".join(held)
            yield Part(split, 0, 0, count, _digest(header, text), file, begin, len(text), line, ordinal)
            begin, line, ordinal = begin + len(text), line + len(held), ordinal + count
            held, count = [], 0
        held += block
        count += more
    if count:
        text = b"".join(held)
        yield Part(split, 0, 0, count, _digest(header, text), file, begin, len(text), line, ordinal)


def _digest(header: bytes, text: bytes) -> str:
    return hashlib.sha256(header + text).hexdigest()
