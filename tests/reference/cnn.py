"""Kim's convolutions, one word and one filter width at a time: section 1.8 i of the specifications, paper 000."""

from __future__ import annotations

import torch
from reference.order import vector

BEFORE = {3: 1, 4: 1, 5: 2}  # words before the one at which a filter of some width stands


def kim_cnn(state, words, children):
    """States [T + 1, 3 maps] of the words and of the padding node, which is last, as a field."""
    vectors = [vector(state, word) for word in words[:-1]]
    nothing = torch.zeros_like(vectors[0])
    states = []
    for t in range(len(vectors)):
        parts = []
        for number, (width, before) in enumerate(BEFORE.items()):
            places = range(t - before, t - before + width)
            x = torch.cat([vectors[place] if 0 <= place < len(vectors) else nothing for place in places])
            parts.append(torch.relu(state[f"filters.{number}.weight"] @ x + state[f"filters.{number}.bias"]))
        states.append(torch.cat(parts))
    return {"h": torch.stack([*states, torch.zeros_like(states[0])])}
