"""Numbers as files write them: plain ASCII digits.

`int` and `float` would also take "1_0", " 1", digits of other scripts and "nan", and `int` refuses more than 4,300
digits with an error of its own.
"""

from __future__ import annotations

import re
from typing import Final

_DIGITS: Final = 18  # so many digits always fit into 64 bits
_LARGEST: Final = 10**_DIGITS
_WHOLE = re.compile(r"-?[0-9]+")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")


def natural(text: str) -> int:
    """What plain digits stand for, -1 for any other text; 10^18 for all numbers from there on."""
    if not (text.isascii() and text.isdecimal()):
        return -1
    return int(text) if len(text) <= _DIGITS or len(text := text.lstrip("0") or "0") <= _DIGITS else _LARGEST


def whole_number(text: str) -> int | None:
    """What plain digits with or without a minus stand for, None for any other text; at most 10^18 either way."""
    if not _WHOLE.fullmatch(text):
        return None
    return -natural(text[1:]) if text[0] == "-" else natural(text)


def decimal_number(text: str) -> float | None:
    """What a decimal number stands for, None for any other text and for "nan" and "inf"; infinite where too large."""
    return float(text) if _DECIMAL.fullmatch(text) else None
