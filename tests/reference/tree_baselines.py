"""Baselines of paper 000 over binary trees, a leaf being tanh(W x + b): one function a model."""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from torch import sigmoid, tanh


def _recursive(state, words, children, compose):
    """States [N, h] as a field, given the sum before a phrase's tanh: compose(node, left, right, q = [h_l; h_r])."""
    h = [None] * len(words)
    for j in bottom_up(children):
        if not children[j]:
            h[j] = tanh(state["W.weight"] @ vector(state, words[j]) + state["W.bias"])
        else:
            left, right = children[j]
            h[j] = tanh(compose(j, left, right, torch.cat([h[left], h[right]])))
    return {"h": torch.stack(h)}


def rntn(state, words, children):
    size = len(state["U.bias"])

    def compose(j, left, right, q):
        V = state["V.weight"].view(size, 2 * size, 2 * size)
        tensor = torch.stack([q @ V[k] @ q for k in range(size)])
        return tensor + state["U.weight"] @ q + state["U.bias"]

    return _recursive(state, words, children, compose)


def adamc_rnn(state, words, children, beta=1.0):
    functions = range(len(state["S.weight"]))
    U, b = (rows(state[name], functions) for name in ("U.weight", "U.bias"))

    def compose(j, left, right, q):
        w = torch.softmax(beta * (state["S.weight"] @ q), 0)
        return sum(w[k] * (U[k] @ q + b[k]) for k in functions)

    return _recursive(state, words, children, compose)


def adamc_rntn(state, words, children, beta=1.0):
    functions = range(len(state["S.weight"]))
    U, b, V = (rows(state[name], functions) for name in ("U.weight", "U.bias", "V.weight"))

    def compose(j, left, right, q):
        w = torch.softmax(beta * (state["S.weight"] @ q), 0)
        tensor = {k: torch.stack([q @ each.view(len(q), len(q)) @ q for each in V[k]]) for k in functions}
        return sum(w[k] * (tensor[k] + U[k] @ q + b[k]) for k in functions)

    return _recursive(state, words, children, compose)


def tg_rnn(state, words, children, tags, functions):
    """`functions` lists the tags that have a function of their own, in the order of the weights after the first."""
    names = [None, *functions]
    U, b = (rows(state[name], names) for name in ("U.weight", "U.bias"))

    def compose(j, left, right, q):
        name = tags[j] if tags[j] in functions else None
        return U[name] @ q + b[name]

    return _recursive(state, words, children, compose)


def te_rnn(state, words, children, tags):
    e = state["tag"]

    def compose(j, left, right, q):
        both = torch.cat([e[tags[left]], e[tags[right]]])
        return state["U.weight"] @ q + state["V.weight"] @ both + state["U.bias"]

    return {**_recursive(state, words, children, compose), "e": torch.stack([e[tag] for tag in tags])}


def mv_rnn(state, words, children):
    """Vectors [N, n] and matrices [N, n, n], as fields."""
    h, A = [None] * len(words), [None] * len(words)
    size = len(state["W.bias"])
    for j in bottom_up(children):
        if not children[j]:
            x = vector(state, words[j])
            U, V = state["U.weight"][words[j]].view(size, -1), state["V.weight"][words[j]].view(-1, size)
            h[j] = tanh(state["W_leaf.weight"] @ x + state["W_leaf.bias"])
            A[j] = U @ V + torch.diag(state["v.weight"][words[j]])
        else:
            left, right = children[j]
            crossed = torch.cat([A[right] @ h[left], A[left] @ h[right]])
            h[j] = tanh(state["W.weight"] @ crossed + state["W.bias"])
            A[j] = state["W_M"] @ torch.cat([A[left], A[right]])
    return {"h": torch.stack(h), "A": torch.stack(A)}


def te_lstm(state, words, children, tags):
    """States and memories [N, h], as fields."""
    h, c = [None] * len(words), [None] * len(words)
    gates, e = ["g", "i", "fl", "fr", "o"], state["tag"]
    U, V, V_p, b = (rows(state[name], gates) for name in ("U.weight", "V.weight", "V_p.weight", "U.bias"))
    W, b_leaf = (rows(state[name], ["g", "i", "o"]) for name in ("W.weight", "W.bias"))
    for j in bottom_up(children):
        if not children[j]:
            x = vector(state, words[j])
            a = {gate: W[gate] @ x + V_p[gate] @ e[tags[j]] + b_leaf[gate] for gate in W}
            c[j] = sigmoid(a["i"]) * tanh(a["g"])
        else:
            left, right = children[j]
            both, both_tags = torch.cat([h[left], h[right]]), torch.cat([e[tags[left]], e[tags[right]]])
            a = {gate: U[gate] @ both + V[gate] @ both_tags + V_p[gate] @ e[tags[j]] + b[gate] for gate in gates}
            c[j] = sigmoid(a["i"]) * tanh(a["g"]) + sigmoid(a["fl"]) * c[left] + sigmoid(a["fr"]) * c[right]
        h[j] = sigmoid(a["o"]) * tanh(c[j])
    return {"h": torch.stack(h), "c": torch.stack(c)}
