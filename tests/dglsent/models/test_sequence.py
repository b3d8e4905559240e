from __future__ import annotations

from functools import partial

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from complete_sentences import sentence
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import DEEP, TALL, chain, chains, depth, tree
from reference.sequence import bilstm, bilstm_readout, gru, lstm

from dglsent.models.sequence import BiLSTM, SeqGRU, SeqLSTM
from graphs.errors import InputError

MODELS = {
    "lstm": (SeqLSTM, {}, lstm),
    "lstm without output gate": (SeqLSTM, {"output_gate": False}, partial(lstm, output_gate=False)),
    "gru": (SeqGRU, {}, gru),
    "tied bilstm": (BiLSTM, {}, bilstm),
    "bilstm": (BiLSTM, {"tie_directions": False}, partial(bilstm, tie_directions=False)),
    "bilstm without output gate": (BiLSTM, {"output_gate": False}, partial(bilstm, output_gate=False)),
}
LENGTHS = [3, 1, 7, 2, 7, 12]

on_engines = pytest.mark.parametrize("on", ENGINES)
each_model = pytest.mark.parametrize("model", MODELS)


def check(model, graphs, on):
    encoder_class, switches, reference = MODELS[model]
    encoder = build(encoder_class, **switches)
    assert_agrees(encoder, lambda state, words, children: reference(state, words), graphs, on)


@on_engines
@each_model
class TestAgainstTheReference:
    def test_awkward_chains(self, on, model):
        longest = TALL if "without" in model else DEEP if model in ("lstm", "gru") else depth(on)
        check(model, [chain(size) for size in (1, 2, longest, 7)], on)

    def test_only_single_words(self, on, model):
        check(model, [chain(1, [4]), chain(1, [7])], on)

    @settings(derandomize=True, deadline=None, max_examples=6)
    @given(graphs=st.lists(chains(), min_size=1, max_size=4))
    def test_drawn_chains(self, on, model, graphs):
        check(model, graphs, on)


def by_torch(chains):
    """torch's own LSTM with the weights of one or two chains, whose gates it keeps in the order i, f, g, o."""

    def reordered(rows):
        g, i, f, o = rows.chunk(4)
        return torch.cat([i, f, g, o])

    module = torch.nn.LSTM(3, 4, bidirectional=len(chains) == 2).double()
    with torch.no_grad():
        for suffix, ours in zip(("l0", "l0_reverse"), chains, strict=False):
            getattr(module, f"weight_ih_{suffix}").copy_(reordered(ours.W.weight))
            getattr(module, f"weight_hh_{suffix}").copy_(reordered(ours.U.weight))
            getattr(module, f"bias_ih_{suffix}").copy_(reordered(ours.W.bias))
            getattr(module, f"bias_hh_{suffix}").zero_()
    return module


@on_engines
class TestAgainstTorch:
    @pytest.mark.parametrize("tied", [True, False])
    def test_bilstm(self, on, tied):
        encoder = build(BiLSTM, tie_directions=tied)
        graphs = [chain(size) for size in LENGTHS]
        states, batch = encode(encoder, graphs, on)
        module = by_torch([encoder.rightward, encoder.leftward or encoder.rightward])
        close(states, torch.cat([module(x)[0] for x in batch.nodes["x"].split(LENGTHS)]))

    def test_lstm(self, on):
        encoder = build(SeqLSTM)
        states, batch = encode(encoder, [chain(size) for size in LENGTHS], on)
        module = by_torch([encoder.chain])
        close(states, torch.cat([module(x)[0] for x in batch.nodes["x"].split(LENGTHS)]))


@on_engines
class TestReadout:
    @pytest.mark.parametrize("readout", ["last_word", "ends"])
    def test_of_a_bilstm(self, on, readout):
        encoder = build(BiLSTM, bilstm_readout=readout)
        states, batch = encode(encoder, [chain(size) for size in LENGTHS], on)
        sides = zip(*(batch.nodes[name].split(LENGTHS) for name in ("h_forward", "h_backward")), strict=True)
        wanted = torch.stack([bilstm_readout(*side, readout) for side in sides])
        close(encoder.readout(batch, states), wanted)

    def test_last_word_has_read_only_itself_backwards(self, on):
        encoder = build(BiLSTM)
        one, other = (encode(encoder, [chain(3, [first, 5, 6])], on) for first in (3, 4))
        one, other = (encoder.readout(batch, states)[0] for states, batch in (one, other))
        close(one[4:], other[4:])
        assert (one[:4] - other[:4]).abs().max() > 1e-6

    @pytest.mark.parametrize("encoder_class", [SeqLSTM, SeqGRU])
    def test_of_one_direction_is_the_last_state(self, on, encoder_class):
        encoder = build(encoder_class)
        states, batch = encode(encoder, [chain(size) for size in LENGTHS], on)
        close(encoder.readout(batch, states), torch.stack([s[-1] for s in states.split(LENGTHS)]))


def test_tied_directions_share_one_set_of_weights():
    tied, untied = build(BiLSTM), build(BiLSTM, tie_directions=False)
    assert sum(p.numel() for p in untied.rightward.parameters()) * 2 == sum(
        p.numel() for name, p in untied.named_parameters() if name.startswith(("rightward", "leftward"))
    )
    assert set(tied.state_dict()) == {name for name in untied.state_dict() if not name.startswith("leftward")}


@on_engines
@pytest.mark.parametrize("encoder_class", [SeqLSTM, SeqGRU, BiLSTM])
def test_a_tree_is_refused(on, encoder_class):
    with pytest.raises(ValueError, match="runs over chains; here a node hears from 2 others"):
        encode(build(encoder_class), [tree([-1, 0, 0])], on)


@on_engines
@pytest.mark.parametrize("encoder_class", [SeqLSTM, SeqGRU, BiLSTM])
def test_complete_graphs_are_refused(on, encoder_class):
    """In a loop of one's own no word heard another."""
    with pytest.raises(InputError, match=r"complete graphs have none: no node would hear another; make the batch of"):
        encode(build(encoder_class), [sentence(2), sentence(1)], on)


@on_engines
def test_both_directions_see_the_same_dropped_dimensions(on):
    encoder = build(BiLSTM, dim=40)
    encoder.embedding.dropout = 0.5
    states, _ = encode(encoder, [chain(1)], on)
    close(states[:, :4], states[:, 4:])
