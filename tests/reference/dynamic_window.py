"""Dynamic window taggers, one token and one slot at a time: section 3 of the specifications, paper 002.

A sentence is a list of tokens (word, capitalisation, ten characters), without the padding node.
"""

from __future__ import annotations

import torch
from reference.order import rows, vector
from torch import sigmoid, softmax, tanh


def token(state, word, cap, characters):
    """F of a token, eq. 1."""
    parts = [vector(state, word), state["inputs.cap.weight"][cap]]
    if "inputs.character.weight" in state:
        parts += [state["inputs.character.weight"][character] for character in characters]
    return torch.cat(parts)


def tokens(state, sentence):
    """F of each token of a sentence, and last that of the padding node."""
    padding = token(state, 0, 0, [0] * 10)
    word = state["inputs.padding"]
    return [*(token(state, *each) for each in sentence), torch.cat([word, padding[len(word) :]])]


def windows(state, sentence, half_width):
    """The k tokens around each token, eq. 2."""
    *real, padding = tokens(state, sentence)
    count = len(real)
    return [
        [real[t + o] if 0 <= t + o < count else padding for o in range(-half_width, half_width + 1)]
        for t in range(count)
    ]


def gates(state, filter, window):
    """A gate for each slot of a window, a number or a vector [F]: eq. 9, 24, 26, 12."""
    x, prefix = torch.cat(window), "window.filter."
    if filter == "ones":
        return list(torch.ones(len(window), dtype=x.dtype))
    if filter == "cnn":
        weight, bias = state[prefix + "conv.weight"], state[prefix + "conv.bias"]
        result = []
        for slot in range(len(window)):
            total = bias
            for column, place in enumerate((slot - 1, slot, slot + 1)):
                if 0 <= place < len(window):
                    total = total + weight[:, :, column] @ window[place]
            result.append(sigmoid(total))
        return result
    if filter == "mlp":
        hidden = tanh(state[prefix + "W1.weight"] @ x + state[prefix + "W1.bias"])
        return list(sigmoid(state[prefix + "W2.weight"] @ hidden + state[prefix + "W2.bias"]))
    pre = state[prefix + "W.weight"] @ x + state[prefix + "W.bias"]
    return list(softmax(pre, 0) if filter == "averaging" else sigmoid(pre))


def read(state, sentence, half_width, filter="one_layer", masks=None):
    """The gated window x of each token (eq. 7-11), the plain one, and the gates of all slots, token by token.

    `masks` are numbers by token and slot, all 1 by default.
    """
    gated, plain, kept = [], [], []
    for t, window in enumerate(windows(state, sentence, half_width)):
        r = gates(state, filter, window)
        mask = [1.0] * len(window) if masks is None else masks[t]
        weighted = [m * gate * f for m, gate, f in zip(mask, r, window, strict=True)]
        gated.append(sum(weighted) if filter == "averaging" else torch.cat(weighted))
        plain.append(torch.cat(window))
        kept += r
    return gated, plain, kept


def mlp(state, x, plain):
    """Eq. 13."""
    return [tanh(state["W.weight"] @ each + state["W.bias"]) for each in x]


def reset(state, x, plain, memory):
    """Eq. 15-17 with what is remembered, `memory`; None at a first word. Without the weights of a gate q is 1."""
    p = "recurrence."
    pre = state[p + "W.weight"] @ x + state[p + "W.bias"]
    if memory is not None and p + "W_q.weight" not in state:
        pre = pre + state[p + "U.weight"] @ memory
    elif memory is not None:
        weight = torch.cat([state[p + "W_q.weight"][0], state[p + "U_q.weight"][0]])
        q = sigmoid(weight @ torch.cat([plain, memory]) + state[p + "W_q.bias"][0])
        pre = pre + state[p + "U.weight"] @ (q * memory)
    return tanh(pre)


def elman(state, x, plain):
    """Eq. 15-16."""
    states = []
    for each, window in zip(x, plain, strict=True):
        states.append(reset(state, each, window, states[-1] if states else None))
    return states


def jordan(state, x, plain, kept=None):
    """Logits, eq. 16-18; `kept` are the masks [h] of the hidden layer."""
    logits = []
    for t, (each, window) in enumerate(zip(x, plain, strict=True)):
        h = reset(state, each, window, softmax(logits[-1], 0) if logits else None)
        h = h if kept is None else kept[t] * h
        logits.append(state["output.weight"] @ h + state["output.bias"])
    return logits


def chain(state, x, prefix):
    """An LSTM over vectors, eq. 4-6."""
    W, U, b = (rows(state[prefix + name], "gifo") for name in ("W.weight", "U.weight", "W.bias"))
    h = c = torch.zeros_like(b["i"])
    states = []
    for each in x:
        a = {gate: W[gate] @ each + U[gate] @ h + b[gate] for gate in "gifo"}
        c = sigmoid(a["f"]) * c + sigmoid(a["i"]) * tanh(a["g"])
        h = sigmoid(a["o"]) * tanh(c)
        states.append(h)
    return states


def lstm(state, x, plain):
    """Eq. 4-6."""
    return chain(state, x, "chain.")


def bilstm(state, x, plain, layers=1):
    """Eq. 19-22."""
    for layer in range(layers):
        forward = chain(state, x, f"rightward.{layer}.")
        backward = chain(state, x[::-1], f"leftward.{layer}.")[::-1]
        x = [torch.cat(sides) for sides in zip(forward, backward, strict=True)]
    return x
