"""Bidirectional Tree-LSTM with head words: section 1.8 g of the specifications, paper 000."""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from torch import relu, sigmoid, tanh


def bi_tree_lstm(state, words, children):
    """All fields of a binary tree's nodes."""
    size = len(words)
    order = bottom_up(children)
    x, h, c = bottom_up_states(state, words, children, order)
    td_h, td_c = top_down_states(state, x, children, order)
    leaves = [None] * size
    for j in order:
        leaves[j] = [leaf for child in children[j] for leaf in leaves[child]] or [j]
    average = [torch.stack([td_h[leaf] for leaf in leaves[j]]).mean(0) for j in range(size)]
    B, T, D = state["output.weight"].chunk(3, 1)
    r = [relu(B @ h[j] + T @ average[j] + D @ td_h[j] + state["output.bias"]) for j in range(size)]
    columns = {"x": x, "h_up": h, "c_up": c, "h_down": td_h, "c_down": td_c, "h_words": average, "r": r}
    return {name: torch.stack(column) for name, column in columns.items()}


def by_side(weight, gates):
    """The blocks of a weight over [left; right], by gate: that of the left, that of the right."""
    return {gate: block.chunk(2, 1) for gate, block in rows(weight, gates).items()}


def bottom_up_states(state, words, children, order):
    """Head words, states and memories on the way up."""
    x, h, c = ([None] * len(words) for _ in range(3))
    gates = ["g", "i", "fl", "fr", "o"]
    P_l, P_r = state["head.weight"].chunk(2, 1)
    W, b = rows(state["up.W.weight"], "gifo"), rows(state["up.U.bias"], gates)
    H = by_side(state["up.U.weight"], gates)
    C = by_side(state["up.C.weight"], ["i", "fl", "fr"])
    for j in order:
        if not children[j]:
            x[j] = vector(state, words[j])
            c[j] = sigmoid(W["i"] @ x[j] + b["i"]) * tanh(W["g"] @ x[j] + b["g"])
            o = sigmoid(W["o"] @ x[j] + b["o"])
        else:
            kl, kr = children[j]
            a = sigmoid(P_l @ x[kl] + P_r @ x[kr] + state["head.bias"])
            x[j] = a * x[kl] + (1 - a) * x[kr]
            sums = {gate: H[gate][0] @ h[kl] + H[gate][1] @ h[kr] + b[gate] for gate in gates}
            peep = {gate: C[gate][0] @ c[kl] + C[gate][1] @ c[kr] for gate in C}
            i = sigmoid(W["i"] @ x[j] + sums["i"] + peep["i"])
            fl = sigmoid(W["f"] @ x[j] + sums["fl"] + peep["fl"])
            fr = sigmoid(W["f"] @ x[j] + sums["fr"] + peep["fr"])
            c[j] = i * tanh(W["g"] @ x[j] + sums["g"]) + fl * c[kl] + fr * c[kr]
            o = sigmoid(W["o"] @ x[j] + sums["o"] + state["up.C_o.weight"] @ c[j])
        h[j] = o * tanh(c[j])
    return x, h, c


def top_down_states(state, x, children, order):
    """States and memories on the way down."""
    h, c = [None] * len(x), [None] * len(x)
    W, b = (rows(state[name], "gifo") for name in ("down.W.weight", "down.W.bias"))
    H = by_side(state["down.U.weight"], "gifo")
    C = by_side(state["down.C.weight"], "if")
    above = {child: (j, side) for j in order for side, child in enumerate(children[j])}
    for j in reversed(order):
        a = {gate: W[gate] @ x[j] + b[gate] for gate in W}
        if j not in above:
            c[j] = sigmoid(a["i"]) * tanh(a["g"])
            o = sigmoid(a["o"])
        else:
            p, side = above[j]
            i = sigmoid(a["i"] + H["i"][side] @ h[p] + C["i"][side] @ c[p])
            f = sigmoid(a["f"] + H["f"][side] @ h[p] + C["f"][side] @ c[p])
            c[j] = i * tanh(a["g"] + H["g"][side] @ h[p]) + f * c[p]
            o = sigmoid(a["o"] + H["o"][side] @ h[p] + state["down.C_o.weight"] @ c[j])
        h[j] = o * tanh(c[j])
    return h, c
