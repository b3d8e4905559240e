r"""Lines of text from a path, a gzipped path or an open file, decoded and split alike for every reader.

A line ends at `\n`, `\r\n` or a lone `\r` and nowhere else: `str.splitlines` would also cut at U+2028 or U+0085 inside
a token. Text is UTF-8; a byte order mark at its start is dropped. All of this holds for open files too, binary or not.
"""

from __future__ import annotations

import gzip
import io
import lzma
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from typing import IO, Any, AnyStr, Final, TypeAlias, cast

from graphs.errors import BrokenFileError, InputError, Origin

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]

_LONGEST: Final = 1 << 24  # bytes of a line: a few bytes of gzip may unpack to more than fits into memory

_BLOCK: Final = 1 << 17  # bytes read at a time
_PACKED: Final = re.compile(
    rb"(?P<gzip>\x1f\x8b)|(?P<bzip2>BZh[1-9]1AY&SY)|(?P<xz>\xfd7zXZ\0)|(?P<zip>PK\x03\x04)|(?P<zstd>\x28\xb5\x2f\xfd)"
)
_UNPACK: Final = {"gzip": "gunzip -c", "bzip2": "bunzip2 -c", "xz": "xz -dc", "zip": "unzip -p", "zstd": "zstd -dc"}


class LongLineError(ValueError):
    """A line that is too long to be one."""


BREAKS: Final = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, LongLineError, MemoryError)
"""What reading a file raises that is damaged or cannot be read."""


class Extract(io.StringIO):
    """A part of a file that is read on its own; what is said of its sentences is true of the file.

    Args:
        text: the part.
        name: path of the file.
        line: the line of the file on which it begins, from 1.
        ordinal: the number in the file of its first sentence, from 1.
    """

    def __init__(self, text: str, name: str, line: int, ordinal: int) -> None:
        super().__init__(text, newline=None)
        self.name, self.line, self.ordinal = name, line, ordinal


def source_start(source: Source) -> tuple[int, int]:
    """The numbers of the first line and the first sentence of a source: 1, unless it is an extract."""
    return (source.line, source.ordinal) if isinstance(source, Extract) else (1, 1)


def source_name(source: Source) -> str:
    """The path of a source, "" for a file object that has none."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source)
    name = getattr(source, "name", "")
    return name if isinstance(name, str) else ""


def read_lines(source: Source) -> Iterator[str]:
    """The lines of a source without their line ends; a name in `.gz` is read through gzip.

    Raises:
        InputError: the source is neither path nor file, cannot be opened, is UTF-16, or its first line cannot be read.
        BrokenFileError: a later line cannot be read: the file is damaged, its disk is gone, the line is not UTF-8 or
            has no end in 16 MiB. The lines before it have been given out.
    """
    name, number = source_name(source), 0
    with ExitStack() as stack:
        try:
            for lines in _blocks(_opened(source, stack)):
                if not number:
                    _refuse_utf_16(lines, name)
                decoded, wrong = _decoded(lines)
                yield from decoded
                number += len(decoded)
                if wrong:
                    raise wrong
        except BREAKS as error:
            if not number:
                raise unreadable(name or "input", error) from None
            raise broken(name, number + 1, f"the file breaks off here ({reason(error)}); fetch it again") from None
        except UnicodeDecodeError as error:
            packer = "" if number else packed_by(error.object)
            if packer:
                named = isinstance(source, (str, os.PathLike))
                raise (packed(name, packer) if named else packed_stream(name, packer)) from None
            what = f"not UTF-8 text ({error.reason}); convert the file to UTF-8"
            raise broken(name, number + 1, what) from None


def byte_lines(file: IO[bytes]) -> Iterator[bytes]:
    """The lines of a binary file as they are, without their ends and without a byte order mark; raises `BREAKS`."""
    for lines in _blocks(file):
        yield from lines.split(b"\n")


def _blocks(file: IO[AnyStr]) -> Iterator[AnyStr]:
    r"""Whole lines, many at a time, with `\n` between them and none at the end; without a byte order mark."""
    read: Any = getattr(file, "read1", file.read)  # what is there already, of a pipe too
    rest: Any = read(_BLOCK)
    mark, end, lone = ("\ufeff", "\n", "\r") if isinstance(rest, str) else (b"\xef\xbb\xbf", b"\n", b"\r")
    none = rest[:0]
    more = bool(rest)
    while more and len(rest) < len(mark):
        block = read(_BLOCK)
        more, rest = bool(block), rest + block
    rest = rest.removeprefix(mark)
    while more:
        # A `\r` at the end may be half of a line end.
        cut = max(rest.rfind(end), rest.rfind(lone, 0, -1)) + 1
        if cut:
            yield _one_end(rest[:cut], end, lone)
            rest = rest[cut:]
        elif len(rest) > _LONGEST:
            raise LongLineError(f"no line end in {_LONGEST >> 20} MiB")
        block = read(_BLOCK)
        more, rest = bool(block), rest + block
    if rest != none:
        yield _one_end(rest, end, lone)


def _one_end(lines: Any, end: Any, lone: Any) -> Any:
    if lone in lines:
        lines = lines.replace(lone + end, end).replace(lone, end)
    return lines.removesuffix(end)


def _refuse_utf_16(lines: AnyStr, name: str) -> None:
    """Refuses UTF-16 without a byte order mark: of Latin letters it is UTF-8 too, with NUL beside each.

    Raises:
        InputError: every other character of the first line is NUL.
    """
    end, nul = ("\n", "\0") if isinstance(lines, str) else (b"\n", b"\0")
    first = lines.partition(end)[0]
    for half, order in ((first[::2], "BE"), (first[1::2], "LE")):
        if half and not half.strip(nul):
            raise InputError(
                f"{name or 'input'}: every other byte is 0, as in UTF-16; convert the file to UTF-8, as by "
                f"`iconv -f UTF-16{order} -t UTF-8 FILE`"
            )


def _decoded(lines: str | bytes) -> tuple[list[str], UnicodeDecodeError | None]:
    """Lines as text, up to the first that is not UTF-8, and what is wrong with that."""
    if isinstance(lines, str):
        return lines.split("\n"), None
    try:
        return lines.decode().split("\n"), None
    except UnicodeDecodeError as error:
        return lines[: error.start].decode().split("\n")[:-1], error


def unreadable(name: str | os.PathLike[str], error: BaseException) -> InputError:
    """The error of a file of which nothing can be read."""
    return InputError(f"{os.fspath(name)}: cannot be read ({reason(error)}); check the path or fetch it again")


def broken(name: str, line: int, what: str) -> InputError:
    """The error of a file whose line `line` cannot be read; before the first line, nothing of the file was of use."""
    if line > 1:
        return BrokenFileError(what, Origin(name, line))
    return InputError(f"{name or 'input'}:{line}: {what}")


def packed_by(begin: bytes) -> str:
    """The program that packed a file which begins so, or "": no text in UTF-8 begins like that."""
    found = _PACKED.match(begin)
    return found.lastgroup or "" if found else ""


def packed(name: str, packer: str) -> InputError:
    """The error of a packed file whose name does not say so, or that is not packed by gzip."""
    if packer == "gzip":
        return InputError(f"{name}: packed by gzip, and its name does not end in .gz; rename or unpack it")
    return InputError(f"{name}: packed by {packer}; unpack it, or pack it with gzip")


def packed_stream(name: str, packer: str) -> InputError:
    """The error of a packed file that came open, as standard input does, and is not unpacked by its name."""
    how = _UNPACK[packer]
    return InputError(f"{name or 'input'}: packed by {packer}; unpack it on the way, as in `{how} FILE | ...`")


def reason(error: BaseException) -> str:
    """What an error says, in one line."""
    if isinstance(error, MemoryError):
        return "not enough memory"
    said = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(said).split())


def _opened(source: Source, stack: ExitStack) -> IO[Any]:
    if not isinstance(source, (str, os.PathLike)):
        if not hasattr(source, "read"):
            raise InputError(f"a path or an open file is wanted, and {type(source).__name__} was given")
        if getattr(source, "closed", False):
            raise InputError(f"{source_name(source) or 'input'}: the file is closed; give it open, or its path")
        return source
    path = os.fspath(source)
    if "\n" in path:
        raise InputError("a text is given where a path is wanted; parse_brackets and parse_conllu read text")
    try:
        file = stack.enter_context(io.BufferedReader(io.FileIO(path), _BLOCK))
    except ValueError as error:  # a name with a null character
        raise InputError(f"{path!r}: cannot be read ({error}); check the path") from None
    if not path.endswith(".gz"):
        return file
    if not file.peek(1):
        raise EOFError("an empty file, no gzip")
    return cast(IO[bytes], stack.enter_context(gzip.GzipFile(fileobj=file)))
