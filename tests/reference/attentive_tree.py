"""Attentive child-sum Tree-LSTM and Tree-GRU: equations 2-4 of paper 001.

A sentence is (words, children, position): word ids of the nodes, 0 at phrases; their children; and their places among
the words, -1 at phrases.
"""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from reference.sequence import gru, lstm
from torch import sigmoid, softmax, tanh


def attentive_tree_lstm(state, sentence, other, output_gate=True, att_transform=True):
    """States, memories and sentence vector of one sentence, and `attention`, how much each node counts for its parent.

    The weights are those of the nodes with a parent, by number.
    """
    words, children, _ = sentence
    s = lstm(state, in_order(other), "guide.", output_gate)["h"][-1]
    h, c, alpha = ([None] * len(words) for _ in range(3))
    gates = ["u", "i", "o"] if output_gate else ["u", "i"]
    W, U, b = (rows(state[name], gates) for name in ("W_gio.weight", "U_gio.weight", "W_gio.bias"))
    for j in bottom_up(children):
        x = vector(state, words[j])
        h_tilde = attention(state, h, children[j], s, alpha, att_transform)
        i = sigmoid(W["i"] @ x + U["i"] @ h_tilde + b["i"])
        u = tanh(W["u"] @ x + U["u"] @ h_tilde + b["u"])
        c[j] = i * u
        for k in children[j]:
            f = sigmoid(state["W_f.weight"] @ x + state["U_f.weight"] @ h[k] + state["W_f.bias"])
            c[j] = c[j] + f * c[k]
        h[j] = tanh(c[j])
        if output_gate:
            h[j] = sigmoid(W["o"] @ x + U["o"] @ h_tilde + b["o"]) * h[j]
    return {"c": torch.stack(c), **outputs(h, alpha, children)}


def attentive_tree_gru(state, sentence, other, att_transform=True, carry_sum=False):
    """The same for the Tree-GRU, which has no memories; with `carry_sum` z lets the children's sum through."""
    words, children, _ = sentence
    s = gru(state, in_order(other), "guide.")["h"][-1]
    h, alpha = [None] * len(words), [None] * len(words)
    W, b = (rows(state[name], ["h", "z"]) for name in ("W_gz.weight", "W_gz.bias"))
    for j in bottom_up(children):
        x = vector(state, words[j])
        h_tilde = attention(state, h, children[j], s, alpha, att_transform)
        reset = torch.zeros_like(h_tilde)
        for k in children[j]:
            r = sigmoid(state["W_r.weight"] @ x + state["U_r.weight"] @ h[k] + state["W_r.bias"])
            reset = reset + r * h[k]
        candidate = tanh(W["h"] @ x + state["U_g.weight"] @ reset + b["h"])
        z = sigmoid(W["z"] @ x + state["U_z.weight"] @ h_tilde + b["z"])
        carried = sum((h[k] for k in children[j]), torch.zeros_like(z)) if carry_sum else h_tilde
        h[j] = z * carried + (1 - z) * candidate
    return outputs(h, alpha, children)


def attention(state, h, brood, s, alpha, att_transform):
    """Equation 4: h~ of a node with the children `brood`; keeps their weights in `alpha`."""
    w = state["attention.w"]
    g = torch.zeros_like(w)
    if brood:
        scores = [w @ tanh(state["attention.W_m.weight"] @ h[k] + state["attention.U_m.weight"] @ s) for k in brood]
        for k, weight in zip(brood, softmax(torch.stack(scores), 0), strict=True):
            alpha[k] = weight
            g = g + weight * h[k]
    return tanh(state["attention.W_a.weight"] @ g + state["attention.W_a.bias"]) if att_transform else g


def in_order(sentence):
    """The word ids of a sentence as it is read."""
    words, _, position = sentence
    return [words[j] for j in sorted(range(len(words)), key=position.__getitem__) if position[j] >= 0]


def outputs(h, alpha, children):
    """States, sentence vector (the state of the root) and weights."""
    weights = [weight for weight in alpha if weight is not None]
    return {
        "h": torch.stack(h),
        "states": torch.stack(h),
        "vector": h[bottom_up(children)[-1]],
        "attention": torch.stack(weights) if weights else h[0].new_zeros(0),
    }
