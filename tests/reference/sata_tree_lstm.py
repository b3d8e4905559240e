"""SATA Tree-LSTM (Kim et al. 2019), as the code released with the paper has it."""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows
from reference.sequence import lstm
from torch import sigmoid, tanh

GATES = ["g", "i", "fl", "fr", "o"]


def sata_tree_lstm(state, words, children, tags, leaf="lstm", normalise=False):
    """States and memories of words and tags [N, .] of a binary tree's nodes, as fields."""
    order = bottom_up(children)
    sentence = leaves_in_order(children)
    of_words = leaf_states(state, [words[j] for j in sentence], leaf)
    fields = {name: [None] * len(words) for name in ("h", "c", "e", "m")}
    h, c, e, m = fields.values()
    U_tag, W_tag, b_tag = (rows(state[f"tag_tree.{name}"], GATES) for name in ("U.weight", "W.weight", "W.bias"))
    U, b = rows(state["U.weight"], GATES), rows(state["b"], GATES)
    V = rows(state["V.weight"], GATES[1:])
    for j in order:
        p = state["tag_tree.tag"][tags[j]]
        if not children[j]:
            place = sentence.index(j)
            h[j], c[j] = of_words["h"][place], of_words["c"][place]
            e[j], m[j] = tanh(state["tag_tree.W_leaf.weight"] @ p + state["tag_tree.W_leaf.bias"]).chunk(2)
            continue
        left, right = children[j]
        below = torch.cat([e[left], e[right]])
        e[j], m[j] = cell({k: U_tag[k] @ below + W_tag[k] @ p + b_tag[k] for k in GATES}, m[left], m[right])
        below = torch.cat([h[left], h[right]])
        a = {k: U[k] @ below + b[k] for k in GATES}
        for number, k in enumerate(GATES[1:]):
            a[k] = a[k] + V[k] @ e[j]
            if normalise:
                centred = a[k] - a[k].mean()
                spread = (centred.square().mean() + 1e-5).sqrt()
                a[k] = state["gain"][number] * centred / spread + state["shift"][number]
        h[j], c[j] = cell(a, c[left], c[right])
    return {name: torch.stack(values) for name, values in fields.items()}


def cell(a, c_l, c_r):
    """State and memory from the sums of candidate and gates."""
    c = sigmoid(a["i"]) * tanh(a["g"]) + sigmoid(a["fl"]) * c_l + sigmoid(a["fr"]) * c_r
    return sigmoid(a["o"]) * tanh(c), c


def leaf_states(state, words, leaf):
    """State and memory of each word of a sentence."""
    forward = lstm(state, words, "rightward.")
    if leaf == "lstm":
        return forward
    backward = {name: values.flip(0) for name, values in lstm(state, words[::-1], "leftward.").items()}
    return {name: torch.cat([forward[name], backward[name]], 1) for name in forward}


def leaves_in_order(children):
    """The leaves in the order in which they stand in the sentence: by number, as the random graphs have it."""
    return [node for node, brood in enumerate(children) if not brood]
