"""Child-sum Tree-GRU: equation 3 of paper 001, with the released code's bias in the candidate."""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from torch import sigmoid, tanh


def child_sum_tree_gru(state, words, children):
    """States [N, h] of a tree's nodes, as a field."""
    h = [None] * len(words)
    W, b = (rows(state[name], ["h", "z"]) for name in ("W_gz.weight", "W_gz.bias"))
    for j in bottom_up(children):
        x = vector(state, words[j])
        h_sum = sum((h[k] for k in children[j]), torch.zeros_like(b["z"]))
        reset = torch.zeros_like(h_sum)
        for k in children[j]:
            r = sigmoid(state["W_r.weight"] @ x + state["U_r.weight"] @ h[k] + state["W_r.bias"])
            reset = reset + r * h[k]
        candidate = tanh(W["h"] @ x + state["U_g.weight"] @ reset + b["h"])
        z = sigmoid(W["z"] @ x + state["U_z.weight"] @ h_sum + b["z"])
        h[j] = z * h_sum + (1 - z) * candidate
    return {"h": torch.stack(h)}
