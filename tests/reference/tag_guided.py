"""Equations 6-21 of paper 000: TG-HRecNN and TG-HTreeLSTM."""

from __future__ import annotations

import torch
from reference.order import bottom_up, rows, vector
from torch import relu, sigmoid, tanh

GATES = ["g", "i", "fl", "fr", "o"]


def tag_guided_recnn(state, words, children, tags, fusion="concat", hyper_at_leaf=True):
    """States, head words, head gates and z [N, .] of a binary tree's nodes, as fields."""
    size = len(state["hyper_U.weight"])
    fields = {name: [None] * len(words) for name in ("h", "hyper_h", "x", "a", "z_u", "z_b")}
    h, hyper_h = fields["h"], fields["hyper_h"]
    for j in bottom_up(children):
        x_hat = fused(state, words, tags, children, j, fields, fusion)
        below = [hyper_h[k] for k in children[j]] or [torch.zeros_like(state["hyper_W.bias"])] * 2
        hyper_h[j] = tanh(
            state["hyper_W.weight"] @ x_hat + state["hyper_U.weight"] @ torch.cat(below) + state["hyper_W.bias"]
        )
        if not children[j] and not hyper_at_leaf:
            hyper_h[j] = torch.zeros(size, dtype=x_hat.dtype)
        for name in ("u", "b"):
            fields[f"z_{name}"][j] = z(state, name, hyper_h[j])
        if children[j]:
            left, right = children[j]
            h[j] = tanh(fields["z_u"][j] * (state["U.weight"] @ torch.cat([h[left], h[right]])) + fields["z_b"][j])
        else:
            h[j] = tanh(state["W.weight"] @ fields["x"][j] + state["W.bias"])
    return {name: torch.stack(values) for name, values in fields.items()}


def tag_guided_tree_lstm(
    state,
    words,
    children,
    tags,
    fusion="concat",
    z_scope="per_gate",
    head_in_main=False,
    hyper_at_leaf=True,
):
    """States and memories, head words, head gates and z [N, .] of a binary tree's nodes, as fields."""
    names = ("h", "c", "hyper_h", "hyper_c", "x", "a", "z_w", "z_u", "z_b")
    fields = {name: [None] * len(words) for name in names}
    h, c, hyper_h, hyper_c = (fields[name] for name in names[:4])
    hidden = state["U.weight"].shape[1] // 2
    hyper = state["hyper_U.weight"].shape[1] // 2
    W_gates = GATES if head_in_main else ["g", "i", "o"]
    W, U = rows(state["W.weight"], W_gates), rows(state["U.weight"], GATES)
    W_hat, U_hat, b_hat = (rows(state[name], GATES) for name in ("hyper_W.weight", "hyper_U.weight", "hyper_W.bias"))

    def by_gate(values, gates):
        return dict.fromkeys(gates, values) if z_scope == "shared" else rows(values, gates)

    for j in bottom_up(children):
        zero, hyper_zero = (torch.zeros(n, dtype=state["U.weight"].dtype) for n in (hidden, hyper))
        below = children[j] or [None, None]
        (h_l, h_r), (c_l, c_r) = ([zero if k is None else field[k] for k in below] for field in (h, c))
        hyper_states, hyper_memories = (
            [hyper_zero if k is None else field[k] for k in below] for field in (hyper_h, hyper_c)
        )
        x_hat = fused(state, words, tags, children, j, fields, fusion)
        a = {gate: W_hat[gate] @ x_hat + U_hat[gate] @ torch.cat(hyper_states) + b_hat[gate] for gate in GATES}
        hyper_h[j], hyper_c[j] = cell(a, *hyper_memories)
        if not children[j] and not hyper_at_leaf:
            hyper_h[j], hyper_c[j] = hyper_zero, hyper_zero
        for name in ("w", "u", "b"):
            fields[f"z_{name}"][j] = z(state, name, hyper_h[j])
        z_w = by_gate(fields["z_w"][j], W_gates)
        z_u, z_b = (by_gate(fields[name][j], GATES) for name in ("z_u", "z_b"))
        a = {gate: z_u[gate] * (U[gate] @ torch.cat([h_l, h_r])) + z_b[gate] for gate in GATES}
        if head_in_main or not children[j]:
            a = {gate: a[gate] + z_w[gate] * (W[gate] @ fields["x"][j]) if gate in W else a[gate] for gate in GATES}
        h[j], c[j] = cell(a, c_l, c_r)
    return {name: torch.stack(values) for name, values in fields.items()}


def cell(a, c_l, c_r):
    """State and memory of equations 10-12 from the sums of the gates."""
    c = sigmoid(a["i"]) * tanh(a["g"]) + sigmoid(a["fl"]) * c_l + sigmoid(a["fr"]) * c_r
    return sigmoid(a["o"]) * tanh(c), c


def z(state, name, hyper_h):
    """Equation 9."""
    return state[f"A_{name}.weight"] @ hyper_h + state[f"A_{name}.bias"]


def fused(state, words, tags, children, j, fields, fusion):
    """The hyper network's input at node j, equations 17-21; writes the node's head word and head gate."""
    x, a = fields["x"], fields["a"]
    nothing = torch.zeros_like(state["fusion.tag_embedding.weight"][0])
    below = [nothing, nothing]
    states = [torch.zeros_like(state["fusion.states.weight"][0])]
    if children[j]:
        below = [state["fusion.tag_embedding.weight"][tags[k]] for k in children[j]]
        states = [fields["h"][k] for k in children[j]]
    t = torch.cat([state["fusion.tag_embedding.weight"][tags[j]], *below])
    if children[j]:
        left, right = children[j]
        W_head = torch.cat([state["fusion.head_tags.weight"], state["fusion.head_words.weight"]], 1)
        a[j] = sigmoid(W_head @ torch.cat([t, x[left], x[right]]) + state["fusion.head_tags.bias"])
        x[j] = a[j] * x[left] + (1 - a[j]) * x[right]
    else:
        x[j] = vector(state, words[j])
        a[j] = torch.zeros_like(x[j])
    s = torch.cat([x[j], *states])
    W_t, b = state["fusion.tags.weight"], state["fusion.tags.bias"]
    W_s = torch.cat([state["fusion.word.weight"], state["fusion.states.weight"]], 1)
    if fusion == "concat":
        return relu(torch.cat([W_t, W_s], 1) @ torch.cat([t, s]) + b)
    return relu((W_t @ t) * (W_s @ s) + b)
