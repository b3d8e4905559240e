from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from agreement import WAYS, assert_pairs_agree, assert_swaps, build, close, encode, encode_pairs
from hypothesis import given, settings
from random_graphs import (
    SEVEN,
    TAGS,
    TALL,
    awkward_trees,
    binary_trees,
    caterpillar,
    chain,
    chains,
    depth,
    forests,
    pairs,
    renumbered,
    tree,
)
from reference.pair_attention import bilstm, child_sum, progressive_attention
from torch import tanh

from dglsent.models.bi_tree_lstm import BiTreeLSTM
from dglsent.models.cn3 import CN3
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.sata_tree_lstm import SATATreeLSTM
from dglsent.models.sequence import BiLSTM
from dglsent.models.te_rnn import TERNN
from dglsent.models.tree_lstm import ChildSumTreeLSTM
from graphs.errors import InputError

HIDDEN = 4
TREE = (partial(ChildSumTreeLSTM, hidden=HIDDEN), child_sum)
SPLIT = (partial(ChildSumTreeLSTM, hidden=HIDDEN, const_bias="split"), child_sum)
TIED = (partial(BiLSTM, hidden=HIDDEN), bilstm)
UNTIED = (partial(BiLSTM, hidden=HIDDEN, tie_directions=False), partial(bilstm, tied=False))
SWITCHES = {
    "paper": {},
    "mean": {"pa_mix": "mean"},
    "context": {"pa_mix": "context"},
    "once": {"pa_propagate": False},
    "once, mean": {"pa_propagate": False, "pa_mix": "mean"},
}
PAIRS = ((tree(SEVEN), tree([1, -1, 1])), (tree([-1]), tree([1, 2, 3, -1])), (tree([2, 2, -1, 2]), tree([-1, 0])))
CHAINS = ((chain(7), chain(3)), (chain(1), chain(4)), (chain(4), chain(2)))

on_ways = pytest.mark.parametrize("way", WAYS, ids="-".join)
each_switch = pytest.mark.parametrize("switches", SWITCHES.values(), ids=SWITCHES)
each_structure = pytest.mark.parametrize(
    ("structure", "graphs"), [(TREE, PAIRS), (TIED, CHAINS)], ids=["trees", "chains"]
)
drawn = settings(derandomize=True, deadline=None, max_examples=5)


def model(structure, **switches):
    return build(ProgressiveAttention, structure[0], **switches)


def check(structure, graphs, way, **switches):
    reference = partial(progressive_attention, structure=structure[1], **switches)
    assert_pairs_agree(model(structure, **switches), reference, graphs, way)


@on_ways
@each_switch
class TestAgainstTheReference:
    @pytest.mark.parametrize("phrases", [False, True])
    def test_awkward_trees(self, way, switches, phrases):
        graphs = awkward_trees(phrases=phrases)[:-1]
        check(TREE, list(zip(graphs, [*graphs[1:], graphs[0]], strict=True)), way, **switches)

    def test_awkward_chains(self, way, switches):
        graphs = [(chain(1), chain(1)), (chain(1), chain(7)), (chain(2), chain(1)), (chain(9), chain(4))]
        check(TIED, graphs, way, **switches)


@on_ways
@pytest.mark.parametrize("switches", [SWITCHES["paper"], SWITCHES["once, mean"]], ids=["paper", "once, mean"])
class TestDrawn:
    """The switches that are farthest apart; the awkward graphs above take all of them."""

    @drawn
    @given(graphs=pairs(forests(roots=1)))
    def test_trees(self, way, switches, graphs):
        check(TREE, graphs, way, **switches)

    @drawn
    @given(graphs=pairs(binary_trees()))
    def test_trees_with_two_biases(self, way, switches, graphs):
        check(SPLIT, graphs, way, **switches)

    @drawn
    @given(graphs=pairs(chains()))
    def test_chains(self, way, switches, graphs):
        check(UNTIED, graphs, way, **switches)


@on_ways
class TestOddShapes:
    def test_deep(self, way):
        """The mean keeps the states of so many nodes within bounds."""
        deep = tree([-1, *range(depth(*way))])
        check(TREE, [(deep, tree(SEVEN)), (tree([-1]), deep)], way, pa_mix="mean")
        check(TIED, [(chain(TALL), chain(3)), (chain(1), chain(2))], way, pa_mix="mean")

    def test_only_words(self, way):
        check(TREE, [(tree([-1], [4]), tree([-1], [7]))], way)

    def test_a_vector_of_both_ends(self, way):
        structure = (partial(BiLSTM, hidden=HIDDEN, bilstm_readout="ends"), bilstm)
        assert_pairs_agree(model(structure), partial(progressive_attention, structure=bilstm, ends=True), CHAINS, way)

    @pytest.mark.parametrize("phrases", [False, True])
    def test_a_second_bias_where_there_is_a_word(self, way, phrases):
        graphs = awkward_trees(phrases=phrases)[:-1]
        check(SPLIT, list(zip(graphs, graphs[::-1], strict=True)), way)


@on_ways
@each_structure
class TestIdentities:
    def test_one_word_changes_nothing(self, way, structure, graphs):
        """With one node there, h' = h: no parent sees a difference, and tanh(h' + h) = tanh(2 h)."""
        encoder = model(structure)
        one = tree([-1], [3])
        pairs = [(graph, one) for pair in graphs for graph in pair]
        states, batch = encode_pairs(encoder, pairs, way)
        plain, _ = encode(encoder.structure, [graph for pair in pairs for graph in pair], way[0])
        heard = batch.nodes["side"] == 0
        close(states[heard], tanh(2 * plain[heard]))

    def test_without_w_all_nodes_count_alike(self, way, structure, graphs):
        """h' = h + (1 - 1 / |q|) sum H."""
        encoder = model(structure, pa_propagate=False)
        torch.nn.init.zeros_(encoder.w)
        flat = [graph for pair in graphs for graph in pair]
        states, batch = encode_pairs(encoder, graphs, way)
        plain, _ = encode(encoder.structure, flat, way[0])
        memory = encoder.structure.memory(plain).split([graph.size for graph in flat])
        rest = torch.cat(
            [
                ((1 - 1 / len(memory[k ^ 1])) * memory[k ^ 1].sum(0)).expand(graph.size, -1)
                for k, graph in enumerate(flat)
            ]
        )
        close(states, tanh(2 * plain + rest.repeat(1, plain.shape[1] // HIDDEN)))
        edges = batch.relation("attend")
        sizes = torch.tensor([graph.size for graph in flat], dtype=torch.float64)
        close(edges.edges["attention_up"], 1 / sizes[batch.nodes["sentence"][edges.ends[0]]])

    def test_alone_is_as_in_a_batch(self, way, structure, graphs):
        encoder = model(structure)
        together, _ = encode_pairs(encoder, graphs, way)
        close(torch.cat([encode_pairs(encoder, [pair], way)[0] for pair in graphs]), together)

    def test_swapping_the_sentences_swaps_their_vectors(self, way, structure, graphs):
        assert_swaps(model(structure), graphs, way)

    def test_without_gradients(self, way, structure, graphs):
        encoder = model(structure)
        states, _ = encode_pairs(encoder, graphs, way)
        with torch.no_grad():
            close(encode_pairs(encoder, graphs, way)[0], states.detach())


@on_ways
def test_siblings_may_change_places(way):
    wide, order = tree([-1, 0, 0, 0, 1, 1, 3]), np.array([0, 3, 2, 1, 6, 5, 4])
    encoder, other = model(TREE), tree([1, -1, 1])
    states, turned = (encode_pairs(encoder, [(graph, other)], way)[0] for graph in (wide, renumbered(wide, order)))
    close(turned[:7], states[:7][order])
    close(turned[7:], states[7:])


@on_ways
def test_a_parent_sees_what_its_child_attended_to(way):
    """Only with propagation does attention at the child change the memory of the root."""
    pair = [(tree([-1, 0], [3, 4]), tree([-1, 0], [5, 6]))]
    memories = {}
    for propagates in (True, False):
        encoder = model(TREE, pa_propagate=propagates)
        memories[propagates] = encode_pairs(encoder, pair, way)[1].nodes["c"]
        plain = encode(encoder.structure, pair[0], way[0])[1].nodes["c"]
        close(memories[propagates][[1, 3]], plain[[1, 3]])
    close(memories[False], plain)
    assert (memories[True] - plain)[[0, 2]].abs().min() > 1e-6


def test_word_vectors_and_cells_are_the_structures():
    encoder = model(TREE)
    assert encoder.embedding is encoder.structure.embedding
    assert sorted(name.partition(".")[0] for name, _ in encoder.named_children()) == ["W_other", "W_own", "structure"]
    assert [name for name in encoder.state_dict() if "embedding" in name] == ["structure.embedding.weight"]


def test_an_lstm_that_helps_a_tree_hears_nobody():
    """Only the tree's propagation over child attends: of one with a BiLSTM at its leaves there is one direction."""
    build_pair = partial(SATATreeLSTM, hidden=HIDDEN, tag_dim=3, leaf="bilstm", tags=TAGS)
    encoder = build(ProgressiveAttention, build_pair)
    states, batch = encode_pairs(encoder, ((caterpillar(1), caterpillar(2)),))
    assert torch.isfinite(states).all()
    assert [name for name in batch.relation("attend").edges if name.startswith("attention")] == ["attention_up"]


@pytest.mark.parametrize("pa_propagate", [True, False])
def test_a_structure_that_propagates_nothing_is_refused(pa_propagate):
    with pytest.raises(ValueError, match=r"^CN3 propagates nothing; take a structure that does"):
        build(ProgressiveAttention, CN3, pa_propagate=pa_propagate)


def test_states_up_and_down_that_are_no_memories_are_refused():
    """They were a bare RuntimeError of the first batch."""
    with pytest.raises(
        InputError, match=r"^the states of BiTreeLSTM in each direction have 3 dimensions; 6 are wanted; "
    ):
        build(ProgressiveAttention, partial(BiTreeLSTM, hidden=HIDDEN, units=6), pa_propagate=False)


@pytest.mark.parametrize("switches", [{}, {"pa_propagate": False}])
def test_states_of_another_size_than_the_structure_says(switches):
    encoder = model(TREE, **switches)
    encoder.structure.size = 3
    with pytest.raises(
        InputError, match=r"^the memories of ChildSumTreeLSTM have 4 dimensions; 3 are wanted; its size"
    ):
        encode_pairs(encoder, PAIRS)


@pytest.mark.parametrize("made", [None, 3, torch.nn.Linear(2, 2)])
def test_a_structure_that_makes_no_encoder(made):
    with pytest.raises(
        InputError, match=f"^Encoder is wanted, and {type(made).__name__} was given; structure makes an"
    ):
        build(ProgressiveAttention, lambda _: made)


@pytest.mark.parametrize("way", WAYS)
def test_a_structure_whose_states_are_more_than_what_it_propagates(way):
    encoder = build(ProgressiveAttention, partial(TERNN, hidden=4, tag_dim=2, tags=TAGS))
    with pytest.raises(InputError, match=r"the states h that TERNN propagates have 4 dimensions; 6 are wanted"):
        encode_pairs(encoder, [(caterpillar(2), caterpillar(1))], way)
