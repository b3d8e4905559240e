"""Random trees for hypothesis: parents before children, siblings left to right."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from graphs.columns import Constituency

LABELS = ["ROOT", "S", "NP", "VP-TMP", "PP", "X"]
TAGS = ["DT", "NN", "VB", ",", "CC", "-NONE-"]


def parents(max_size=12):
    """Forests: any parent before its children, -1 at roots; not in pre-order."""
    return st.integers(1, max_size).flatmap(
        lambda size: st.tuples(*(st.integers(-1, node - 1) for node in range(size))).map(np.array)
    )


@st.composite
def constituencies(draw):
    """Trees with wide phrases, unary chains and single leaves, every phrase with at least one word."""
    if draw(st.integers(0, 9)) == 0:
        return Constituency([draw(st.sampled_from(TAGS))], ["w0"], np.array([-1]))
    label, word, parent, path = [draw(st.sampled_from(LABELS))], [None], [-1], [0]
    for leaf in range(draw(st.integers(1, 10))):
        del path[draw(st.integers(1, len(path))) :]
        for _ in range(draw(st.integers(0, 3))):
            parent.append(path[-1])
            path.append(len(label))
            label.append(draw(st.sampled_from(LABELS)))
            word.append(None)
        parent.append(path[-1])
        label.append(draw(st.sampled_from(TAGS)))
        word.append(f"w{leaf}")
    return Constituency(label, word, np.array(parent))


def columns(tree):
    """What a constituency tree is made of, to be compared."""
    return list(tree.label), list(tree.word), tree.parent.tolist()
