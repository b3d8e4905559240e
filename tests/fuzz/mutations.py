"""Damage to files: what goes wrong in downloads, editors, spreadsheets and hands, and what an attacker would write."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

NASTY = (
    *(b"0", b"-1", b"-0", b"00", b"1", b"2", b"1_0", b"+1", b"1.5", b"1e309", b"nan", b"inf", b"-inf", b"0x1", b"1-2"),
    *(b"3.1", b"9" * 19, b"9" * 5000, b"-" + b"9" * 5000, b"1000000000000", "\u0661".encode(), "\u00b2".encode()),
    *(b"", b" ", b"\t", b"\n", b"\r", b"\r\n", b"\n\n", b"\x00", b"\x0b", b"\x0c", b"\x1c", b"\x7f", b"#", b"# "),
    *(b"(", b")", b"((", b"))", b"()", b"( )", b"<", b">", b"[", b"]", b"{", b"}", b'"', b"'", b",", b":", b"_", b"-"),
    *(b".", "\u0085".encode(), "\u2028".encode(), "\u00a0".encode(), "\u3000".encode(), "\ufeff".encode(), b"|"),
    *("\U0001f600".encode(), b"\xff", b"\xfe", b"\x80", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(b"-LRB-", b"-DOCSTART-", b"sent_id = ", b"&a", b"*a", b"null", b"true", b"||"),
)
_TOKEN = re.compile(rb"[^ \t\n()|<>\[\]{},:\"]+")
_NUMBER = re.compile(rb"-?[0-9]+")
_ENDS = (b"\r\n", b"\r", b"\n\n", b"\xc2\x85", b"\xe2\x80\xa8", b"", b" ", b"\x00")

Mutation = Callable[[bytes, Random], bytes]


def mutated(data: bytes, random: Random) -> bytes:
    """`data` after one to four mutations."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        data = random.choice(_MUTATIONS)(data, random)
    return data


def damaged(data: bytes, random: Random) -> bytes:
    """`data`, a binary file, after one or two mutations that know nothing of lines."""
    for _ in range(random.choice((1, 1, 2))):
        data = random.choice((_cut_off, _flip, _overwrite, _insert, _drop))(data, random)
    return data


def _token(data: bytes, random: Random) -> bytes:
    found = _TOKEN.findall(data)
    return _replaced(data, _TOKEN, random.choice(NASTY + tuple(found)), random)


def _number(data: bytes, random: Random) -> bytes:
    near = str(random.randrange(-2, 12)).encode()
    return _replaced(data, _NUMBER, random.choice((near, near, random.choice(NASTY[:24]))), random)


def _replaced(data: bytes, pattern: re.Pattern[bytes], new: bytes, random: Random) -> bytes:
    # From a random place on: finding all places would take longer than all else.
    match = pattern.search(data, random.randrange(len(data) + 1)) or pattern.search(data)
    return data[: match.start()] + new + data[match.end() :] if match else data + new


def _lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    what = random.randrange(5)
    if what == 0:
        del lines[one]
    elif what == 1:
        lines.insert(other, lines[one])
    elif what == 2:
        lines[one], lines[other] = lines[other], lines[one]
    elif what == 3:
        lines.insert(one, random.choice((b"", b" ", b"\t", b"# c", b"(")))
    else:
        lines[one : one + 2] = [b"".join(lines[one : one + 2])]
    return b"\n".join(lines)


def _ends(data: bytes, random: Random) -> bytes:
    others = ((b"\t", b" "), (b" ", b"\t"), (b" ", b"\xc2\xa0"), (b"_", b""))
    old, new = random.choice(((b"\n", random.choice(_ENDS)), *others))
    return data.replace(old, new, random.choice((-1, 1, 2)))


def _insert(data: bytes, random: Random) -> bytes:
    place = random.choice((0, len(data), random.randrange(len(data) + 1)))
    return data[:place] + random.choice(NASTY) * random.choice((1, 1, 1, 2, 50)) + data[place:]


def _drop(data: bytes, random: Random) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + data[place + random.choice((1, 1, 2, 8, 64)) :]


def _cut_off(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _flip(data: bytes, random: Random) -> bytes:
    if not data:
        return data
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def _overwrite(data: bytes, random: Random) -> bytes:
    place, size = random.randrange(len(data) + 1), random.choice((1, 2, 4, 8, 16))
    return data[:place] + random.choice((bytes(size), b"\xff" * size, random.randbytes(size))) + data[place + size :]


def _twice(data: bytes, random: Random) -> bytes:
    start = random.randrange(len(data) + 1)
    end = random.randrange(start, len(data) + 1)
    return data[:end] + data[start:end] * random.choice((1, 1, 2, 20)) + data[end:]


_MUTATIONS: tuple[Mutation, ...] = (
    *(_token, _token, _token, _number, _number, _number, _lines, _lines, _ends),
    *(_insert, _drop, _cut_off, _flip, _twice),
)
