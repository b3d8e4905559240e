from __future__ import annotations

from functools import partial

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import TAGS, TALL, VOCABULARY, binary_trees, caterpillar, children, depth, tree
from reference.tag_guided import tag_guided_recnn, tag_guided_tree_lstm
from torch.testing import assert_close

from dglsent.models.recnn import RecNN
from dglsent.models.tag_guided import TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM
from dglsent.models.tree_lstm import BinaryTreeLSTM
from dglsent.nn.embeddings import WordEmbedding

drawn = settings(derandomize=True, deadline=None, max_examples=6)
SIZES = {"hyper": 3, "fusion_size": 5, "tag_dim": 2}
make = partial(build, tags=TAGS, **SIZES)
SHALLOW = [caterpillar(levels) for levels in (0, 1, 2, 5)]
FUSIONS = [{"fusion": "concat"}, {"fusion": "multi"}]
OF_RECNN = [*FUSIONS, {"hyper_at_leaf": False}]
OF_LSTM = [
    *OF_RECNN,
    {"z_scope": "shared"},
    {"head_in_main": True},
    {"z_scope": "shared", "head_in_main": True, "hyper_at_leaf": False, "fusion": "multi"},
]
BOTH = [TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM]


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize(
    ("encoder", "reference", "switches"),
    [
        *((TagGuidedHyperRecNN, tag_guided_recnn, switches) for switches in OF_RECNN),
        *((TagGuidedHyperTreeLSTM, tag_guided_tree_lstm, switches) for switches in OF_LSTM),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else value.__name__,
)
class TestAgainstTheEquations:
    def check(self, encoder, reference, switches, graphs, on):
        assert_agrees(make(encoder, **switches), partial(reference, **switches), graphs, on, tags=True, states=["h"])

    def test_awkward_trees(self, encoder, reference, switches, on):
        graphs = [*SHALLOW, caterpillar(depth(on) if switches == FUSIONS[0] else TALL)]
        self.check(encoder, reference, switches, graphs, on)

    def test_only_words(self, encoder, reference, switches, on):
        self.check(encoder, reference, switches, [tree([-1], [4], phrases=True), tree([-1], [7], phrases=True)], on)

    @drawn
    @given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
    def test_drawn_trees(self, encoder, reference, switches, on, graphs):
        self.check(encoder, reference, switches, graphs, on)


def without_forget_gates(rows):
    g, i, _, _, o = rows.chunk(5)
    return torch.cat([g, i, o])


@pytest.fixture
def new():
    torch.manual_seed(1)
    return partial(WordEmbedding, VOCABULARY, 30)


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize("bias", [0, 1])
class TestAtTheStart:
    """New maps scale by 1; where they shift by b alone, all is as without a hyper network.

    Bit for bit where b is 0; else the plain models add b within the product, which may round otherwise.
    """

    def check(self, encoder, plain, bias, on):
        with torch.no_grad():
            plain.U.bias.mul_(bias)
            plain.W.bias.mul_(bias)
            encoder.A_b.weight.zero_()
            encoder.A_b.bias.copy_(plain.U.bias)
            for name in ("U", "W", "embedding"):
                getattr(encoder, name).weight.copy_(getattr(plain, name).weight)
            states, wanted = (encode(model, SHALLOW, on)[0] for model in (encoder, plain))
        assert_close(states, wanted)
        assert bias or torch.equal(states, wanted)

    def test_it_is_a_tree_lstm(self, new, bias, on):
        encoder, plain = TagGuidedHyperTreeLSTM(new(), 40, tags=TAGS), BinaryTreeLSTM(new(), 40)
        with torch.no_grad():
            plain.W.bias.copy_(without_forget_gates(plain.U.bias))
        self.check(encoder, plain, bias, on)

    def test_it_is_a_recnn(self, new, bias, on):
        encoder, plain = TagGuidedHyperRecNN(new(), 40, tags=TAGS), RecNN(new(), 40)
        with torch.no_grad():
            encoder.W.bias.copy_(plain.W.bias * bias)
        self.check(encoder, plain, bias, on)


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize("encoder", BOTH)
class TestWhatAStateDependsOn:
    @pytest.mark.parametrize(("gate", "side"), [(1, 0), (0, 1)])
    def test_the_head_gate_hands_up_the_first_or_the_last_word(self, encoder, on, gate, side):
        graph, made = caterpillar(5), make(encoder)
        with torch.no_grad():
            made.fusion.head_tags.bias.fill_(1000 if gate else -1000)
        node = 0
        while children(graph)[node]:
            node = children(graph)[node][side]
        batch = encode(made, [graph], on)[1]
        close(batch.nodes["x"][0], made.embedding.weight[graph.nodes["word"][node]])
        close(batch.nodes["a"][0], torch.full_like(batch.nodes["a"][0], gate))

    def test_tags_that_multiply_by_one_are_tags_that_add_nothing(self, encoder, on):
        multi, concat = make(encoder, fusion="multi"), make(encoder, fusion="concat")
        with torch.no_grad():
            multi.fusion.tag_embedding.weight.fill_(1)
            concat.fusion.head_tags.load_state_dict(multi.fusion.head_tags.state_dict())
            concat.fusion.tag_embedding.weight.fill_(1)
            for weight in (multi.fusion.tags.weight, concat.fusion.tags.weight):
                weight.zero_()
            multi.fusion.tags.weight[:, 0] = 1
        close(encode(multi, SHALLOW, on)[0], encode(concat, SHALLOW, on)[0])

    @pytest.mark.parametrize("fusion", ["concat", "multi"])
    @pytest.mark.parametrize("node", range(5))
    def test_every_tag_reaches_the_root(self, encoder, on, fusion, node):
        made, (graph, other) = make(encoder, fusion=fusion), (caterpillar(2), caterpillar(2))
        other.nodes["tag"][node] = 6 if graph.nodes["tag"][node] != 6 else 5
        root, changed = (encode(made, [each], on)[0][0] for each in (graph, other))
        assert (root - changed).abs().max() > 1e-6

    def test_sentences_of_a_batch_never_meet(self, encoder, on):
        made = make(encoder)
        alone = torch.cat([encode(made, [graph], on)[0] for graph in SHALLOW])
        close(encode(made, SHALLOW, on)[0], alone)


@pytest.mark.parametrize("on", ENGINES)
class TestRecurrentDropout:
    @pytest.mark.parametrize("encoder", BOTH)
    def test_off_outside_training(self, encoder, on):
        dropping, plain = make(encoder, recurrent_dropout=0.5), make(encoder)
        assert not torch.equal(encode(dropping, SHALLOW, on)[0], encode(plain, SHALLOW, on)[0])
        assert torch.equal(encode(dropping.eval(), SHALLOW, on)[0], encode(plain, SHALLOW, on)[0])

    @pytest.mark.parametrize("head_in_main", [False, True])
    def test_a_tree_lstm_drops_candidates_anew_at_each_node(self, on, head_in_main):
        encoder = make(TagGuidedHyperTreeLSTM, hidden=30, recurrent_dropout=0.25, head_in_main=head_in_main)
        with torch.no_grad():  # no node hears of its children: memories are i * g, times the mask
            for linear in (encoder.A_w, encoder.A_u, encoder.A_b, encoder.U):
                linear.weight.zero_()
            encoder.fusion.head_words.weight.zero_()
            encoder.A_b.bias[60:120] = -1000
        graphs = [caterpillar(20), caterpillar(1), tree([-1], [3], phrases=True)]
        dropped, kept = (encode(encoder.train(mode), graphs, on)[1].nodes["c"] for mode in (True, False))
        mask = dropped / kept
        is_dropped = mask == 0
        close(mask, torch.full_like(mask, 1 / 0.75).masked_fill(is_dropped, 0))
        assert 0.2 < is_dropped.double().mean() < 0.3
        assert len(is_dropped.unique(dim=0)) == len(mask)

    def test_a_tree_lstm_drops_no_memory(self, on):
        encoder = make(TagGuidedHyperTreeLSTM, recurrent_dropout=1.0)
        encode(encoder, SHALLOW, on)
        batch = encode(encoder, SHALLOW, on)[1]
        assert not batch.nodes["c"].any()
        assert batch.nodes["hyper_c"].all()

    def test_a_recnn_drops_states_before_the_main_network_alone(self, on):
        graphs, encoder = [caterpillar(1)], make(TagGuidedHyperRecNN, recurrent_dropout=1.0)
        dropped, kept = (encode(encoder.train(mode), graphs, on)[1].nodes for mode in (True, False))
        close(dropped["hyper_h"], kept["hyper_h"])
        close(dropped["h"][1:], kept["h"][1:])
        close(dropped["h"][0], torch.tanh(dropped["z_b"][0]))

    def test_a_recnn_drops_anew_at_each_node(self, on):
        encoder = make(TagGuidedHyperRecNN, hidden=30, recurrent_dropout=0.5)
        roots = encode(encoder, [caterpillar(1)] * 10, on)[0][::3]
        assert len(roots.unique(dim=0)) == 10


@pytest.mark.parametrize("encoder", BOTH)
def test_without_tags_it_says_what_to_give(encoder):
    with pytest.raises(ValueError, match="tag vocabulary"):
        encoder(WordEmbedding(5, 3), 4)
