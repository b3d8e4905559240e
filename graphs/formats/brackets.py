r"""Penn Treebank brackets: `(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))`, also with SST's numbers as labels.

The columns come straight out of one pass over the tokens. Stanza's reader is not used: it turns U+00A0 inside
a token into a space, takes `(2 b c)` for one word, and gives up the whole file at one broken bracket.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from graphs.columns import Constituency
from graphs.errors import BrokenFileError, Origin, SentenceError, check_kind
from graphs.formats.policy import OnError, Sentences, collect
from graphs.formats.source import Source, read_lines, source_name, source_start
from graphs.trees import require_one, require_pre_order, require_words, spans_below

# Space, tab and line ends separate tokens; U+00A0 and its like belong to them.
_TOKEN = re.compile(r"[()\n]|[^ \t\r\n()]+")
_ATOM = re.compile(r"[^ \t\r\n()]+")
_ESCAPED = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    r"\/": "/",
    r"\*": "*",
}
_PLAIN = {plain: escaped for escaped, plain in _ESCAPED.items()}
_ESCAPED_PATTERN = re.compile("|".join(map(re.escape, _ESCAPED)))
_PLAIN_PATTERN = re.compile("|".join(map(re.escape, _PLAIN)))


def read_brackets(source: Source, *, on_error: OnError = "raise", unescape: bool = False) -> Sentences[Constituency]:
    r"""Reads a file of bracketed trees, on one line each or on several.

    A `(` in the first column starts a new tree, so that one missing bracket spoils one tree and not the file;
    a tree on several lines indents the lines after its first. An unlabelled bracket around a whole tree,
    `( (S ...))`, is taken off. Labels and traces stay as they are.

    Args:
        source: path (`.gz` too) or open file.
        on_error: "raise" at the first bad tree, or "skip" it and list it in `skipped`.
        unescape: turn `-LRB-` and the like, `\/` and `\*` in words into what they stand for.

    Raises:
        InputError: the file cannot be read, or `on_error` is neither word.
        SentenceError: a bracket is empty, not closed or not opened, or has several words and nothing else, text stands
            outside brackets, or the file breaks off (`policy`).
    """
    return collect(_trees(read_lines(source), source_name(source), unescape, *source_start(source)), on_error)


def parse_brackets(text: str, *, on_error: OnError = "raise", unescape: bool = False) -> Sentences[Constituency]:
    """Reads bracketed trees from a string; otherwise as `read_brackets`.

    Raises:
        InputError: it is no text, or `on_error` is neither word.
        SentenceError: as of `read_brackets`.
    """
    check_kind(text, str, "give text, or a file to `read_brackets`")
    return read_brackets(io.StringIO(text, newline=None), on_error=on_error, unescape=unescape)


def to_brackets(tree: Constituency, *, escape: bool = False) -> str:
    """Writes a tree on one line, so that reading it gives the same columns.

    Args:
        tree: tree to write.
        escape: write brackets, `/` and `*` in words escaped, for a tree that was read with `unescape`; brackets in
            tags of words too, `(` as -LRB-, as treebanks have it. A word that itself has -LRB- or the like stays as it
            is, and is read as the bracket.

    Raises:
        SentenceError: if there are several trees side by side, nodes that are not in pre-order, or `trees.parents`
            refuses the tree; if a label or a word holds a space or a bracket, if a word that is escaped would be read
            as another, as `-LRB)` would, or if a word without a label would be read as something else (it stands first
            in a phrase without a label, or has no labelled sibling).
    """
    above = require_one(tree)
    require_words(tree, above)
    require_pre_order(above, spans_below(tree, above), tree.origin)
    parent = above.tolist()
    _refuse_unlabelled(tree, parent)
    pieces: list[str] = []
    open_: list[int] = []
    for node, (label, word) in enumerate(zip(tree.label, tree.word, strict=True)):
        while open_ and open_[-1] != parent[node]:
            open_.pop()
            pieces.append(")")
        if node:
            pieces.append(" ")
        if escape and word is not None:
            label = label.replace("(", _PLAIN["("]).replace(")", _PLAIN[")"])
            word = _escaped(word, tree.origin)
        if label:
            _require_atom(label, tree.origin)
        if word is None:
            open_.append(node)
            pieces.append(f"({label}")
            continue
        _require_atom(word, tree.origin)
        pieces.append(f"({label} {word})" if label else word)
    text = "".join(pieces) + ")" * len(open_)
    # Reading takes one unlabelled bracket off a whole tree: one that is really there needs another around it.
    bare_root = tree.label[0] == "" and parent.count(0) == 1
    return f"( {text})" if bare_root else text


def from_stanza_tree(tree: Any, origin: Origin | None = None) -> Constituency:
    """Columns of a `stanza.models.constituency.parse_tree.Tree`, as its parser and its reader make them.

    Raises:
        SentenceError: if there is no tree.
    """
    if tree is None:
        raise SentenceError("the sentence has no constituency tree; run Stanza with its constituency processor", origin)
    label: list[str] = []
    word: list[str | None] = []
    parent: list[int] = []
    stack = [(tree, -1)]
    while stack:
        node, above = stack.pop()
        parent.append(above)
        if not node.children:
            label.append("")
            word.append(node.label)
        elif len(node.children) == 1 and not node.children[0].children:
            label.append(node.label or "")
            word.append(node.children[0].label)
        else:
            place = len(label)
            label.append(node.label or "")
            word.append(None)
            stack.extend((child, place) for child in reversed(node.children))
    return Constituency(label, word, np.asarray(parent, dtype=np.int64), origin or Origin())


def unescaped(word: str) -> str:
    r"""A word of a treebank with `-LRB-` and the like, `\/` and `\*` as what they stand for."""
    return _ESCAPED_PATTERN.sub(lambda match: _ESCAPED[match.group()], word)


def _trees(
    lines: Iterable[str], file: str, unescape: bool, first: int, ordinal: int
) -> Iterator[Constituency | SentenceError]:
    for start, text in _blocks(lines, first):
        try:
            trees = _parse(text, file, start, ordinal)
        except SentenceError as error:
            ordinal += 1
            yield error
            continue
        ordinal += len(trees)
        for tree in trees:
            if unescape:
                tree.word = [word and unescaped(word) for word in tree.word]
            yield tree


def starts_tree(line: str, depth: int) -> bool:
    """Whether a line begins a tree, where `depth` brackets of the lines since the last beginning are open."""
    return line.startswith("(") or (depth <= 0 and bool(line.strip(" \t")))


def _blocks(lines: Iterable[str], first: int) -> Iterator[tuple[int, str]]:
    """Cuts lines into trees: the line on which each starts, and its text."""
    block: list[str] = []
    start, depth = 0, 0
    try:
        for number, line in enumerate(lines, first):
            if starts_tree(line, depth):
                if block:
                    yield start, "\n".join(block)
                start, block, depth = number, [], 0
            if start:
                block.append(line)
                depth += line.count("(") - line.count(")")
    except BrokenFileError:
        if block and depth == 0:  # whole, and only the file ends too early
            yield start, "\n".join(block)
        raise
    if block:
        yield start, "\n".join(block)


def _parse(text: str, file: str, start: int, ordinal: int) -> list[Constituency]:
    """The trees of one block (several only where they share a line)."""
    trees: list[Constituency] = []
    line = start
    label: list[str] = []
    word: list[str | None] = []
    parent: list[int] = []
    open_: list[int] = []  # brackets that are open, and how many bracketed children each has so far
    bracketed: list[int] = []
    wants_label = False

    def refuse(reason: str) -> NoReturn:
        raise SentenceError(f"line {line}: {reason}", Origin(file, start, str(ordinal)))

    for token in _TOKEN.findall(text):
        if token == "(":
            if open_:
                bracketed[-1] += 1
            parent.append(open_[-1] if open_ else -1)
            open_.append(len(label))
            bracketed.append(0)
            label.append("")
            word.append(None)
            wants_label = True
        elif token == ")":
            if not open_:
                refuse("a closing bracket without an opening one")
            node, inner = open_.pop(), bracketed.pop()
            words = len(label) - node - 1
            if not words:
                refuse(f"empty bracket ({label[node]}); a bracket in a word or a label is written -LRB- or -RRB-")
            if not inner and words > 1:
                refuse(f"a bracket with {words} words, ({label[node]} {word[node + 1]} {word[node + 2]} ...")
            if not inner:  # a preterminal and its word become one node
                word[node] = word.pop()
                label.pop()
                parent.pop()
            wants_label = False
            if not open_:
                if label[0] == "" and parent.count(0) == 1:  # ( (S ...)): the root is the bracket within
                    label, word, parent = label[1:], word[1:], [above - 1 for above in parent[1:]]
                    parent[0] = -1
                origin = Origin(file, start, str(ordinal + len(trees)))
                trees.append(Constituency(label, word, np.asarray(parent, dtype=np.int64), origin))
                label, word, parent = [], [], []
        elif token == "\n":
            line += 1
        elif wants_label:
            label[-1] = token
            wants_label = False
        elif open_:
            label.append("")
            word.append(token)
            parent.append(open_[-1])
        else:
            refuse(f"text outside brackets: {token[:40]!r}")
    if open_:
        line = start
        count = f"{len(open_)} brackets are" if len(open_) > 1 else "1 bracket is"
        refuse(f"{count} not closed before the next tree (a '(' in the first column) or the end")
    return trees


def _escaped(word: str, origin: Origin) -> str:
    """A word with what stands for its brackets, `/` and `*`; of one that itself has -LRB- and the like, these stay.

    Raises:
        SentenceError: they would be read as other ones, as the `-LRB-RRB-` of `-LRB)` would as `(RRB-`.
    """
    escaped = _PLAIN_PATTERN.sub(lambda match: _PLAIN[match.group()], word)
    read = unescaped(escaped)
    if read not in (word, unescaped(word)):
        raise SentenceError(f"{word!r} cannot be written escaped: {escaped} is read as {read!r}", origin)
    return escaped


def _require_atom(text: str, origin: Origin) -> None:
    if not isinstance(text, str) or not _ATOM.fullmatch(text):
        raise SentenceError(
            f"{text!r} cannot be written in brackets: it is no text, empty or holds a space or a bracket", origin
        )


def _refuse_unlabelled(tree: Constituency, parent: list[int]) -> None:
    """Refuses words without a label where brackets would read them as a label or as a preterminal's word."""
    plain = {node for node, (label, word) in enumerate(zip(tree.label, tree.word, strict=True)) if not label and word}
    if not plain:
        return
    safe = {above for node, above in enumerate(parent) if node not in plain}
    for node in plain:
        above = parent[node]
        if above not in safe or (tree.label[above] == "" and node == above + 1):
            raise SentenceError(
                f"the word {tree.word[node]!r} has no label and cannot be written in brackets", tree.origin
            )
