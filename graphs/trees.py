"""Questions about the shape of a tree, answered from its parent column.

`parent` is [N] with the index of each node's parent and -1 at a root; the heads of a sentence are one too.
Nothing recurses, so a tree may be as deep as it is long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphs.columns import Constituency, Dependencies, IntArray, check_lengths, whole_numbers
from graphs.errors import Origin, SentenceError, check_kind


def roots(parent: IntArray) -> IntArray:
    """The nodes without a parent, left to right."""
    return np.flatnonzero(parent < 0)


def require_one(tree: Constituency) -> IntArray:
    """The parents [N] of one tree's nodes; refuses the several trees of a document in one.

    Raises:
        SentenceError: there are several roots, or `ordered_parents` refuses the tree.
    """
    parent = ordered_parents(tree)
    count = np.count_nonzero(parent < 0)
    if count > 1:
        raise SentenceError(
            f"{count} trees stand side by side; transform each on its own, then join them by graphs.documents.forest",
            tree.origin,
        )
    return parent


def require_labels(tree: Constituency) -> None:
    """Refuses what is no tree, and labels that are no text, such as numbers of classes.

    Raises:
        InputError: it is none.
        SentenceError: one is none.
    """
    check_kind(tree, Constituency, "graphs.parse_brackets makes one")
    labels = tree.label if isinstance(tree.label, Sequence) else ()  # of what is no list, check_lengths says so
    place = next((place for place, label in enumerate(labels) if not isinstance(label, str)), None)
    if place is not None:
        raise SentenceError(f"label {place + 1} is {labels[place]!r}; give its text", tree.origin)


def ordered_parents(tree: Constituency) -> IntArray:
    """The parents [N] of a tree's nodes, or of several trees side by side, among them phrases without words.

    Raises:
        InputError: something else than a tree.
        SentenceError: no nodes, columns of several lengths, or a parent that is no whole number or does not stand
            before its node.
    """
    check_kind(tree, Constituency, "graphs.parse_brackets makes one")
    check_lengths(tree)
    if not len(tree):
        raise SentenceError("the tree has no nodes", tree.origin)
    parent = whole_numbers(tree.parent, "parent", tree.origin)
    if (parent >= np.arange(len(parent))).any():
        raise SentenceError("a node stands before its parent; give the nodes in pre-order, parents first", tree.origin)
    return parent


def parents(tree: Constituency) -> IntArray:
    """The parents [N] of a tree's nodes, or of several trees side by side, whose words stand at the leaves.

    Raises:
        SentenceError: `ordered_parents` refuses the tree, a phrase has no words, or a word has something below it.
    """
    parent = ordered_parents(tree)
    require_words(tree, parent)
    return parent


def require_words(tree: Constituency, parent: IntArray) -> None:
    """Refuses a tree whose words are not its leaves.

    Args:
        tree: N nodes.
        parent: [N] their `ordered_parents`.

    Raises:
        SentenceError: a phrase has no words, or a word has something below it.
    """
    size = len(tree)
    above = np.bincount(parent[parent >= 0], minlength=size) > 0
    is_word = np.fromiter((word is not None for word in tree.word), dtype=bool, count=size)
    if (above == is_word).any():
        node = int(np.argmax(above == is_word))
        what = (
            f"word {tree.word[node]!r} has nodes below it"
            if above[node]
            else f"phrase {tree.label[node]!r} has no words"
        )
        raise SentenceError(what, tree.origin)


def heads(sentence: Dependencies) -> IntArray:
    """The heads [N] of a sentence.

    Raises:
        SentenceError: a head is no whole number or out of range, or columns have several lengths.
    """
    check_lengths(sentence)
    head = whole_numbers(sentence.head, "head", sentence.origin)
    wrong = np.flatnonzero((head < -1) | (head >= len(head)))
    if len(wrong):
        word = int(wrong[0])
        raise SentenceError(
            f"head {int(head[word]) + 1} of word {word + 1} is out of range, the sentence has {len(head)} words",
            sentence.origin,
        )
    return head


def require_heads(sentence: Dependencies) -> None:
    """Refuses a sentence that was not parsed, whose words would all be roots.

    Raises:
        SentenceError: no word has a head or a relation, of several words.
    """
    if len(sentence) > 1 and sentence.headless:
        raise SentenceError("the sentence has no heads, perhaps tags alone; parse it", sentence.origin)


def slots(parent: IntArray) -> IntArray:
    """[N] place of each node among its siblings, from 0; roots are counted as siblings of each other."""
    order = np.argsort(parent, kind="stable")
    family = parent[order]
    new_family = np.ones(len(parent), dtype=bool)
    new_family[1:] = family[1:] != family[:-1]
    place = np.arange(len(parent))
    first = np.maximum.accumulate(np.where(new_family, place, 0))
    slot = np.empty(len(parent), dtype=np.int64)
    slot[order] = place - first
    return slot


def depths(parent: IntArray, origin: Origin | None = None) -> IntArray:
    """[N] number of steps from each node up to its root; `origin` is for the error.

    Raises:
        SentenceError: if the nodes form a cycle.
    """
    # Pointer doubling: each round a pointer jumps twice as far, and counts the steps of the node it stood on.
    pointer = parent.copy()
    depth = (parent >= 0).astype(np.int64)
    for _ in range(_rounds(len(parent))):
        moving = np.flatnonzero(pointer >= 0)
        if not len(moving):
            return depth
        depth[moving] += depth[pointer[moving]]
        pointer[moving] = pointer[pointer[moving]]
    refuse_cycle(parent, origin)
    return depth


def find_cycle(parent: IntArray) -> IntArray:
    """The nodes of one cycle, each followed by its parent; empty where there is none.

    Takes O(N log N) array work, so the parents of many sentences may be checked in one call.
    """
    end = len(parent)
    pointer = np.append(np.where(parent < 0, end, parent), end)  # a root points to a last node, which stays put
    for _ in range(_rounds(end)):
        pointer = pointer[pointer]
    lost = np.flatnonzero(pointer != end)
    if not len(lost):
        return np.empty(0, dtype=np.int64)
    # More steps than there are nodes have been taken, so the pointer of a lost node stands on a cycle.
    start = node = int(pointer[lost[0]])
    cycle = [start]
    while (node := int(parent[node])) != start:
        cycle.append(node)
    return np.asarray(cycle, dtype=np.int64)


def refuse_cycle(parent: IntArray, origin: Origin | None = None) -> None:
    """Refuses parents [N] that form a cycle.

    Raises:
        SentenceError: they do; the words of one cycle are named, counted from 1.
    """
    cycle = find_cycle(parent)
    if len(cycle) == 1:
        raise SentenceError(f"word {cycle[0] + 1} is its own head", origin)
    if len(cycle):
        names = [str(word + 1) for word in cycle[:10]] + ["..."] * (len(cycle) > 10) + [str(cycle[0] + 1)]
        raise SentenceError(f"the heads of words {' -> '.join(names)} form a cycle", origin)


def attach_roots(head: IntArray) -> IntArray:
    """[N] heads where every root after the first hangs on the first, so that a forest becomes one tree."""
    attached = head.copy()
    root = roots(head)
    attached[root[1:]] = root[:1]
    return attached


def require_pre_order(parent: IntArray, span: IntArray, origin: Origin | None = None) -> None:
    """Refuses nodes of which something else stands between a phrase and what is below it.

    Args:
        parent: [N] parents, each before its node.
        span: [N, 2] `spans` of the nodes.
        origin: where the tree was read.

    Raises:
        SentenceError: there are such.
    """
    node = np.flatnonzero(parent >= 0)
    above = span[parent[node]]
    if ((span[node, 0] < above[:, 0]) | (span[node, 1] > above[:, 1])).any():
        raise SentenceError("the nodes are not in pre-order; after each node give all that is below it", origin)


def spans(tree: Constituency) -> IntArray:
    """[N, 2] first token and one past the last token under each node.

    Raises:
        SentenceError: `ordered_parents` refuses the tree.
    """
    return spans_below(tree, ordered_parents(tree))


def spans_below(tree: Constituency, above: IntArray) -> IntArray:
    """The same where the `ordered_parents` [N] are known."""
    parent = above.tolist()
    is_leaf = np.fromiter((word is not None for word in tree.word), dtype=np.int64, count=len(tree))
    start = np.cumsum(is_leaf) - is_leaf  # in pre-order, the tokens before a node are those of the nodes before it
    length = is_leaf.tolist()
    for node in range(len(parent) - 1, 0, -1):
        if parent[node] >= 0:  # a document has several roots
            length[parent[node]] += length[node]
    return np.stack([start, start + np.asarray(length, dtype=np.int64)], axis=1)


def children(parent: IntArray) -> list[list[int]]:
    """The children of each node, in index order."""
    lists: list[list[int]] = [[] for _ in range(len(parent))]
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            lists[above].append(node)
    return lists


def from_children(
    label: Sequence[str],
    word: Sequence[str | None],
    below: Sequence[Sequence[int]],
    root: int = 0,
    origin: Origin | None = None,
) -> Constituency:
    """A tree from child lists: the nodes that can be reached from `root`, put in pre-order.

    Args:
        label: [M] labels of the nodes, in any order.
        word: [M] token at a leaf, None at a phrase.
        below: [M] children of each node, left to right; each node stands in at most one list.
        root: index of the root.
        origin: where the tree was read.
    """
    order: list[int] = []
    parent: list[int] = []
    stack = [(root, -1)]
    while stack:
        node, above = stack.pop()
        place = len(order)
        order.append(node)
        parent.append(above)
        stack.extend((child, place) for child in reversed(below[node]))
    return Constituency(
        label=[label[node] for node in order],
        word=[word[node] for node in order],
        parent=np.asarray(parent, dtype=np.int64),
        origin=origin or Origin(),
    )


def _rounds(size: int) -> int:
    """Doublings after which a pointer has taken more than `size` steps."""
    return size.bit_length() + 1
