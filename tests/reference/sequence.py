"""LSTM and bidirectional LSTM: equations 1-6 of paper 004; GRU: section 2.1 of the specifications, paper 001."""

from __future__ import annotations

import torch
from reference.order import rows, vector
from torch import sigmoid, tanh


def lstm(state, words, prefix="chain.", output_gate=True):
    """States and memories [T, h] of the words, read from the first to the last, as fields."""
    gates = ["u", "i", "f", "o"] if output_gate else ["u", "i", "f"]
    W, U, b = (rows(state[prefix + name], gates) for name in ("W.weight", "U.weight", "W.bias"))
    h = c = torch.zeros_like(b["i"])
    states, memories = [], []
    for word in words:
        x = vector(state, word)
        a = {gate: W[gate] @ x + U[gate] @ h + b[gate] for gate in gates}
        c = sigmoid(a["i"]) * tanh(a["u"]) + sigmoid(a["f"]) * c
        h = sigmoid(a["o"]) * tanh(c) if output_gate else tanh(c)
        states.append(h)
        memories.append(c)
    return {"h": torch.stack(states), "c": torch.stack(memories)}


def gru(state, words, prefix="chain."):
    """States [T, h] of the words, as a field."""
    W, b = (rows(state[prefix + name], ["h", "z", "r"]) for name in ("W.weight", "W.bias"))
    U = rows(state[prefix + "U_zr.weight"], ["z", "r"])
    h = torch.zeros_like(b["z"])
    states = []
    for word in words:
        x = vector(state, word)
        z = sigmoid(W["z"] @ x + U["z"] @ h + b["z"])
        r = sigmoid(W["r"] @ x + U["r"] @ h + b["r"])
        candidate = tanh(W["h"] @ x + state[prefix + "U_g.weight"] @ (r * h) + b["h"])
        h = z * h + (1 - z) * candidate
        states.append(h)
    return {"h": torch.stack(states)}


def bilstm(state, words, tie_directions=True, output_gate=True):
    """States [T, h] of the words from left to right and from right to left, as fields."""
    forward = lstm(state, words, "rightward.", output_gate)["h"]
    backward = lstm(state, words[::-1], "rightward." if tie_directions else "leftward.", output_gate)["h"]
    return {"h_forward": forward, "h_backward": backward.flip(0)}


def bilstm_readout(h_forward, h_backward, readout):
    """The sentence vector [2 h] from the states of one sentence's words."""
    return torch.cat([h_forward[-1], h_backward[-1 if readout == "last_word" else 0]])
