"""Phrases of binary trees in a recording, beside what they are made of."""

from __future__ import annotations

import numpy as np
from pandas import DataFrame

from dglsent.analysis.recording import Recording

_TREE = ["example", "sentence"]
GATES = ("g", "i", "f_l", "f_r", "o")


def gates(source: Recording, width: int) -> list[tuple[str, int]]:
    """Of each dimension of z [N, width] the gate, "" where gates have no parts of their own, and its number there."""
    per_gate = source.model == "TagGuidedHyperTreeLSTM" and source.encoder.get("z_scope") != "shared"
    letters = GATES if per_gate and width % len(GATES) == 0 else ("",)
    return [(letter, number) for letter in letters for number in range(1, width // len(letters) + 1)]


def phrases(nodes: DataFrame) -> DataFrame:
    """A row for each node with exactly two children.

    Args:
        nodes: a row a node: example, sentence, node, parent, start, tag, text.

    Returns:
        The rows of such nodes with left_tag, right_tag, left, right, `pair` ("JJ+NN") and `row`, their place in
        `nodes`.
    """
    nodes = nodes.assign(row=np.arange(len(nodes)))
    children = nodes[nodes.parent >= 0].sort_values([*_TREE, "parent", "start"])
    families = children.groupby([*_TREE, "parent"], sort=False)
    two = families.size() == 2
    left = families[["tag", "text"]].first()[two].set_axis(["left_tag", "left"], axis=1)
    right = families[["tag", "text"]].last()[two].set_axis(["right_tag", "right"], axis=1)
    both = left.join(right).reset_index().rename(columns={"parent": "node"})
    found = nodes.merge(both, on=[*_TREE, "node"]).sort_values("row").reset_index(drop=True)
    return found.assign(pair=found.left_tag + "+" + found.right_tag)
