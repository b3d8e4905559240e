"""Progressive attention (equations 19-24) and modified decomposable attention (14-18) of paper 004.

A sentence is (words, children, position) as in `attentive_tree`; in a chain the nodes stand in the order of the words.
A structure is a function of (state, words, children, attend) that gives the states of the nodes, [N, d] for each
direction; `attend` changes the state of a node before the next node sees it.
"""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from torch import sigmoid, softmax, tanh


def unchanged(h, node, direction):
    return h


def child_sum(state, words, children, attend=unchanged):
    """Equations 7-13: states and memories of a tree's nodes; with `word_bias`, words have a second bias."""
    h, c = [None] * len(words), [None] * len(words)
    W, U, b = (rows(state[name], ["u", "i", "o"]) for name in ("W_gio.weight", "U_gio.weight", "W_gio.bias"))
    second = rows(state["word_bias"], ["u", "i", "o"]) if "word_bias" in state else None
    for j in bottom_up(children):
        x = vector(state, words[j])
        h_sum = sum((h[k] for k in children[j]), torch.zeros_like(b["i"]))
        a = {gate: W[gate] @ x + U[gate] @ h_sum + b[gate] for gate in U}
        if second and words[j]:
            a = {gate: a[gate] + second[gate] for gate in U}
        c[j] = sigmoid(a["i"]) * tanh(a["u"])
        for k in children[j]:
            f = sigmoid(state["W_f.weight"] @ x + state["U_f.weight"] @ h[k] + state["W_f.bias"])
            c[j] = c[j] + f * c[k]
        h[j] = attend(sigmoid(a["o"]) * tanh(c[j]), j, "up")
    return {"h": torch.stack(h), "c": torch.stack(c)}


def bilstm(state, words, children, attend=unchanged, tied=True):
    """Equations 1-6 in both directions: states of a chain's nodes."""

    def run(prefix, direction):
        gates = ["u", "i", "f", "o"]
        W, U, b = (rows(state[prefix + name], gates) for name in ("W.weight", "U.weight", "W.bias"))
        h = c = torch.zeros_like(b["i"])
        states = [None] * len(words)
        for j in range(len(words)) if direction == "up" else reversed(range(len(words))):
            a = {gate: W[gate] @ vector(state, words[j]) + U[gate] @ h + b[gate] for gate in gates}
            c = sigmoid(a["i"]) * tanh(a["u"]) + sigmoid(a["f"]) * c
            states[j] = h = attend(sigmoid(a["o"]) * tanh(c), j, direction)
        return torch.stack(states)

    return {"h_forward": run("rightward.", "up"), "h_backward": run("rightward." if tied else "leftward.", "down")}


def progressive_attention(state, sentence, other, structure=child_sum, pa_propagate=True, pa_mix="paper", ends=False):
    """Fields and sentence vector of one sentence: `memory`, `states` tanh(h' + h), and for trees `c`.

    `attention_up` and `attention_down` are the weights of each node over those of the other sentence, node by node.
    """
    state = of_structure(state)
    words, children, _ = sentence
    plain, H_q = structure(state, words, children), memory(structure(state, *other[:2]))
    W_c = torch.cat([state["W_own.weight"], state["W_other.weight"]], 1).t()
    weights = {}

    def attend(h_j, j, direction):
        H_pj = torch.stack([h_j] * len(H_q))  # eq. 19
        con = torch.cat([H_pj, H_q], 1)  # eq. 20
        a = softmax(tanh(con @ W_c + state["W_own.bias"]) @ state["w"], 0)  # eq. 21
        weights[direction, j] = a
        rest, own = ((1 - a)[:, None] * H_q).sum(0), (a[:, None] * H_pj).sum(0)  # the terms of eq. 22
        return {"paper": rest + own, "mean": rest / len(H_q) + own, "context": h_j + a @ H_q}[pa_mix]

    if pa_propagate:
        attended = structure(state, words, children, attend)
    else:
        attended = {
            name: torch.stack([attend(h_j, j, "down" if name == "h_backward" else "up") for j, h_j in enumerate(h)])
            for name, h in plain.items()
            if name != "c"
        }
    states = torch.cat([tanh(attended[name] + h) for name, h in plain.items() if name != "c"], 1)  # eq. 23-24
    forward, backward = states.chunk(2, 1)
    root = bottom_up(children)[-1]
    return {
        "memory": memory(plain),
        "states": states,
        "vector": torch.cat([forward[root], backward[0 if ends else root]]),
        **{
            f"attention_{direction}": torch.cat([weights[direction, j] for j in range(len(children))])
            for direction in ("up", "down")
            if (direction, 0) in weights
        },
        **({"c": attended["c"]} if "c" in attended else {}),
    }


def decomposable_attention(state, sentence, other, structure=child_sum, mda_G="linear"):
    """Fields and sentence vector of one sentence: `memory`, `context`; `attention` as in the progressive model.

    The sentence is L of the paper, and the other R.
    """
    state = of_structure(state)
    L, R = (memory(structure(state, *each[:2])) for each in (sentence, other))
    beta, weights = [], []
    for l_i in L:
        e_i = torch.stack([l_i @ r_j for r_j in R])  # eq. 14
        weights.append(softmax(e_i, 0))
        beta.append(sum(weight * r_j for weight, r_j in zip(weights[-1], R, strict=True)))  # eq. 15, 16
    root = bottom_up(sentence[1])[-1]
    vector = state["G.weight"] @ torch.cat([L[root], beta[root]]) + state["G.bias"]  # eq. 17, 18
    return {
        "memory": L,
        "states": L,
        "context": torch.stack(beta),
        "attention": torch.cat(weights),
        "vector": torch.relu(vector) if mda_G == "relu" else vector,
    }


def of_structure(state):
    """The state of a model of pairs, with the names of the structure's weights as in the structure alone."""
    return {name.removeprefix("structure."): value for name, value in state.items()}


def memory(fields):
    """What the other sentence attends to: states h, and of a BiLSTM tanh(h_forward + h_backward)."""
    return fields["h"] if "h" in fields else tanh(fields["h_forward"] + fields["h_backward"])
