"""Baselines with self-attention: section 4.10 of the specifications, paper 003."""

from __future__ import annotations

import math

import torch
from reference.order import rows, vector
from reference.sequence import bilstm
from torch import sigmoid, softmax, tanh
from torch.nn.functional import layer_norm


def pooled_bilstm(state, words):
    """SelfAtt1: a learnt query pools the states of two LSTMs."""
    fields = bilstm(state, words, tie_directions=False)
    h = torch.cat([fields["h_forward"], fields["h_backward"]], 1)
    scores = [state["pooling.u"] @ tanh(state["pooling.W.weight"] @ each + state["pooling.W.bias"]) for each in h]
    return {"states": h, "vector": softmax(torch.stack(scores), 0) @ h}


def lstmn(state, words):
    """SelfAtt2: equations 4-9 of Cheng, Dong, Lapata 2016."""
    W, U, b = (rows(state[name], "uifo") for name in ("W.weight", "U.weight", "W.bias"))
    h, c, s = [], [], torch.zeros_like(b["i"])
    attention = [torch.zeros(0, dtype=s.dtype)]
    for t, word in enumerate(words):
        x = vector(state, word)
        c_before = torch.zeros_like(s)
        if t:
            asked = state["W_x.weight"] @ x + state["W_s.weight"] @ s
            scores = [state["v"] @ tanh(state["W_h.weight"] @ each + asked) for each in h]
            a = softmax(torch.stack(scores), 0)
            s, c_before = a @ torch.stack(h), a @ torch.stack(c)
            attention.append(a)
        pre = {gate: W[gate] @ x + U[gate] @ s + b[gate] for gate in "uifo"}
        c.append(sigmoid(pre["i"]) * tanh(pre["u"]) + sigmoid(pre["f"]) * c_before)
        h.append(sigmoid(pre["o"]) * tanh(c[-1]))
    return {"states": torch.stack(h), "vector": sum(h) / len(h), "attention": torch.cat(attention)}


def transformer(state, words, heads=2, layers=2):
    """SelfAtt3: section 3 of Vaswani et al. 2017."""
    d = len(state["W.weight"])
    h = []
    for t, word in enumerate(words):
        x = state["W.weight"] @ vector(state, word)
        if "positions.weight" in state:
            place = state["positions.weight"][t]
        else:
            angles = [t / 10000 ** (k // 2 * 2 / d) for k in range(d)]
            place = torch.tensor([math.cos(a) if k % 2 else math.sin(a) for k, a in enumerate(angles)], dtype=x.dtype)
        h.append(x + place)
    fields = {}
    for layer in range(layers):
        p = {name.split(".", 2)[2]: value for name, value in state.items() if name.startswith(f"layers.{layer}.")}
        q, k, v = zip(*((p["W_qkv.weight"] @ each + p["W_qkv.bias"]).chunk(3) for each in h), strict=True)
        new, weights = [], []
        for i, own in enumerate(h):
            heard, alphas = [], []
            for head in range(heads):
                part = slice(head * d // heads, (head + 1) * d // heads)
                scores = [q[i][part] @ k[j][part] / math.sqrt(d / heads) for j in range(len(h))]
                alphas.append(softmax(torch.stack(scores), 0))
                heard.append(sum(a * v[j][part] for j, a in enumerate(alphas[-1])))
            x = own + p["W_o.weight"] @ torch.cat(heard) + p["W_o.bias"]
            x = layer_norm(x, (d,), p["norms.0.weight"], p["norms.0.bias"])
            inner = torch.relu(p["feed_forward.0.weight"] @ x + p["feed_forward.0.bias"])
            x = x + p["feed_forward.2.weight"] @ inner + p["feed_forward.2.bias"]
            new.append(layer_norm(x, (d,), p["norms.1.weight"], p["norms.1.bias"]))
            weights.append(torch.stack(alphas, 1))
        h = new
        fields[f"attention_{layer + 1}"] = torch.cat(weights)
    return {"states": torch.stack(h), "vector": sum(h) / len(h), **fields}


def elman(state, words):
    """A plain recurrent network."""
    h, states = torch.zeros_like(state["W.bias"]), []
    for word in words:
        h = tanh(state["W.weight"] @ vector(state, word) + state["U.weight"] @ h + state["W.bias"])
        states.append(h)
    return {"states": torch.stack(states), "vector": h}
