"""Contextualised non-local networks: section 4 of the specifications, paper 003, equations 1-6.

A sentence is a dict of its node fields as lists, and of the fields of every two of its words as matrices.
"""

from __future__ import annotations

import torch
from reference.order import rows, vector
from torch import sigmoid, softmax, tanh


def cn3(
    state,
    sentence,
    hears,
    layers=2,
    context="lstm",
    scorer="additive",
    update="interp",
    tie_layers=False,
    reinject_attr=False,
):
    """States [n, h] and, by layer, the weights of each word for those that it hears, one word after the other.

    Args:
        state: the state dict.
        sentence: the sentence.
        hears: for each word those that it hears.
        layers: number of layers.
        context: what the first states see.
        scorer: how words are scored.
        update: how states change.
        tie_layers: one set of weights for all layers.
        reinject_attr: whether scores read words and their attributes too.
    """
    x = [torch.cat([vector(state, word), *attributes(state, sentence, t)]) for t, word in enumerate(sentence["word"])]
    h = CONTEXT[context](state, x)
    fields = {}
    for layer in range(layers):
        p = {
            name.split(".", 2)[2]: value
            for name, value in state.items()
            if name.startswith(f"layers.{0 if tie_layers else layer}.")
        }
        seen = [torch.cat(pair) for pair in zip(h, x, strict=True)] if reinject_attr else h
        new, weights = [], []
        for i, heard in enumerate(hears):
            alpha = softmax(torch.stack([score(state, p, sentence, seen, i, j, scorer) for j in heard]), 0)
            m = sum(a * h[j] for a, j in zip(alpha, heard, strict=True))
            g = sigmoid(p["W_g.weight"] @ h[i] + p["U_g.weight"] @ m + p["U_g.bias"])
            if update == "gru_like":
                m = tanh(p["W_m.weight"] @ m + p["U_m.weight"] @ h[i])
            new.append(g * m + (1 - g) * h[i])
            weights.append(alpha)
        h = new
        fields[f"attention_{layer + 1}"] = torch.cat(weights)
    return {"states": torch.stack(h), "vector": sum(h) / len(h), **fields}


def score(state, p, sentence, h, i, j, scorer):
    """Equation 1: how much word j counts for word i."""
    e = edge(state, sentence, i, j)
    if scorer == "additive":
        inner = p["W_own.weight"] @ h[i] + p["W_other.weight"] @ h[j] + p["W_own.bias"]
        return p["v"] @ tanh(inner if e is None else inner + p["W_edge.weight"] @ e)
    of_edge = 0 if e is None else p["W_edge.weight"][0] @ e
    if scorer == "dot":
        return (p["W_own.weight"] @ h[i]) @ (p["W_other.weight"] @ h[j]) / len(p["W_own.weight"]) ** 0.5 + of_edge
    return (p["W_own.weight"] @ h[i]) @ h[j] + of_edge


def edge(state, sentence, i, j):
    """What words i and j are to each other, as one vector; None where there are no attributes of edges."""
    parts = []
    for name, value in state.items():
        if name.startswith("edges.embeddings."):
            which = name.split(".")[2]
            number = max(-10, min(10, i - j)) + 10 if which == "distance" else sentence[which][i][j]
            parts.append(value[number])
    return torch.cat(parts) if parts else None


def attributes(state, sentence, t):
    """Vectors of the attributes of word t that there are."""
    made = []
    if "attributes.tag.weight" in state:
        made.append(looked_up(state["attributes.tag.weight"], sentence["tag"][t]))
    if "attributes.characters.embedding.weight" in state:
        made.append(of_characters(state, [c for c in sentence["characters"][t] if c]))
    if "attributes.spelling.cap.weight" in state:
        spelling = "attributes.spelling."
        made.extend(looked_up(state[f"{spelling}{name}.weight"], sentence[name][t]) for name in ("cap", "shape"))
        affix = state["attributes.spelling.affix.weight"]
        made.append(sum(looked_up(affix, number) for number in sentence["affix"][t]))
        made.append(torch.tensor(sentence["marks"][t], dtype=affix.dtype))
    if "attributes.position.weight" in state:
        table = state["attributes.position.weight"]
        made.append(table[min(t, len(table) - 1)])
    return made


def looked_up(table, number):
    """A row; zeros for padding."""
    return table[number] if number else torch.zeros_like(table[0])


def of_characters(state, word):
    """A word's vector from its characters, by a convolution or by LSTMs from either side."""
    prefix = "attributes.characters."
    p = {name.removeprefix(prefix): value for name, value in state.items() if name.startswith(prefix)}
    x = [p["embedding.weight"][c] for c in word]
    if "filters.weight" in p:
        W, b = p["filters.weight"], p["filters.bias"]
        if not x:
            return torch.zeros_like(b)
        nothing = torch.zeros_like(x[0])
        padded = [nothing, *x, nothing]
        seen = [sum(W[:, :, k] @ padded[t + k] for k in range(3)) + b for t in range(len(x))]
        return torch.stack(seen).amax(0)
    ends = []
    for side, read in (("rightward.", x), ("leftward.", x[::-1])):
        size = p[side + "weight_hh_l0"].shape[1]
        h = c = x[0].new_zeros(size) if x else p["embedding.weight"].new_zeros(size)
        for each in read:
            a = p[side + "weight_ih_l0"] @ each + p[side + "bias_ih_l0"]
            i, f, g, o = (a + p[side + "weight_hh_l0"] @ h + p[side + "bias_hh_l0"]).chunk(4)
            c = sigmoid(f) * c + sigmoid(i) * tanh(g)
            h = sigmoid(o) * tanh(c)
        ends.append(h)
    return torch.cat(ends)


def alone(state, x):
    """Words by themselves."""
    return [tanh(state["context.W.weight"] @ each + state["context.W.bias"]) for each in x]


def three_at_a_time(state, x):
    """Words between their neighbours."""
    nothing = torch.zeros_like(x[0])
    padded = [nothing, *x, nothing]
    return alone(state, [torch.cat(padded[t : t + 3]) for t in range(len(x))])


def both_ways(state, x):
    """States of two LSTMs."""
    forward, backward = lstm(state, x, "context.rightward."), lstm(state, x[::-1], "context.leftward.")
    return [torch.cat(pair) for pair in zip(forward, backward[::-1], strict=True)]


def lstm(state, x, prefix):
    """States of vectors read from the first to the last."""
    W, U, b = (rows(state[prefix + name], "uifo") for name in ("W.weight", "U.weight", "W.bias"))
    h = c = torch.zeros_like(b["i"])
    states = []
    for each in x:
        a = {gate: W[gate] @ each + U[gate] @ h + b[gate] for gate in "uifo"}
        c = sigmoid(a["i"]) * tanh(a["u"]) + sigmoid(a["f"]) * c
        h = sigmoid(a["o"]) * tanh(c)
        states.append(h)
    return states


CONTEXT = {"none": alone, "concat": lambda state, x: x, "cnn": three_at_a_time, "lstm": both_ways}
