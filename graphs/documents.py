"""Documents: the trees of several sentences as one forest, which builders read as they read a tree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from graphs import trees
from graphs.columns import Constituency, Dependencies, IntArray
from graphs.errors import Origin, SentenceError, check_kind
from graphs.ranges import starts


def forest(
    sentences: Sequence[Dependencies] | Sequence[Constituency], origin: Origin | None = None
) -> Dependencies | Constituency:
    """The trees of a document side by side, in columns: every tree keeps its root, words are counted through.

    A dependency tree with several roots hangs the later ones under its first, as single sentences do; one that is a
    document itself keeps them. Multiword tokens and empty nodes are left behind.

    Args:
        sentences: S >= 1 dependency trees, or constituency trees.
        origin: where the document was read; that of its first sentence by default.

    Raises:
        InputError: something else than a list is given, or a sentence that is no tree, such as tokens alone.
        SentenceError: there are no sentences, trees of both kinds, a sentence without heads, or a tree whose heads or
            parents are broken; cycles are left to the builders.
    """
    check_kind(sentences, Sequence, "give a list of trees")
    if not sentences:
        raise SentenceError("the document has no sentences", origin)
    for one in sentences:
        check_kind(one, (Constituency, Dependencies), "tokens without a parse have no tree, graphs.parse makes one")
    origin = origin or sentences[0].origin
    if len({type(one) for one in sentences}) > 1:
        raise SentenceError("the document has dependency trees and constituency trees; give those of one kind", origin)
    if isinstance(sentences[0], Constituency):
        found = [one for one in sentences if isinstance(one, Constituency)]
        parent = _joined([trees.parents(one) for one in found])
        label, word = (list(chain.from_iterable(getattr(one, name) for one in found)) for name in ("label", "word"))
        return Constituency(label, word, parent, origin)
    each = [one for one in sentences if isinstance(one, Dependencies)]
    found_heads = [(one, trees.heads(one)) for one in each]
    for one in each:
        trees.require_heads(one)
    head = _joined([head if one.forest else trees.attach_roots(head) for one, head in found_heads])
    names = ("word", "relation", "upos", "xpos", "lemma", "feats")
    columns = {name: list(chain.from_iterable(getattr(one, name) for one in each)) for name in names}
    return Dependencies(head=head, forest=True, origin=origin, **columns)


def _joined(parents: Sequence[IntArray]) -> IntArray:
    """Parent columns one after the other."""
    sizes = np.array([len(parent) for parent in parents])
    joined = np.concatenate(parents)
    return np.where(joined < 0, joined, joined + np.repeat(starts(sizes), sizes))
