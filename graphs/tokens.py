"""Tokens of raw English text, for models that read words in their order and need no parse.

The rules are those of the Penn Treebank that matter most: punctuation, brackets and quotation marks stand alone, as do
"n't" and what follows an apostrophe ("'s", "'ll"). Text that is tokenised already stays as it is.
"""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""
    -[LR][RSC]B-                                   # brackets of the treebank
    | \.{2,} | -{2,} | ``| ''                      # marks of several characters
    | (?:https?://|www\.)\S*[\w/]                  # addresses
    | (?:[A-Za-z]\.){2,}                           # abbreviations such as U.S.
    | (?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc)\.(?=\s)
    | [^\W\d_]+(?=n['’]t\b)                        # do of don't
    | n['’]t\b
    | ['’](?:s|m|d|ll|re|ve)\b
    | ['’]\d0s\b                                  # decades
    | \d+(?:[.,:/]\d+)*\w*(?:-\w+)*                # numbers, prices, times, ordinals
    | \w+(?:-\w+)*                                 # words, compounds
    | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)


def tokens(text: str) -> list[str]:
    """The tokens of a sentence; those that stand between spaces are cut further, never joined."""
    return [token for chunk in text.split() for token in _TOKEN.findall(f"{chunk} ")]
