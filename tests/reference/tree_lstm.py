"""Tree-LSTMs: equations 10-12 of paper 000 (binary), 2 of paper 001 (child-sum)."""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from torch import sigmoid, tanh


def binary_tree_lstm(state, words, children, leaf_cell="eq10"):
    """States and memories [N, h] of a binary tree's nodes, as fields."""
    h, c = [None] * len(words), [None] * len(words)
    U, b = (rows(state[name], ["g", "i", "fl", "fr", "o"]) for name in ("U.weight", "U.bias"))
    leaf = ["c", "o"] if leaf_cell == "tai" else ["g", "i", "o"]
    W, b_leaf = (rows(state[name], leaf) for name in ("W.weight", "W.bias"))
    for j in bottom_up(children):
        if not children[j]:
            x = vector(state, words[j])
            a = {gate: W[gate] @ x + b_leaf[gate] for gate in leaf}
            c[j] = a["c"] if leaf_cell == "tai" else sigmoid(a["i"]) * tanh(a["g"])
        else:
            left, right = children[j]
            both = torch.cat([h[left], h[right]])
            a = {gate: U[gate] @ both + b[gate] for gate in U}
            c[j] = sigmoid(a["i"]) * tanh(a["g"]) + sigmoid(a["fl"]) * c[left] + sigmoid(a["fr"]) * c[right]
        h[j] = sigmoid(a["o"]) * tanh(c[j])
    return {"h": torch.stack(h), "c": torch.stack(c)}


def child_sum_tree_lstm(state, words, children, output_gate=True):
    """States and memories [N, h] of a tree's nodes, as fields."""
    h, c = [None] * len(words), [None] * len(words)
    gates = ["u", "i", "o"] if output_gate else ["u", "i"]
    W, U, b = (rows(state[name], gates) for name in ("W_gio.weight", "U_gio.weight", "W_gio.bias"))
    for j in bottom_up(children):
        x = vector(state, words[j])
        h_sum = sum((h[k] for k in children[j]), torch.zeros_like(b["i"]))
        i = sigmoid(W["i"] @ x + U["i"] @ h_sum + b["i"])
        u = tanh(W["u"] @ x + U["u"] @ h_sum + b["u"])
        c[j] = i * u
        for k in children[j]:
            f = sigmoid(state["W_f.weight"] @ x + state["U_f.weight"] @ h[k] + state["W_f.bias"])
            c[j] = c[j] + f * c[k]
        h[j] = tanh(c[j])
        if output_gate:
            h[j] = sigmoid(W["o"] @ x + U["o"] @ h_sum + b["o"]) * h[j]
    return {"h": torch.stack(h), "c": torch.stack(c)}
