"""Tai et al.'s preprocessed corpora: parallel text files, line i of each about sentence i.

Tokens are separated by spaces; parents count from 1 and 0 is the root. Layouts of stanfordnlp/treelstm
(`sents.txt`, `parents.txt`, `labels.txt`) and dasguptar/treelstm.pytorch (`a.toks`, `a.parents`, `a.rels`,
`a.cparents`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

import numpy as np

from graphs.columns import Constituency, Dependencies
from graphs.errors import BrokenFileError, InputError, Origin, SentenceError
from graphs.formats.numbers import whole_number
from graphs.formats.policy import OnError, Sentences, collect
from graphs.formats.source import read_lines
from graphs.trees import from_children, refuse_cycle

T = TypeVar("T")
Path: TypeAlias = str | os.PathLike[str]

_TOKEN = re.compile(r"[^ \t]+")  # U+00A0 belongs to a token


def read_tai_dependencies(
    toks: Path, parents: Path, rels: Path | None = None, *, on_error: OnError = "raise"
) -> Sentences[Dependencies]:
    """Reads dependency trees.

    Args:
        toks: file of tokens.
        parents: file of heads, one a token; 0 is the root; -1, a token that the parser left out, becomes one more
            root.
        rels: file of relations, one a token; "_" where it is not given.
        on_error: "raise" at the first bad sentence, or "skip" it and list it in `skipped`.

    Raises:
        InputError: a file cannot be read, the files do not have the same number of lines, or `on_error` is neither
            word.
        SentenceError: a line has no tokens, too few or too many entries, a head that is no number or out of range, or
            a cycle, or a file breaks off (`policy`).
    """

    def build(lines: dict[str, list[str]], origin: Origin) -> Dependencies:
        words = lines["toks"]
        relation = _sized("rels", lines, len(words), "tokens", origin) if "rels" in lines else ["_"] * len(words)
        head = _parents("parents", lines, len(words), -1, origin)
        _sized("parents", lines, len(words), "tokens", origin)
        head = np.maximum(head - 1, -1)
        refuse_cycle(head, origin)
        return Dependencies(word=words, head=head, relation=relation, origin=origin)

    return collect(_parallel({"toks": toks, "parents": parents, "rels": rels}, build), on_error)


def read_tai_constituency(
    toks: Path,
    cparents: Path,
    labels: Path | None = None,
    tags: Path | None = None,
    *,
    on_error: OnError = "raise",
) -> Sentences[Constituency]:
    """Reads constituency trees, whose first nodes are the tokens; siblings go in the order of their tokens.

    Args:
        toks: file of tokens.
        cparents: file of parents, one for each node of the tree.
        labels: file with a label for each node, such as SST's -2 to 2; "" where it is not given.
        tags: file with a tag for each token, which takes the place of its label.
        on_error: "raise" at the first bad sentence, or "skip" it and list it in `skipped`.

    Raises:
        InputError: a file cannot be read, the files do not have the same number of lines, or `on_error` is neither
            word.
        SentenceError: a line has no tokens, too few or too many entries, or parents that are not one tree over its
            tokens, or a file breaks off (`policy`).
    """

    def build(lines: dict[str, list[str]], origin: Origin) -> Constituency:
        words = lines["toks"]
        parent = (_parents("cparents", lines, len(lines["cparents"]), 0, origin) - 1).tolist()
        below, root = _below(parent, len(words), origin)
        label = _sized("labels", lines, len(parent), "nodes", origin) if "labels" in lines else [""] * len(parent)
        if "tags" in lines:
            label = _sized("tags", lines, len(words), "tokens", origin) + label[len(words) :]
        word = [*words, *[None] * (len(parent) - len(words))]
        tree = from_children(label, word, below, root, origin)
        if len(tree) < len(parent):
            raise SentenceError(f"{len(parent) - len(tree)} nodes of cparents do not hang on the root", origin)
        if tree.words != words:
            raise SentenceError("cparents has a phrase whose tokens are not neighbours", origin)
        return tree

    files = {"toks": toks, "cparents": cparents, "labels": labels, "tags": tags}
    return collect(_parallel(files, build), on_error)


def _below(parent: list[int], size: int, origin: Origin) -> tuple[list[list[int]], int]:
    """The children of each node, ordered by their first token, and the root."""
    if len(parent) < size:
        raise SentenceError(f"{len(parent)} cparents for {size} tokens", origin)
    root = [node for node, above in enumerate(parent) if above < 0]
    if len(root) != 1:
        raise SentenceError(f"cparents has {len(root)} roots, expected 1", origin)
    below: list[list[int]] = [[] for _ in parent]
    seen = [False] * len(parent)
    # A node is met first on the way up from its first token, so children are appended in the order of these.
    for token in range(size):
        node = token
        while node >= 0 and not seen[node]:
            seen[node] = True
            if parent[node] >= 0:
                below[parent[node]].append(node)
            node = parent[node]
    if any(below[:size]):
        token = next(token for token in range(size) if below[token])
        raise SentenceError(f"cparents makes token {token + 1} a phrase; the first {size} nodes are tokens", origin)
    if not all(seen):
        raise SentenceError(f"node {seen.index(False) + 1} of cparents has no token under it", origin)
    return below, root[0]


def _parallel(
    files: dict[str, Path | None], build: Callable[[dict[str, list[str]], Origin], T]
) -> Iterator[T | SentenceError]:
    """Splits line i of every file into its entries and builds sentence i."""
    given = {kind: os.fspath(path) for kind, path in files.items() if path is not None}
    breaks: list[BrokenFileError] = []
    columns = {kind: _lines(path, breaks) for kind, path in given.items()}
    first = given["toks"]
    size = len(columns["toks"])
    for kind, path in given.items():
        if len(columns[kind]) != size and not breaks:
            raise InputError(f"{first} has {size} lines but {path} has {len(columns[kind])}; they must be parallel")
    for number, row in enumerate(zip(*columns.values(), strict=False), 1):
        origin = Origin(first, number, str(number))
        lines = {kind: _TOKEN.findall(line) for kind, line in zip(columns, row, strict=True)}
        try:
            if not lines["toks"]:
                raise SentenceError("the sentence has no tokens", origin)
            yield build(lines, origin)
        except SentenceError as error:
            yield error
    if breaks:
        raise breaks[0]


def _lines(path: str, breaks: list[BrokenFileError]) -> list[str]:
    """The lines of a file up to where it breaks."""
    lines: list[str] = []
    try:
        lines.extend(read_lines(path))
    except BrokenFileError as error:
        breaks.append(error)
    return lines


def _sized(kind: str, lines: dict[str, list[str]], size: int, of: str, origin: Origin) -> list[str]:
    if len(lines[kind]) != size:
        raise SentenceError(f"{len(lines[kind])} {kind} for {size} {of}", origin)
    return lines[kind]


def _parents(kind: str, lines: dict[str, list[str]], size: int, lowest: int, origin: Origin) -> np.ndarray:
    """Parents counted from 1, checked to lie between `lowest` and `size`."""
    parents: list[int] = []
    for text in lines[kind]:
        number = whole_number(text)
        if number is None:
            raise SentenceError(f"{text[:40]!r} in {kind} is not a number", origin)
        if not lowest <= number <= size:
            raise SentenceError(f"{text[:40]} in {kind} is out of range, the tree has {size} nodes", origin)
        parents.append(number)
    return np.asarray(parents, dtype=np.int64)
