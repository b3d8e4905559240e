"""DC-RecNN and DC-TreeLSTM: section 1.8 h of the specifications, paper 000, with its equations 6 and 10-12."""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from torch import sigmoid, tanh


def dynamic(state, z):
    """The matrix W(z) over [x; h_l; h_r] and the bias b(z)."""
    P, B = state["compose.PB.weight"].chunk(2, 1)
    Q = torch.cat([state["compose.Q_x.weight"], state["compose.Q_h.weight"]], 1)
    return P @ torch.diag(z) @ Q, B @ z


def dc_recnn(state, words, children):
    """States of both networks and z of a binary tree's nodes, as fields."""
    h, hm, zs = ([None] * len(words) for _ in range(3))
    nothing = torch.zeros_like(state["compose.Q_h.weight"][0])
    for j in bottom_up(children):
        if not children[j]:
            x, below = vector(state, words[j]), nothing
            hm[j] = tanh(state["W_m.weight"] @ x + state["W_m.bias"])
        else:
            left, right = children[j]
            x, below = torch.zeros_like(vector(state, 0)), torch.cat([h[left], h[right]])
            hm[j] = tanh(state["U_m.weight"] @ torch.cat([below, hm[left], hm[right]]) + state["U_m.bias"])
        zs[j] = state["compose.W_z.weight"] @ hm[j] + state.get("compose.W_z.bias", 0)
        W, b = dynamic(state, zs[j])
        h[j] = tanh(W @ torch.cat([x, below]) + b)
    return {"h": torch.stack(h), "hm": torch.stack(hm), "z": torch.stack(zs)}


def dc_tree_lstm(state, words, children):
    """States and memories of both networks and z of a binary tree's nodes, as fields."""
    h, c, hm, cm, zs = ([None] * len(words) for _ in range(5))
    gates = ["g", "i", "fl", "fr", "o"]
    W_m, b_word = (rows(state[name], ["g", "i", "o"]) for name in ("W_m.weight", "W_m.bias"))
    U_m, b_phrase = (rows(state[name], gates) for name in ("U_m.weight", "U_m.bias"))
    nothing = torch.zeros_like(state["compose.Q_h.weight"][0])
    for j in bottom_up(children):
        if not children[j]:
            x, below = vector(state, words[j]), nothing
            a = {gate: W_m[gate] @ x + b_word[gate] for gate in W_m}
        else:
            left, right = children[j]
            x, below = torch.zeros_like(vector(state, 0)), torch.cat([h[left], h[right]])
            both = torch.cat([below, hm[left], hm[right]])
            a = {gate: U_m[gate] @ both + b_phrase[gate] for gate in gates}
        hm[j], cm[j] = cell(a, [cm[k] for k in children[j]])
        zs[j] = state["compose.W_z.weight"] @ hm[j]
        W, b = dynamic(state, zs[j])
        h[j], c[j] = cell(rows(W @ torch.cat([x, below]) + b, gates), [c[k] for k in children[j]])
    columns = {"h": h, "c": c, "hm": hm, "cm": cm, "z": zs}
    return {name: torch.stack(column) for name, column in columns.items()}


def cell(a, memories):
    """Equations 11-12."""
    c = sigmoid(a["i"]) * tanh(a["g"])
    for forget, memory in zip(("fl", "fr"), memories, strict=False):
        c = c + sigmoid(a[forget]) * memory
    return sigmoid(a["o"]) * tanh(c), c
