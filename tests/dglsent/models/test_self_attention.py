from __future__ import annotations

from functools import partial

import pytest
import torch
from agreement import WAYS, assert_same, build, close, encode_rounds
from random_graphs import chain, renumbered
from reference.self_attention import elman, lstmn, pooled_bilstm, transformer

from dglsent.models.elman import SeqRNN
from dglsent.models.lstmn import LSTMN
from dglsent.models.self_attention import AttentiveBiLSTM, Transformer

CHAINS = [chain(size, [1 + (3 * size + t * t) % 11 for t in range(size)]) for size in (3, 1, 7, 2, 5)]
SINGLE = [chain(1, [4]), chain(1, [7])]
MODELS = {
    "pooled": (AttentiveBiLSTM, pooled_bilstm, {}),
    "lstmn": (LSTMN, lstmn, {}),
    "transformer": (Transformer, transformer, {"heads": 2}),
    "learned positions": (Transformer, transformer, {"heads": 2, "positions": "learned"}),
    "one head": (Transformer, partial(transformer, heads=1, layers=1), {"heads": 1, "layers": 1}),
    "elman": (SeqRNN, elman, {}),
}
on_ways = pytest.mark.parametrize("way", WAYS, ids="-".join)


@on_ways
@pytest.mark.parametrize("graphs", [CHAINS, SINGLE], ids=["sentences", "single words"])
@pytest.mark.parametrize("model", MODELS)
def test_against_the_reference(model, graphs, way):
    encoder_class, reference, switches = MODELS[model]
    encoder = build(encoder_class, **switches).eval()
    state = {name: value.detach().clone().requires_grad_() for name, value in encoder.state_dict().items()}
    plainly = [reference(state, graph.nodes["word"].tolist()) for graph in graphs]
    expected = {name: torch.cat([fields[name] for fields in plainly]) for name in plainly[0]}
    states, batch = encode_rounds(encoder, graphs, way)
    found = {"states": states, "vector": encoder.readout(batch, states).flatten()}
    relation = "preceding" if encoder_class is LSTMN else "complete"
    compared = {
        name: (found[name] if name in found else batch.relation(relation).edges[name], value)
        for name, value in expected.items()
    }
    assert_same(encoder, state, compared, way)


def test_words_of_an_lstmn_stand_by_position():
    order = torch.tensor([2, 0, 3, 1])
    graph = chain(4)
    turned, _ = encode_rounds(build(LSTMN), [renumbered(graph, order.numpy())], ("torch", "auto"))
    close(turned, encode_rounds(build(LSTMN), [graph], ("torch", "auto"))[0][order])


def test_the_query_attends_to_each_sentence_by_itself():
    encoder = build(AttentiveBiLSTM)
    states, batch = encode_rounds(encoder, CHAINS, ("torch", "auto"))
    encoder.readout(batch, states)
    for weight in batch.nodes["attention"].split([graph.size for graph in CHAINS]):
        assert weight.sum().item() == pytest.approx(1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"heads": 0}, "heads is 0; give a whole number from 1"),
        ({"layers": -1}, "layers is -1; give a whole number from 0"),
    ],
)
def test_odd_numbers_of_heads_and_layers_are_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        build(Transformer, **wrong)


@pytest.mark.parametrize(("hidden", "heads"), [(6, 4), (9, 3), (8, 3)])
def test_heads_must_divide_the_states(hidden, heads):
    """Into parts of whole dimensions; all of them together are sines and cosines in turn."""
    with pytest.raises(ValueError, match=f"hidden {hidden}; give an even multiple of the {heads} heads"):
        build(Transformer, hidden=hidden, heads=heads)
    build(Transformer, hidden=6, heads=3)


def test_a_transformer_drops_its_first_states_and_what_each_sublayer_says():
    """Where all of these are dropped, normalised zeros are left."""
    encoder, plain = (build(Transformer, heads=2, layers=1, dropout=dropout) for dropout in (1.0, 0.0))
    states, _ = encode_rounds(encoder, CHAINS, ("torch", "auto"))
    first, second = encoder.layers[0].norms
    close(states, second(first.bias).expand_as(states))
    close(*(encode_rounds(each, CHAINS, ("torch", "auto"))[0] for each in (encoder.eval(), plain)))


@pytest.mark.parametrize("positions", ["sinusoidal", "learned"])
def test_positions_of_a_transformer_are_learnt_only_where_asked_for(positions):
    """The reference takes them as the encoder has them."""
    assert ("positions.weight" in build(Transformer, positions=positions).state_dict()) == (positions == "learned")


def test_the_hidden_layer_of_a_transformer_is_four_times_as_wide_by_default():
    wide, own = build(Transformer, hidden=8), build(Transformer, hidden=8, inner=5)
    assert [each.layers[1].feed_forward[0].out_features for each in (wide, own)] == [32, 5]
