"""What the references share: the order of the nodes and the vectors of their words."""

from __future__ import annotations

import torch


def bottom_up(children):
    """Nodes of a forest, each after its children; without recursion, for trees of any depth."""
    is_child = {child for brood in children for child in brood}
    order = [node for node in range(len(children)) if node not in is_child]
    for node in order:
        order.extend(children[node])
    return order[::-1]


def vector(state, word):
    """The vector of a word id; zero for padding."""
    weight = state["embedding.weight"]
    return weight[word] if word else torch.zeros_like(weight[0])


def rows(matrix, names):
    """The blocks of rows of a stacked weight or bias, by name, in the given order."""
    return dict(zip(names, matrix.chunk(len(names)), strict=True))
