"""An encoder against a plain function of its state dict: fields of all nodes and all gradients, in float64."""

from __future__ import annotations

from functools import partial

import torch
from random_graphs import VOCABULARY, children
from torch.testing import assert_close

from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, engine

ENGINES = ["torch", "dgl"]
close = partial(assert_close, rtol=1e-9, atol=1e-11)


def build(encoder_class, hidden=4, dim=3, **switches):
    """An encoder in float64, its weights spread wider than at the start, so that every gate is in play."""
    torch.manual_seed(0)
    vectors = torch.randn(VOCABULARY, dim, dtype=torch.float64)
    encoder = encoder_class(WordEmbedding(VOCABULARY, dim, vectors=vectors), hidden, **switches).double()
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if not name.startswith("embedding"):
                parameter.uniform_(-1.2, 1.2)
    return encoder


def encode(encoder, graphs, on="torch"):
    """States of all nodes and the batch."""
    batch = Batch.of(graphs)
    with engine(on):
        return encoder.encode(batch), batch


def assert_agrees(encoder, reference, graphs, on="torch", *, tags=False, states=None):
    """The encoder's fields and gradients on one batch are those of `reference(state, words, children)`.

    The reference sees one sentence at a time, so this also says that sentences of a batch never meet. With `tags`
    it is called as `reference(state, words, children, tags)`. The states are to be its fields `states`, by default
    all whose names start with h, side by side.
    """
    state = {name: value.detach().clone().requires_grad_() for name, value in encoder.state_dict().items()}
    sentences = [
        reference(
            state,
            graph.nodes["word"].tolist(),
            children(graph),
            *([graph.nodes["tag"].tolist()] if tags else []),
        )
        for graph in graphs
    ]
    expected = {name: torch.cat([fields[name] for fields in sentences]) for name in sentences[0]}
    encoder.zero_grad()
    vectors, batch = encode(encoder, graphs, on)
    wanted = states or [name for name in expected if name.startswith("h")]
    close(vectors, torch.cat([expected[name] for name in wanted], 1))

    torch.manual_seed(1)
    loss = wanted_loss = 0
    for name, value in expected.items():
        close(batch.nodes[name], value, msg=lambda text, name=name: f"field {name} on {on}: {text}")
        weight = torch.randn_like(value)
        loss, wanted_loss = loss + (batch.nodes[name] * weight).sum(), wanted_loss + (value * weight).sum()
    loss.backward()
    wanted_loss.backward()
    for name, parameter in encoder.named_parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.to_dense()
        wanted = torch.zeros_like(parameter) if state[name].grad is None else state[name].grad
        close(gradient, wanted, msg=lambda text, name=name: f"gradient of {name} on {on}: {text}")
