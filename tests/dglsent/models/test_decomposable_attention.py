from __future__ import annotations

import pickle
from functools import partial

import pytest
import torch
from agreement import WAYS, assert_pairs_agree, assert_swaps, build, close, encode_pairs
from hypothesis import given, settings
from random_graphs import SEVEN, TALL, awkward_trees, binary_trees, chain, chains, depth, forests, pairs, tree
from reference.pair_attention import bilstm, child_sum, decomposable_attention
from window_sentences import WORDS, window

from dglsent.models import decomposable_attention as module
from dglsent.models.cnn import KimCNN
from dglsent.models.decomposable_attention import DecomposableAttention
from dglsent.models.sequence import BiLSTM
from dglsent.models.tree_lstm import ChildSumTreeLSTM
from dglsent.passing import Batch, edge_softmax, engine

HIDDEN = 4
TREE = (partial(ChildSumTreeLSTM, hidden=HIDDEN), child_sum)
SPLIT = (partial(ChildSumTreeLSTM, hidden=HIDDEN, const_bias="split"), child_sum)
TIED = (partial(BiLSTM, hidden=HIDDEN), bilstm)
UNTIED = (partial(BiLSTM, hidden=HIDDEN, tie_directions=False), partial(bilstm, tied=False))
PAIRS = ((tree(SEVEN), tree([1, -1, 1])), (tree([-1]), tree([1, 2, 3, -1])), (tree([2, 2, -1, 2]), tree([-1, 0])))
CHAINS = ((chain(7), chain(3)), (chain(1), chain(4)), (chain(4), chain(2)))

on_ways = pytest.mark.parametrize("way", WAYS, ids="-".join)
each_structure = pytest.mark.parametrize(
    ("structure", "graphs"), [(TREE, PAIRS), (TIED, CHAINS)], ids=["trees", "chains"]
)
drawn = settings(derandomize=True, deadline=None, max_examples=5)


def model(structure, mda_G="linear"):
    return build(DecomposableAttention, structure[0], mda_G=mda_G)


def check(structure, graphs, way, mda_G="linear"):
    reference = partial(decomposable_attention, structure=structure[1], mda_G=mda_G)
    assert_pairs_agree(model(structure, mda_G), reference, graphs, way)


@on_ways
@pytest.mark.parametrize("mda_G", ["linear", "relu"])
class TestAgainstTheReference:
    @pytest.mark.parametrize("phrases", [False, True])
    def test_awkward_trees(self, way, mda_G, phrases):
        graphs = awkward_trees(phrases=phrases)[:-1]
        check(TREE, list(zip(graphs, [*graphs[1:], graphs[0]], strict=True)), way, mda_G)

    def test_awkward_chains(self, way, mda_G):
        check(
            TIED, [(chain(1), chain(1)), (chain(1), chain(7)), (chain(2), chain(1)), (chain(9), chain(4))], way, mda_G
        )


@on_ways
class TestDrawn:
    @drawn
    @given(graphs=pairs(forests(roots=1)))
    def test_trees(self, way, graphs):
        check(TREE, graphs, way)

    @drawn
    @given(graphs=pairs(binary_trees()))
    def test_trees_with_two_biases(self, way, graphs):
        check(SPLIT, graphs, way, "relu")

    @drawn
    @given(graphs=pairs(chains()))
    def test_chains(self, way, graphs):
        check(UNTIED, graphs, way)


@on_ways
def test_deep(way):
    deep = tree([-1, *range(depth(*way))])
    check(TREE, [(deep, tree(SEVEN)), (tree([-1]), deep)], way)
    check(TIED, [(chain(TALL), chain(3)), (chain(1), chain(2))], way)


@on_ways
@each_structure
class TestIdentities:
    def test_the_weights_of_each_node_sum_to_one(self, way, structure, graphs):
        _, batch = encode_pairs(model(structure), graphs, way)
        attend = batch.relation("attend")
        receivers = torch.from_numpy(attend.ends[1])
        weight = attend.edges["attention"]
        ones = torch.ones(batch.num_nodes, dtype=weight.dtype)
        close(torch.zeros_like(ones).index_add(0, receivers, weight), ones)

    def test_the_weights_are_a_softmax_by_receiver(self, way, structure, graphs):
        _, batch = encode_pairs(model(structure), graphs, way)
        attend = batch.relation("attend")
        senders, receivers = map(torch.from_numpy, attend.ends)
        score = (batch.nodes["memory"][senders] * batch.nodes["memory"][receivers]).sum(-1)
        close(attend.edges["E"], score)
        with engine(*way):
            close(edge_softmax(batch, score, relation="attend"), attend.edges["attention"])

    def test_alone_is_as_in_a_batch(self, way, structure, graphs):
        encoder = model(structure)
        states, batch = encode_pairs(encoder, graphs, way)
        alone = [encode_pairs(encoder, [pair], way) for pair in graphs]
        close(torch.cat([states for states, _ in alone]), states)
        close(torch.cat([encoder.readout(b, s) for s, b in alone]), encoder.readout(batch, states))

    def test_swapping_the_sentences_swaps_their_vectors(self, way, structure, graphs):
        assert_swaps(model(structure), graphs, way)

    def test_without_gradients(self, way, structure, graphs):
        encoder = model(structure)
        _, batch = encode_pairs(encoder, graphs, way)
        with torch.no_grad():
            _, other = encode_pairs(encoder, graphs, way)
        close(other.nodes["context"], batch.nodes["context"].detach())


@on_ways
def test_alignments_are_made_when_they_are_read(way, monkeypatch):
    asked, alignment = [], module._alignment
    monkeypatch.setattr(module, "_alignment", lambda *edges: asked.append(edges) or alignment(*edges))
    encoder = model(TREE)
    states, batch = encode_pairs(encoder, PAIRS, way)
    encoder.readout(batch, states).sum().backward()
    edges = batch.relation("attend").edges
    assert "E" in edges
    assert not asked
    assert edges["E"].shape == edges["attention"].shape
    assert len(asked) == 1


def test_an_encoded_batch_crosses_processes():
    """Its alignments wait to be read, and pickle takes no function that makes them."""
    with torch.no_grad():
        _, batch = encode_pairs(model(TREE), PAIRS)
    copy = pickle.loads(pickle.dumps(batch))
    assert torch.equal(copy.relation("attend").edges["E"], batch.relation("attend").edges["E"])


def test_sentences_that_are_no_pairs_are_refused():
    with pytest.raises(ValueError, match="pairs=True"):
        model(TREE).encode(Batch.of([tree([-1]), tree([-1])]))


def test_padding_nodes_are_heard_by_nobody():
    """`attend` has all nodes of the other sentence, so windows are refused."""
    two_words = window(WORDS[:2], 2)
    with pytest.raises(ValueError, match="sentences would attend to padding nodes"):
        encode_pairs(build(DecomposableAttention, KimCNN), [(two_words, two_words)])
