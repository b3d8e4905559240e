"""Pretrained word vectors: GloVe and word2vec text files, read for the words of a vocabulary alone."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import lzma
import re
import struct
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

import numpy as np
import numpy.typing as npt

from graphs.errors import InputError, check_kind
from graphs.features import PADDING, SPECIAL, UNKNOWN, Vocabulary
from graphs.formats.numbers import natural
from graphs.formats.source import BREAKS, byte_lines, reason

_OF_WORDS: Final = "of graphs.Vocabularies give .word"
_PEEK: Final = 100  # lines from which the dimension is found
_REPORT: Final = 20_000  # lines between two reports of progress
_HEADER = re.compile(rb"(\d+) (\d+)")
_NUMBERS = re.compile(rb"(?: [-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)+")
# What `zipfile` raises for a damaged archive, a kind of compression that it does not know, and a password.
_BROKEN_ARCHIVE = (zipfile.BadZipFile, lzma.LZMAError, struct.error, NotImplementedError, RuntimeError, ValueError)


@dataclass(eq=False, slots=True)
class WordVectors:
    """Vectors for a vocabulary of V ids.

    Attributes:
        matrix: [V, d] float32; zero where there is no vector, so at padding and unknown too.
        found: [V] whether an id has a vector.
        vocabulary: what the ids stand for.
    """

    matrix: npt.NDArray[np.float32]
    found: npt.NDArray[np.bool_]
    vocabulary: Vocabulary

    def take(self, vocabulary: Vocabulary) -> WordVectors:
        """The vectors of another vocabulary with special ids; a word that is new here has none.

        Raises:
            InputError: it is no vocabulary.
        """
        check_kind(vocabulary, Vocabulary, _OF_WORDS)
        ids = [PADDING, UNKNOWN, *self.vocabulary.ids(vocabulary.strings[len(SPECIAL) :])]
        return WordVectors(self.matrix[ids], self.found[ids], vocabulary)


def read_vectors(path: str | Path, vocabulary: Vocabulary, *, progress: bool = False) -> WordVectors:
    """Reads the vectors of the words of a vocabulary; all other lines are passed over unparsed.

    A word takes the vector of its own form, else that of its lower-cased form. Where a file gives a form
    twice, the first counts.

    Args:
        path: GloVe text, or word2vec text (first line `n dimension`); plain, .gz, or .zip of one file.
        vocabulary: the V ids that want vectors.
        progress: report lines read to stderr.

    Returns:
        Vectors for all V ids; `torch.from_numpy(read.matrix)` is what `dglsent.nn.embeddings.WordEmbedding` takes.

    Raises:
        InputError: the file is missing, empty, broken or cut short, a .zip of several files, or a line has a wrong
            number of fields or something else than a number; the message names the line. Or the vocabulary is none.
    """
    check_kind(vocabulary, Vocabulary, _OF_WORDS)
    path = Path(path)
    reached = 0

    def counted(lines: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal reached
        for reached, line in enumerate(lines, 1):  # noqa: B007
            yield line

    with contextlib.ExitStack() as stack:
        try:
            lines = counted(byte_lines(stack.enter_context(_open(path))))
            return _read(path, _report(lines, path) if progress else lines, vocabulary)
        except InputError:
            raise
        except (*BREAKS, *_BROKEN_ARCHIVE) as error:
            place = f"{path}:{reached + 1}" if reached else path
            raise InputError(
                f"{place}: word vectors cannot be read ({reason(error)}); check the path or fetch again"
            ) from None


def _read(path: Path, lines: Iterable[bytes], vocabulary: Vocabulary) -> WordVectors:
    lines = iter(lines)
    peeked = list(itertools.islice(lines, _PEEK))
    promised, dimension = _shape(path, peeked)
    first = len(SPECIAL) if vocabulary.special else 0
    exact = {string.encode(): number for number, string in enumerate(vocabulary.strings) if number >= first}
    lowered: dict[bytes, list[int]] = defaultdict(list)
    for string, number in exact.items():
        lowered[string.decode().lower().encode()].append(number)
    # Of most lines only the first field is looked at. A token may have spaces (GloVe 840B has some).
    heads = {string.partition(b" ")[0] for string in (*exact, *lowered)}

    matrix = np.zeros((len(vocabulary), dimension), dtype=np.float32)
    found = np.zeros(len(vocabulary), dtype=np.bool_)
    own = np.zeros(len(vocabulary), dtype=np.bool_)  # has the vector of its own form
    number = skipped = 1 if promised is not None else 0
    for number, line in enumerate(itertools.chain(peeked[skipped:], lines), skipped + 1):
        line = line.rstrip(b" \t")
        if line.count(b" ") < dimension:
            if not line:
                raise InputError(f"{path}:{number}: empty line among word vectors; delete it")
            raise _misfit(path, number, line.count(b" "), dimension)
        if line.partition(b" ")[0] not in heads:
            continue
        token, *fields = line.rsplit(b" ", dimension)
        rest = token.partition(b" ")[2]
        if rest and _NUMBERS.fullmatch(b" " + rest):
            raise _misfit(path, number, line.count(b" "), dimension)
        mine = exact.get(token)
        targets = [other for other in lowered.get(token, ()) if not found[other]]
        if mine is not None and not own[mine]:
            own[mine] = True
            targets.append(mine)
        if targets:
            found[targets] = True
            matrix[targets] = _numbers(path, number, fields)
    if promised is not None and number - 1 < promised:
        raise InputError(f"{path}: ends after {number - 1} of the {promised} vectors of its first line; fetch it again")
    return WordVectors(matrix, found, vocabulary)


def _shape(path: Path, lines: list[bytes]) -> tuple[int | None, int]:
    """The number of vectors that a header promises (None without header) and their dimension."""
    fields = [line.rstrip(b" \t").count(b" ") for line in lines]
    after = [field for line in lines for field in line.split(b" ")[1:] if field]
    # Text has numbers too, and vectors broken ones.
    if not any(line.strip() for line in lines) or 2 * sum(map(_is_number, after)) < len(after):
        raise InputError(f"{path}: holds no word vectors; give a GloVe or word2vec text file")
    header = _HEADER.fullmatch(lines[0].rstrip())
    promised, dimension = (natural(number.decode()) for number in header.groups()) if header else (0, 0)
    # A line of one-dimensional GloVe looks like a header; the line after it tells them apart.
    if header and (len(lines) == 1 or fields[1] > 1 or dimension == 1):
        if len(lines) == 1:
            raise InputError(f"{path}: holds no word vectors after its first line; fetch the file again")
        # Looked at before memory is taken: what a header promises may be more than there is in the world.
        if not 0 < dimension <= fields[1]:
            raise _misfit(path, 2, fields[1], dimension)
        return promised, dimension
    # The usual number of fields: a token with spaces or a broken line among the first does not set it.
    dimension = Counter(fields).most_common(1)[0][0]
    if dimension == 0:
        raise InputError(f"{path}:1: no numbers after the word; give a GloVe or word2vec text file")
    return None, dimension


def _numbers(path: Path, number: int, fields: list[bytes]) -> npt.NDArray[np.float32]:
    # `float` alone would take "1_0" and "nan" too.
    if _NUMBERS.fullmatch(b" " + b" ".join(fields)):
        with np.errstate(over="ignore"):
            vector = np.array([float(field) for field in fields], dtype=np.float32)
        if np.isfinite(vector).all():
            return vector
    wrong = next(field for field in fields if not _is_number(field))
    text = wrong[:40].decode("utf-8", "replace")
    raise InputError(f"{path}:{number}: {text!r} is not a number; repair or delete the line")


def _is_number(field: bytes) -> bool:
    with np.errstate(over="ignore"):
        return bool(_NUMBERS.fullmatch(b" " + field) and np.isfinite(np.float32(float(field))))


def _misfit(path: Path, number: int, fields: int, dimension: int) -> InputError:
    return InputError(f"{path}:{number}: {fields} numbers after the word, not {dimension}; repair or delete the line")


def _open(path: Path) -> IO[bytes]:
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    if path.suffix == ".zip":
        archive = zipfile.ZipFile(path)
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        if len(members) != 1:
            names = ", ".join(member.filename for member in members) or "none"
            raise InputError(f"{path}: holds {len(members)} files ({names}); unpack it and give one of them")
        return archive.open(members[0])
    return path.open("rb", buffering=1 << 20)


def _report(lines: Iterable[bytes], path: Path) -> Iterator[bytes]:
    number = 0
    for number, line in enumerate(lines, 1):
        if number % _REPORT == 0:
            print(f"\r{path.name}: {number:,} lines", end="", file=sys.stderr, flush=True)
        yield line
    print(f"\r{path.name}: {number:,} lines", file=sys.stderr)
