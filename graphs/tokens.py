"""Tokens of raw English text, for models that read words in their order and need no parse.

The rules are those of the Penn Treebank that matter most: punctuation, brackets and quotation marks stand alone, as do
"n't" and what follows an apostrophe ("'s", "'ll"). Text that is tokenised already stays as it is, and words of other
scripts stay whole between spaces and punctuation.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache


@cache
def _pattern() -> re.Pattern[str]:
    """Of a token; made when text is first cut, as it takes a while."""
    # Parts of letters that `\w` lacks: accents and vowel signs with a character of their own, joiners, soft hyphens.
    places = [*range(0x300, 0x1F000), *range(0xE0100, 0xE01F0)]
    marks = "".join(char for char in map(chr, places) if unicodedata.category(char).startswith("M"))
    marks += "\xad\u200c\u200d\u2060" + "".join(map(chr, range(0x1F3FB, 0x1F400)))  # and colours of skin
    letter = rf"[\w{marks}]"
    return re.compile(
        rf"""
        -[LR][RSC]B-                                           # brackets of the treebank
        | \.{{2,}} | -{{2,}} | ``| ''                          # marks of several characters
        | (?:https?://|www\.)\S*[\w/]                          # addresses
        | (?:[A-Za-z]\.){{2,}}                                 # abbreviations such as U.S.
        | (?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc)\.(?=\s)
        | {letter}+(?=n['’]t\b)                                # do of don't
        | n['’]t\b
        | ['’](?:s|m|d|ll|re|ve)\b
        | ['’]\d0s\b                                           # decades
        | \d+(?:[.,:/]\d+)*{letter}*(?:-{letter}+)*            # numbers, prices, times, ordinals
        | \w{letter}*(?:-{letter}+)*                           # words, compounds
        | \S(?:[{marks}]|(?<=\u200d)\S)*                       # emoji may be of several characters
        """,
        re.VERBOSE | re.IGNORECASE,
    )


def tokens(text: str) -> list[str]:
    """The tokens of a sentence; those that stand between spaces are cut further, never joined."""
    cut = _pattern().findall
    return [token for chunk in text.split() for token in cut(f"{chunk} ")]
