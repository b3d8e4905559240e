"""Trees into other trees over the same words: traces, functional tags, unary chains, binary branching.

No function changes the tree that it is given; where there is nothing to do, it may return that tree. Where one would
have to tell the trees of a forest apart, or cut a label that is no text, it refuses it by a SentenceError.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np

from graphs.columns import Constituency, IntArray
from graphs.errors import InputError, SentenceError, check_choice
from graphs.heads import bare_label, heads_below
from graphs.trees import children, from_children, ordered_parents, require_labels, require_one, require_words

TRACE: Final = "-NONE-"  # the tag of what is no word of the sentence
_OUTER = frozenset({"", "ROOT", "TOP", "S1"})
_JOIN = "+"
_MADE = "@"


def drop_traces(tree: Constituency) -> Constituency:
    """Drops the leaves tagged -NONE- and the phrases that are left without words.

    Raises:
        SentenceError: no word is left, or there are several trees, or a broken one.
    """
    parents = require_one(tree)
    require_words(tree, parents)
    parent = parents.tolist()
    keep = [word is not None and label != TRACE for label, word in zip(tree.label, tree.word, strict=True)]
    for node in range(len(tree) - 1, 0, -1):
        keep[parent[node]] |= keep[node]
    if not keep[0]:
        raise SentenceError("nothing but traces in the sentence", tree.origin)
    return _subset(tree, parents, keep)


def strip_functional_tags(tree: Constituency) -> Constituency:
    """Cuts labels at their first "-" or "=": "NP-SBJ-1" and "NP=2" become "NP", "-LRB-" and "-NONE-" stay.

    Raises:
        InputError: something else than a tree.
        SentenceError: a label is no text.
    """
    require_labels(tree)
    return Constituency([bare_label(label) for label in tree.label], tree.word, tree.parent, tree.origin)


def drop_outer(tree: Constituency) -> Constituency:
    """Drops a root labelled ROOT, TOP, S1 or "" that has a single child: a wrapper, not a phrase.

    Raises:
        SentenceError: there are several trees, or a broken one.
    """
    return _without_outer(tree, require_one(tree))[0]


def _without_outer(tree: Constituency, parent: IntArray) -> tuple[Constituency, IntArray]:
    """The tree without an outer root, and its parents."""
    if tree.label[0] not in _OUTER or tree.word[0] is not None or np.count_nonzero(parent == 0) != 1:
        return tree, parent
    inner = _subset(tree, parent, [False] + [True] * (len(tree) - 1))
    return inner, inner.parent


def collapse_unary(tree: Constituency, label: Literal["top", "joined"] = "top") -> Constituency:
    """Makes one node of each chain of single children, so that every phrase has at least two.

    Args:
        tree: any tree.
        label: "top" keeps the highest label of a chain of phrases, but the tag of a leaf where a chain ends
            in one, and drops an outer ROOT; "joined" keeps all labels as "S+VP", which `expand_unary` undoes.

    Raises:
        InputError: `label` is neither word.
        SentenceError: with "joined", a label holds a "+" already; or there are several trees, or a broken one.
    """
    check_choice("label", label, ("top", "joined"))
    require_labels(tree)
    parents = require_one(tree)
    if label == "top":
        tree, parents = _without_outer(tree, parents)
    elif any(_JOIN in name for name in tree.label):
        raise SentenceError(f"a label holds {_JOIN!r} already, so joined labels could not be told apart", tree.origin)
    parent = parents.tolist()
    brood = np.bincount(parents[1:], minlength=len(tree)).tolist()
    names = list(tree.label)
    # The lowest node of a chain stands for it; parents come first in pre-order, so names pass down.
    for node in range(1, len(tree)):
        above = parent[node]
        if brood[above] != 1:
            continue
        if label == "joined":
            names[node] = names[above] + _JOIN + names[node]
        elif tree.word[node] is None:
            names[node] = names[above]
    keep = [count != 1 for count in brood]
    return _subset(Constituency(names, tree.word, parents, tree.origin), parents, keep)


def expand_unary(tree: Constituency) -> Constituency:
    """Makes chains of single children of joined labels: undoes `collapse_unary(tree, label="joined")`.

    Raises:
        InputError: something else than a tree.
        SentenceError: a broken one.
    """
    require_labels(tree)
    parents = ordered_parents(tree)
    label: list[str] = []
    word: list[str | None] = []
    parent: list[int] = []
    lowest: list[int] = []  # new index of the node that has the old node's children or word
    for name, token, above in zip(tree.label, tree.word, parents.tolist(), strict=True):
        top = len(label)
        names = name.split(_JOIN)
        label.extend(names)
        word.extend([None] * (len(names) - 1) + [token])
        parent.append(lowest[above] if above >= 0 else -1)
        parent.extend(range(top, top + len(names) - 1))
        lowest.append(len(label) - 1)
    return Constituency(label, word, np.asarray(parent, dtype=np.int64), tree.origin)


def binarise(
    tree: Constituency,
    branching: Literal["left", "right", "head"] = "right",
    label: Literal["parent", "at"] = "parent",
    *,
    heads: Sequence[int] | None = None,
) -> Constituency:
    """Splits every phrase of more than two children into phrases of two; phrases of one child stay.

    Args:
        tree: any tree.
        branching: "right" makes (X a (X b c)), "left" makes (X (X a b) c), "head" goes out from the head
            child (`graphs.heads`), first through the siblings on its right, then through those on its left.
        label: label of a new phrase under X: X itself ("parent"), or "@X" ("at"), which `debinarise` undoes. A tree
            that is binary already stays as it is, whatever its labels.
        heads: [N] the head child of each phrase, for "head" alone; by default the one that labels tell, which in a tree
            whose unary chains were collapsed may be another (`graphs.heads.head_children_collapsed`).

    Raises:
        InputError: `branching` or `label` is none of these words, or heads are given for another branching.
        SentenceError: with "at", there is a phrase to split, and a phrase is named "@..." already; there are not as
            many heads as nodes, or the head of a phrase to split is none of its children; there are several trees, or
            a broken one.
    """
    check_choice("branching", branching, ("left", "right", "head"))
    check_choice("label", label, ("parent", "at"))
    require_labels(tree)
    if heads is not None and branching != "head":
        raise InputError(f"heads are given, and branching is {branching!r}; leave them out, or branch from the 'head'")
    below = children(require_one(tree))
    if heads is not None and len(heads) != len(tree):
        raise SentenceError(f"{len(heads)} heads for {len(tree)} nodes; give one a node", tree.origin)
    wide = [node for node, kids in enumerate(below) if len(kids) > 2]
    if not wide:
        return tree
    if label == "at" and any(map(_is_made, tree.label, tree.word)):
        raise SentenceError(f"a phrase label starts with {_MADE!r} already, so it could not be told apart", tree.origin)
    if heads is None:
        heads = heads_below(tree.label, below) if branching == "head" else []
    names, words = list(tree.label), list(tree.word)
    for node in wide:
        kids = below[node]
        place = {"left": 0, "right": len(kids) - 1}.get(branching, -1)
        if place < 0:
            if heads[node] not in kids:
                raise SentenceError(
                    f"head {heads[node]} of phrase {tree.label[node]!r}, node {node}, is none of its children "
                    f"{', '.join(map(str, kids))} (counted from 0)",
                    tree.origin,
                )
            place = kids.index(heads[node])
        # Siblings join the head one by one, the nearest first; the last of them joins in the phrase itself.
        siblings = kids[place + 1 :] + kids[:place][::-1]
        inner = kids[place]
        for rank, sibling in enumerate(siblings):
            pair = [inner, sibling] if rank < len(kids) - 1 - place else [sibling, inner]
            if rank == len(siblings) - 1:
                below[node] = pair
                break
            inner = len(names)
            names.append(_MADE + tree.label[node] if label == "at" else tree.label[node])
            words.append(None)
            below.append(pair)
    return from_children(names, words, below, 0, tree.origin)


def debinarise(tree: Constituency) -> Constituency:
    """Gives the children of phrases named "@..." to the phrase above: undoes `binarise(..., label="at")`.

    Raises:
        InputError: something else than a tree.
        SentenceError: a broken one.
    """
    require_labels(tree)
    parents = ordered_parents(tree)
    keep = [node == 0 or not _is_made(*pair) for node, pair in enumerate(zip(tree.label, tree.word, strict=True))]
    return _subset(tree, parents, keep)


def _is_made(label: str, word: str | None) -> bool:
    return word is None and label.startswith(_MADE)


def _subset(tree: Constituency, parents: IntArray, keep: list[bool]) -> Constituency:
    """The nodes to keep; the children of a node that goes hang on the nearest ancestor that stays."""
    place = (np.cumsum(keep) - 1).tolist()
    stands: list[int] = []  # new index of the node itself, or of the nearest ancestor that stays
    parent: list[int] = []
    for node, above in enumerate(parents.tolist()):
        nearest = stands[above] if above >= 0 else -1
        if keep[node]:
            parent.append(nearest)
        stands.append(place[node] if keep[node] else nearest)
    return Constituency(
        label=[name for name, stays in zip(tree.label, keep, strict=True) if stays],
        word=[word for word, stays in zip(tree.word, keep, strict=True) if stays],
        parent=np.asarray(parent, dtype=np.int64),
        origin=tree.origin,
    )
