"""Bag of words: the mean of the vectors at and under a node, and a layer over it where there is one."""

from __future__ import annotations

import torch
from reference.order import bottom_up, vector


def bag_of_words(state, words, children):
    """States [N, size] of a tree's nodes, and as a field the sums that they are made of, their words counted."""
    total = [None] * len(words)
    for j in bottom_up(children):
        own = vector(state, words[j])
        total[j] = sum((total[k] for k in children[j]), torch.cat([own, own.new_tensor([float(words[j] > 0)])]))
    total = torch.stack(total)
    mean = total[:, :-1] / total[:, -1:].clamp(min=1)
    if "layer.weight" in state:
        return {"states": torch.relu(mean @ state["layer.weight"].T + state["layer.bias"]), "total": total}
    return {"states": mean, "total": total}
