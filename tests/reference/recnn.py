"""RecNN: equation 6 of paper 000, a leaf being tanh(W x + b)."""

from __future__ import annotations

import torch
from reference.order import bottom_up, vector


def recnn(state, words, children):
    """States [N, h] of a binary tree's nodes, as a field."""
    h = [None] * len(words)
    for j in bottom_up(children):
        if not children[j]:
            h[j] = torch.tanh(state["W.weight"] @ vector(state, words[j]) + state["W.bias"])
        else:
            left, right = children[j]
            h[j] = torch.tanh(state["U.weight"] @ torch.cat([h[left], h[right]]) + state["U.bias"])
    return {"h": torch.stack(h)}
