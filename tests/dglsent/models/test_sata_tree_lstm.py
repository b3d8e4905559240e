from __future__ import annotations

from functools import partial

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import TAGS, TALL, binary_trees, caterpillar, depth, tree
from reference.sata_tree_lstm import sata_tree_lstm

from dglsent.models.sata_tree_lstm import SATATreeLSTM
from dglsent.nn.embeddings import WordEmbedding

SWITCHES = [{}, {"leaf": "bilstm"}, {"normalise": True}]
make = partial(build, SATATreeLSTM, tag_dim=2, tags=TAGS)


@pytest.mark.parametrize("on", ENGINES)
@pytest.mark.parametrize("switches", SWITCHES, ids=["lstm", "bilstm", "normalised"])
class TestAgainstTheEquations:
    def check(self, switches, graphs, on):
        reference = partial(sata_tree_lstm, **switches)
        assert_agrees(make(**switches), reference, graphs, on, tags=True, states=["h"])

    def test_awkward_trees(self, switches, on):
        # Over 500 levels normalised gates make gradients large enough for rounding to show.
        depths = (0, 1, 2, 5, TALL if switches else depth(on))
        self.check(switches, [caterpillar(levels) for levels in depths], on)

    def test_only_words(self, switches, on):
        self.check(switches, [tree([-1], [4], phrases=True), tree([-1], [7], phrases=True)], on)

    @settings(derandomize=True, deadline=None, max_examples=5)
    @given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
    def test_drawn_trees(self, switches, on, graphs):
        self.check(switches, graphs, on)


@pytest.mark.parametrize("on", ENGINES)
class TestWhatAStateDependsOn:
    @pytest.mark.parametrize("node", range(5))
    def test_every_tag_reaches_the_root(self, on, node):
        made, (graph, other) = make(), (caterpillar(2), caterpillar(2))
        other.nodes["tag"][node] = 6 if graph.nodes["tag"][node] != 6 else 5
        root, changed = (encode(made, [each], on)[0][0] for each in (graph, other))
        assert (root - changed).abs().max() > 1e-6

    @pytest.mark.parametrize(("leaf", "hears_later_words"), [("lstm", False), ("bilstm", True)])
    def test_a_word_hears_the_words_before_it(self, on, leaf, hears_later_words):
        made = make(leaf=leaf)
        sentence = partial(tree, [-1, 0, 0], phrases=True)
        first, second = encode(made, [sentence([0, 3, 4])], on)[0][1:]
        close(encode(made, [sentence([0, 3, 4])], on)[0][1:], torch.stack([first, second]))
        assert (encode(made, [sentence([0, 5, 4])], on)[0][2] - second).abs().max() > 1e-6
        moved = (encode(made, [sentence([0, 3, 5])], on)[0][1] - first).abs().max() > 1e-6
        assert moved == hears_later_words

    def test_tags_leave_the_candidate_alone(self, on):
        made = make(hidden=2)
        with torch.no_grad():  # all gates open or shut: c is g
            made.b.copy_(torch.tensor([0, 0, *[1000] * 2, *[-1000] * 4, *[1000] * 2]))
        graph, other = caterpillar(1), caterpillar(1)
        other.nodes["tag"][0] = 6 if graph.nodes["tag"][0] != 6 else 5
        close(encode(made, [graph], on)[0], encode(made, [other], on)[0])


def test_forget_gates_are_open_at_the_start():
    made = SATATreeLSTM(WordEmbedding(5, 3), 4, tags=TAGS)
    for bias, count in ((made.b, 2), (made.tag_tree.W.bias, 2), (made.rightward.W.bias, 1)):
        parts = bias.view(3 + count, -1)
        assert (parts[2 : 2 + count] == 1).all()
        assert not parts[:2].any()
        assert not parts[2 + count :].any()


def test_without_tags_it_says_what_to_give():
    with pytest.raises(ValueError, match="strings of the tag vocabulary"):
        SATATreeLSTM(WordEmbedding(5, 3), 4)


def test_halves_of_an_odd_state():
    with pytest.raises(ValueError, match="even number"):
        SATATreeLSTM(WordEmbedding(5, 3), 5, leaf="bilstm", tags=TAGS)
