r"""CCGbank's AUTO files: on one line the name of a sentence, on the next its CCG derivation.

`(<T S[dcl] 1 2> (<L NP PRP PRP She NP>) (<L S[dcl]\NP VBD VBD slept S[dcl]\NP_1>) )`: an inner node has a category,
the number of its head child and how many children it has; a leaf has a category, the POS tag as CCGbank corrected
it, the original one, the word, and the category with indices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from graphs.columns import Constituency, Tagged
from graphs.errors import Origin, SentenceError
from graphs.formats.numbers import natural
from graphs.formats.policy import OnError, Sentences, collect
from graphs.formats.source import Source, read_lines, source_name

_PIECE = re.compile(
    r"\(<T (?P<category>[^ ]+) [0-9]+ (?P<children>[0-9]+)> ?"
    r"|\(<L (?P<supertag>[^ ]+) (?P<pos>[^ ]+) [^ ]+ (?P<word>[^ ]+) [^ ]+>\) ?"
    r"|(?P<close>\)) ?"
    r"|(?P<other>.+)"
)


def read_auto(source: Source, *, on_error: OnError = "raise") -> Sentences[Tagged]:
    """Reads the words of derivations, with columns pos (as CCGbank corrected it) and category.

    Args:
        source: path (`.gz` too) or open file.
        on_error: "raise" at the first bad sentence, or "skip" it and list it in `skipped`.

    Raises:
        InputError: the file cannot be read, or `on_error` is neither word.
        SentenceError: a name without a derivation, a derivation that is not well formed, or a file that breaks off
            (`policy`).
    """
    found = _derivations(source)
    return collect((each if isinstance(each, SentenceError) else _leaves(each) for each in found), on_error)


def read_auto_trees(source: Source, *, on_error: OnError = "raise") -> Sentences[Constituency]:
    """Reads derivations as trees whose labels are categories, those of words too; otherwise as `read_auto`."""
    found = _derivations(source)
    return collect((each if isinstance(each, SentenceError) else each.tree for each in found), on_error)


class _Derivation(NamedTuple):
    tree: Constituency
    pos: list[str]


def _leaves(derivation: _Derivation) -> Tagged:
    tree, pos = derivation
    return Tagged(tree.words, {"pos": pos, "category": tree.pos}, tree.origin)  # the labels of its leaves


def _derivations(source: Source) -> Iterator[_Derivation | SentenceError]:
    file = source_name(source)
    ordinal, named = 0, None  # named: the sentence whose derivation should be next
    for number, line in enumerate(read_lines(source), 1):
        line = line.strip(" \t")
        if not line:
            continue
        if line.startswith("ID="):
            if named is not None:
                yield SentenceError("no derivation follows", named)
            ordinal += 1
            named = Origin(file, number, line[3:].partition(" ")[0].removesuffix(","))  # depccg has one
            continue
        if named is None:
            ordinal += 1
        origin, named = named or Origin(file, number, str(ordinal)), None
        try:
            yield _parse(line, origin)
        except SentenceError as error:
            yield error
    if named is not None:
        yield SentenceError("no derivation follows", named)


def _parse(line: str, origin: Origin) -> _Derivation:
    label: list[str] = []
    word: list[str | None] = []
    parent: list[int] = []
    pos: list[str] = []
    open_: list[tuple[int, int]] = []  # nodes not closed yet, and how many children each still lacks
    for piece in _PIECE.finditer(line):
        if piece["other"]:
            raise SentenceError(f"a derivation cannot go on with {piece['other'][:40]!r}", origin)
        if piece["close"]:
            if not open_:
                raise SentenceError("a closing bracket without an opening one", origin)
            node, lacking = open_.pop()
            if lacking:
                raise SentenceError(f"a node {label[node]} has not as many children as it says", origin)
            continue
        if label and not open_:
            raise SentenceError("more than one derivation on a line", origin)
        parent.append(open_[-1][0] if open_ else -1)
        if open_:
            open_[-1] = open_[-1][0], open_[-1][1] - 1
        if piece["category"]:
            open_.append((len(label), natural(piece["children"])))
            if not open_[-1][1]:
                raise SentenceError(f"a node {piece['category']} has no children", origin)
        else:
            pos.append(piece["pos"])
        label.append(piece["category"] or piece["supertag"])
        word.append(piece["word"])
    if open_:
        raise SentenceError(f"{len(open_)} brackets are not closed", origin)
    return _Derivation(Constituency(label, word, np.array(parent, dtype=np.int64), origin), pos)
