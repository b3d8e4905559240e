"""An encoder against a plain function of its state dict: fields of all nodes and all gradients, in float64."""

from __future__ import annotations

from functools import partial

import torch
from random_graphs import VOCABULARY, children
from torch.testing import assert_close

from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, engine

ENGINES = ["torch", "dgl"]
WAYS = [("torch", "edges"), ("torch", "dense"), ("dgl", "auto")]  # engine and layout
close = partial(assert_close, rtol=1e-9, atol=1e-11)


def build(encoder_class, hidden=4, dim=3, **switches):
    """An encoder in float64, its weights spread wider than at the start, so that every gate is in play.

    Its second argument, the size of its states, may be another thing, such as the structure of a model of pairs.
    """
    torch.manual_seed(0)
    vectors = torch.randn(VOCABULARY, dim, dtype=torch.float64)
    encoder = encoder_class(WordEmbedding(VOCABULARY, dim, vectors=vectors), hidden, **switches).double()
    with torch.no_grad():
        for parameter in encoder.parameters():
            if parameter is not encoder.embedding.weight:
                parameter.uniform_(-1.2, 1.2)
    return encoder


def encode(encoder, graphs, on="torch"):
    """States of all nodes and the batch."""
    batch = Batch.of(graphs)
    with engine(on):
        return encoder.encode(batch), batch


def encode_rounds(encoder, graphs, way):
    """The same with the relations that the encoder names, on an engine in a layout."""
    batch = Batch.of(graphs, directions=encoder.directions, relations=encoder.relations)
    with engine(*way):
        return encoder.encode(batch), batch


def encode_pairs(encoder, pairs, way=("torch", "auto")):
    """States of all nodes and the batch of pairs of graphs, on an engine in a layout."""
    batch = Batch.of([graph for pair in pairs for graph in pair], pairs=True)
    with engine(*way):
        return encoder.encode(batch), batch


def assert_agrees(encoder, reference, graphs, on="torch", *, tags=False, states=None):
    """The encoder's fields and gradients on one batch are those of `reference(state, words, children)`.

    The reference sees one sentence at a time, so this also says that sentences of a batch never meet. With `tags`
    it is called as `reference(state, words, children, tags)`. The states are to be its fields `states`, by default
    all whose names start with h, side by side; one called "states" is no field of nodes.
    """
    inputs = [
        (graph.nodes["word"].tolist(), children(graph), *([graph.nodes["tag"].tolist()] if tags else []))
        for graph in graphs
    ]
    expected, gradients = expectation(encoder, reference, inputs)
    encoder.zero_grad()
    vectors, batch = encode(encoder, graphs, on)
    wanted = states or [name for name in expected if name.startswith("h")]
    close(vectors, torch.cat([expected[name] for name in wanted], 1))

    compared = {name: (vectors if name == "states" else batch.nodes[name], value) for name, value in expected.items()}
    assert_as_expected(encoder, gradients, compared, on)


def assert_pairs_agree(encoder, reference, pairs, way, *, relation="attend"):
    """The encoder's fields and gradients on a batch of pairs are those of `reference(state, sentence, other)`.

    The reference sees (words, children, position) of two sentences and tells of the first, by name, the `states` that
    the encoder returns, the sentence `vector`, node fields, and edge fields of `relation` whose names start with
    "attention"; so this also says that pairs of a batch never meet.
    """
    inputs = [tuple(map(sentence, sides)) for one, other in pairs for sides in ((one, other), (other, one))]
    expected, gradients = expectation(encoder, reference, inputs)
    encoder.zero_grad()
    states, batch = encode_pairs(encoder, pairs, way)
    with engine(*way):
        found = {"states": states, "vector": encoder.readout(batch, states).flatten()}
    edges = batch.relation(relation).edges
    compared = {
        name: (found[name] if name in found else (edges if name.startswith("attention") else batch.nodes)[name], value)
        for name, value in expected.items()
        if len(value)  # weights of no edges are not kept
    }
    assert_as_expected(encoder, gradients, compared, way)


def assert_swaps(encoder, pairs, way):
    """Where the sentences of pairs change places, so do their vectors, and nothing else happens to them."""
    vectors, turned = (
        encoder.readout(batch, states)
        for states, batch in (
            encode_pairs(encoder, each, way) for each in (pairs, [(other, one) for one, other in pairs])
        )
    )
    close(turned.view(len(pairs), 2, -1).flip(1), vectors.view(len(pairs), 2, -1))


def sentence(graph):
    """A graph as the references of models of pairs see it."""
    return graph.nodes["word"].tolist(), children(graph), graph.nodes["position"].tolist()


_expectations = {}


def expectation(encoder, reference, inputs):
    """What `reference(state, *one)` tells of each input: fields, side by side, and gradients of `loss_of` them.

    A reference that was asked the same before, for another engine, is not asked again: it goes node by node.
    """
    weights = encoder.state_dict()
    try:
        key = (identity(reference), *((name, value.numpy().tobytes()) for name, value in weights.items()), repr(inputs))
        return _expectations[key]
    except TypeError:  # of a switch that cannot be a key
        key = None
    except KeyError:
        pass
    state = {name: value.detach().clone().requires_grad_() for name, value in weights.items()}
    sentences = [reference(state, *one) for one in inputs]
    fields = {name: torch.cat([found[name] for found in sentences]) for name in sentences[0]}
    loss_of(fields).backward()
    made = (
        {name: value.detach() for name, value in fields.items()},
        {name: value.grad for name, value in state.items()},
    )
    if key is not None:
        _expectations[key] = made
    return made


def identity(value):
    """Of a function what it is and all that it holds; partials and lambdas are made anew by each test."""
    if isinstance(value, partial):
        arguments = [(name, identity(given)) for name, given in sorted(value.keywords.items())]
        return identity(value.func), *map(identity, value.args), *arguments
    if getattr(value, "__closure__", None):
        return value.__module__, value.__code__, *(identity(cell.cell_contents) for cell in value.__closure__)
    return value


def loss_of(fields):
    """A loss to which every entry of some fields counts by a weight of its own."""
    torch.manual_seed(1)
    return sum((value * torch.randn_like(value)).sum() for value in fields.values())


def assert_same(encoder, state, compared, on):
    """Fields, each found and expected, are equal, and so are all gradients for a loss over them."""
    loss_of({name: value for name, (_, value) in compared.items()}).backward()
    gradients = {name: value.grad for name, value in state.items()}
    assert_as_expected(encoder, gradients, compared, on)


def assert_as_expected(encoder, gradients, compared, on):
    """As `assert_same`, where the gradients that are expected are known."""
    for name, (found, value) in compared.items():
        close(found, value, msg=lambda text, name=name: f"field {name} on {on}: {text}")
    loss_of({name: found for name, (found, _) in compared.items()}).backward()
    for name, parameter in encoder.named_parameters():
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.to_dense()
        wanted = torch.zeros_like(parameter) if gradients[name] is None else gradients[name]
        close(gradient, wanted, msg=lambda text, name=name: f"gradient of {name} on {on}: {text}")
