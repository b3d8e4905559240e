from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import pytest
import torch
from agreement import ENGINES, assert_same, close
from random_graphs import chain
from reference import dynamic_window as reference
from window_sentences import SENTENCES, VOCABULARIES, embedding, spread, tokens, window

from dglsent.models.dynamic_window import WindowBiLSTM, WindowLSTM, WindowMLP, WindowOptions
from dglsent.models.fused_lstm import packed
from dglsent.models.window_rnn import WindowElman, WindowJordan
from dglsent.nn.chains import LSTMChain
from dglsent.passing import Batch, engine
from graphs.errors import InputError

MODELS = {
    "mlp": (WindowMLP, {"half_width": 4}, reference.mlp),
    "elman": (WindowElman, {}, reference.elman),
    "jordan": (WindowJordan, {}, reference.jordan),
    "lstm": (WindowLSTM, {}, reference.lstm),
    "bilstm": (WindowBiLSTM, {}, reference.bilstm),
    "stacked bilstm": (WindowBiLSTM, {"layers": 2}, partial(reference.bilstm, layers=2)),
}
LSTMS = ["lstm", "bilstm", "stacked bilstm"]

on_engines = pytest.mark.parametrize("on", ENGINES)
each_model = pytest.mark.parametrize("model", MODELS)


def build(model, *, train=False, filter="one_layer", gate_dropout=0.5, dropout_style="inverted", **switches):
    """An encoder with small parts and weights spread wide."""
    encoder_class, given, _ = MODELS[model]
    options = WindowOptions(
        filter=filter, gate_dropout=gate_dropout, dropout_style=dropout_style, cap_dim=2, character_dim=1
    )
    vectors = embedding()
    encoder = encoder_class(vectors, hidden=4, options=options, vocabularies=VOCABULARIES, **{**given, **switches})
    spread(encoder)
    # Sums over windows are long; smaller weights keep gates from closing.
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            if name != "embedding.weight":
                parameter.mul_(0.5)
    return encoder.train(train)


def graphs_of(model, sentences=SENTENCES):
    return [window(words, MODELS[model][1].get("half_width", 1)) for words in sentences]


def encode(encoder, graphs, on="torch"):
    batch = Batch.of(graphs, directions=encoder.directions, relations=encoder.relations)
    torch.manual_seed(3)
    with engine(on):
        return encoder.encode(batch), batch


def with_padding(states):
    """States of the words of sentences, with 0 for the padding node at the end of each."""
    return torch.stack([row for each in states for row in (*each, torch.zeros_like(each[0]))])


def check(model, encoder, graphs, on, filter="one_layer"):
    """States, gates and all gradients are those of the reference, under the masks that were drawn."""
    states, batch = encode(encoder, graphs, on)
    state = {name: value.detach().clone().requires_grad_() for name, value in encoder.state_dict().items()}
    half_width = MODELS[model][1].get("half_width", 1)
    sizes = [graph.size for graph in graphs]
    masks = batch.nodes["mask"].squeeze(-1).split(sizes)
    kept = batch.nodes["kept"].split(sizes) if model == "jordan" else [None] * len(graphs)
    wanted, gates = [], []
    for graph, mask, rows in zip(graphs, masks, kept, strict=True):
        x, plain, r = reference.read(state, tokens(graph), half_width, filter, mask)
        wanted.append(MODELS[model][2](state, x, plain, **({} if rows is None else {"kept": rows})))
        gates += r
    compared = {
        "states": (states, with_padding(wanted)),
        "gate": (batch.edges["gate"], torch.stack(gates)),
    }
    assert states.shape == (batch.num_nodes, encoder.size)
    assert_same(encoder, state, compared, on)


@on_engines
@each_model
class TestAgainstTheReference:
    def test_sentences_of_many_lengths(self, on, model):
        check(model, build(model), graphs_of(model), on)

    def test_one_word(self, on, model):
        check(model, build(model), graphs_of(model, [["Cat"]]), on)

    def test_in_training(self, on, model):
        switches = {"between_layers": 0.0} if model == "stacked bilstm" else {}
        check(model, build(model, train=True, **switches), graphs_of(model), on)


@on_engines
@pytest.mark.parametrize("filter", ["cnn", "mlp", "averaging", "ones"])
@pytest.mark.parametrize("model", ["elman", "jordan", "bilstm"])
def test_other_filters_agree_with_the_reference(on, model, filter):
    check(model, build(model, filter=filter), graphs_of(model), on, filter)


@each_model
class TestStates:
    @on_engines
    def test_alone_are_as_in_a_batch(self, model, on):
        encoder, graphs = build(model), graphs_of(model)
        states, batch = encode(encoder, graphs, on)
        alone = [encode(encoder, [graph], on) for graph in graphs]
        close(torch.cat([states for states, _ in alone]), states)
        close(torch.cat([encoder.readout(b, s) for s, b in alone]), encoder.readout(batch, states))

    def test_padding_nodes_are_zero_and_in_no_sentence_vector(self, model):
        encoder, graphs = build(model), graphs_of(model)
        states, batch = encode(encoder, graphs)
        padding = batch.nodes["real"] == 0
        assert (states[padding] == 0).all()
        assert (states[~padding] != 0).any(1).all()
        wanted = torch.stack([each[:-1].mean(0) for each in states.split([graph.size for graph in graphs])])
        close(encoder.readout(batch, states), wanted)
        states = states.masked_fill(padding.unsqueeze(-1), torch.nan)
        close(encoder.readout(batch, states), wanted)

    def test_windows_without_a_filter_are_gates_of_one(self, model):
        """With a weight of 0 and a bias of 20, gates are 1."""
        gated, plain = build(model), build(model, filter="ones")
        kept = plain.state_dict()
        plain.load_state_dict({name: value for name, value in gated.state_dict().items() if name in kept})
        if model in ("elman", "jordan"):  # with a plain window nothing is reset: as where its gate is open
            for name in ("W_q", "U_q"):
                torch.nn.init.zeros_(getattr(gated.recurrence, name).weight)
            torch.nn.init.constant_(gated.recurrence.W_q.bias, 60)
        torch.nn.init.zeros_(gated.window.filter.W.weight)
        torch.nn.init.constant_(gated.window.filter.W.bias, 20)
        graphs = graphs_of(model)
        one, other = (encode(encoder, graphs)[0] for encoder in (gated, plain))
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)

    def test_repeat_when_a_batch_is_encoded_again(self, model):
        encoder = build(model)
        states, batch = encode(encoder, graphs_of(model))
        close(encoder.encode(batch), states)

    def test_of_words_out_of_reach_do_not_change(self, model):
        """What a word hears of another depends on the window and on the direction of the recurrence."""
        encoder = build(model)
        words = ["cat", "sat", "on", "it", "all", "day", "the", "cat"]
        one, other = (encode(encoder, graphs_of(model, [[*words[:-1], last]]))[0] for last in ("cat", "2009"))
        changed = (one != other).any(1)[:-1].tolist()
        reach = {"mlp": 5, "bilstm": 8, "stacked bilstm": 8}.get(model, 2)
        assert changed == [False] * (8 - reach) + [True] * reach

    def test_do_not_need_characters(self, model):
        encoder_class, given, _ = MODELS[model]
        options = WindowOptions(character_dim=0)
        encoder = encoder_class(embedding(), hidden=4, options=options, vocabularies=VOCABULARIES, **given)
        assert encoder.inputs.size == 3 + 5
        assert not any("character" in name for name in encoder.state_dict())
        assert encode(encoder, graphs_of(model))[0].isfinite().all()


@pytest.mark.parametrize("model", LSTMS)
class TestFusedLSTM:
    def test_is_the_chain_functions_in_values_and_gradients(self, model):
        check(model, build(model, fused=True), graphs_of(model), "torch")

    def test_of_one_word(self, model):
        check(model, build(model, fused=True), graphs_of(model, [["Cat"]]), "torch")

    def test_drops_the_same_between_layers(self, model):
        outputs = []
        for fused in (False, True):
            encoder = build(model, fused=fused, train=True)
            states, _ = encode(encoder, graphs_of(model))
            states.sin().sum().backward()
            outputs.append([states, *(p.grad for p in encoder.parameters())])
        for one, other in zip(*outputs, strict=True):
            close(one, other)


def test_words_are_packed_longest_sentence_first():
    order, sizes = packed(torch.tensor([2, 4, 1]).numpy())
    assert order.tolist() == [3, 0, 8, 4, 1, 5, 6]  # nodes 2, 7 and 9 are padding
    assert sizes.tolist() == [3, 2, 1, 1]


class TestBetweenLayers:
    def test_states_are_dropped_in_training_alone(self):
        encoder, graphs = build("stacked bilstm", gate_dropout=0.0), graphs_of("stacked bilstm")
        whole, batch = encode(encoder, graphs)
        assert (batch.nodes["x"][batch.nodes["real"] > 0] != 0).all()
        dropped, batch = encode(encoder.train(), graphs)
        share = (batch.nodes["x"][batch.nodes["real"] > 0] == 0).double().mean()
        assert 0.3 < share < 0.7
        assert (whole != dropped).any()

    def test_may_be_kept(self):
        encoder, graphs = build("stacked bilstm", gate_dropout=0.0, between_layers=0.0), graphs_of("stacked bilstm")
        close(encode(encoder, graphs)[0], encode(encoder.train(), graphs)[0])


class TestResetGate:
    @pytest.mark.parametrize("model", ["elman", "jordan"])
    def test_when_closed_leaves_an_mlp(self, model):
        encoder = build(model)
        torch.nn.init.zeros_(encoder.recurrence.W_q.weight)
        torch.nn.init.zeros_(encoder.recurrence.U_q.weight)
        torch.nn.init.constant_(encoder.recurrence.W_q.bias, -60)
        states, batch = encode(encoder, graphs_of(model))
        h = torch.tanh(encoder.recurrence.W(batch.nodes["x"]))
        real = batch.nodes["real"] > 0
        close(states[real], (encoder.output(h) if model == "jordan" else h)[real])

    def test_jordan_remembers_what_it_said_and_not_what_it_dropped(self):
        """In training the output layer sees a state of which a part is dropped, and so does the next word."""
        check("jordan", build("jordan", train=True, dropout=0.5), graphs_of("jordan"), "torch")


@each_model
class TestInitialisation:
    def test_is_the_papers(self, model):
        encoder_class, given, _ = MODELS[model]
        torch.manual_seed(0)
        encoder = encoder_class(embedding(), hidden=100, vocabularies=VOCABULARIES, **given)
        recurrent = 0
        for name, module in encoder.named_modules():
            if not isinstance(module, torch.nn.Linear):
                continue
            if name.endswith(".U"):
                for block in module.weight.split(100):
                    rows = block if block.shape[0] <= block.shape[1] else block.t()
                    product = rows @ rows.t()
                    torch.testing.assert_close(product, torch.eye(len(product)), rtol=0, atol=1e-5)
                    recurrent += 1
            elif module.weight.numel() > 500:
                wanted = 0.1 / math.sqrt(module.in_features)
                assert abs(module.weight.std().item() / wanted - 1) < 0.15
            assert module.bias is None or (module.bias == 0).all()
        assert recurrent == {"mlp": 0, "elman": 1, "jordan": 1, "lstm": 4, "bilstm": 8, "stacked bilstm": 16}[model]

    def test_word_vectors_are_left_alone(self, model):
        encoder_class, given, _ = MODELS[model]
        vectors = embedding()
        before = vectors.weight.clone()
        encoder_class(vectors, hidden=4, vocabularies=VOCABULARIES, **given)
        close(vectors.weight, before)


@each_model
def test_sizes_and_shares_are_the_papers_by_default(model):
    """Nine words for the MLP and three for the others, 512 cells, and half of the gates and of the states dropped."""
    encoder = MODELS[model][0](embedding(), vocabularies=VOCABULARIES)
    assert encoder.window.slots == (9 if model == "mlp" else 3)
    assert encoder.window.dropout == 0.5
    assert getattr(encoder, "between_layers", 0.5) == 0.5
    cells = [len(module.bias) for name, module in encoder.named_modules() if name in ("W", "recurrence.W")]
    cells += [module.U.in_features for module in encoder.modules() if isinstance(module, LSTMChain)]
    assert set(cells) == {512}
    if model == "jordan":
        assert encoder.dropout.p == 0.5


def test_filters_over_slots_start_as_other_weights():
    torch.manual_seed(0)
    options = WindowOptions(filter="cnn")
    conv = WindowMLP(embedding(), hidden=4, options=options, vocabularies=VOCABULARIES).window.filter.conv
    assert conv.weight.std().item() == pytest.approx(0.1 / math.sqrt(conv.weight[0].numel()), rel=0.05)
    assert not conv.bias.any()


def test_vocabularies_without_spelling_are_refused():
    with pytest.raises(InputError, match="spelling"):
        WindowMLP(embedding())


def test_jordan_drops_its_states_in_training_alone():
    encoder, graphs = build("jordan", dropout=0.25), 5 * graphs_of("jordan")
    assert (encode(encoder, graphs)[1].nodes["kept"] == 1).all()
    kept = encode(encoder.train(), graphs)[1].nodes["kept"]
    close(kept.unique(), torch.tensor([0, 1 / 0.75], dtype=torch.float64))
    assert 0.15 < (kept == 0).double().mean() < 0.35


def test_jordan_without_classes_is_refused():
    with pytest.raises(InputError, match="its own classes; train it for a task that tags"):
        WindowJordan(embedding(), vocabularies=replace(VOCABULARIES, label=None))


@on_engines
def test_windows_of_another_size_are_refused(on):
    with pytest.raises(ValueError, match="windows of 9 words; here a node has 3"):
        encode(build("mlp"), graphs_of("lstm"), on)


@each_model
def test_other_graphs_are_refused(model):
    encoder = build(model)
    with pytest.raises(ValueError, match=f"^{type(encoder).__name__} reads windows; give it window-0, "):
        encode(encoder, [chain(3)])


def test_no_layers_are_refused():
    with pytest.raises(ValueError, match="layers is 0; give a whole number from 1"):
        build("bilstm", layers=0)
