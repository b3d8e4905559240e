from __future__ import annotations

import pytest
import torch
from agreement import ENGINES
from random_graphs import awkward_trees, chain, forest

from dglsent.models.bag_of_words import BagOfWords
from dglsent.nn.embeddings import WordEmbedding
from dglsent.passing import Batch, engine


@pytest.mark.parametrize("on", ENGINES)
def test_state_is_the_mean_of_the_words_under_a_node(on):
    graphs = [*awkward_trees()[:-1], forest(), chain(4)]
    torch.manual_seed(0)
    embedding = WordEmbedding(30, 5)
    with engine(on):
        batch = Batch.of(graphs)
        states = BagOfWords(embedding).encode(batch)
    first = 0
    for graph in graphs:
        under = [{node} for node in range(graph.size)]
        for _ in range(graph.size):
            for child, parent in zip(graph.src, graph.dst, strict=True):
                under[parent] |= under[child]
        for node, nodes in enumerate(under):
            words = [int(graph.nodes["word"][other]) for other in nodes if graph.nodes["word"][other]]
            expected = embedding.weight[words].mean(0) if words else torch.zeros(5)
            assert torch.allclose(states[first + node], expected, atol=1e-6)
        first += graph.size


def test_a_layer_over_the_mean():
    torch.manual_seed(0)
    encoder = BagOfWords(WordEmbedding(30, 5), hidden=4)
    batch = Batch.of([chain(3), chain(1)])
    states = encoder.encode(batch)
    mean = BagOfWords(encoder.embedding).encode(batch)
    assert encoder.size == 4
    assert torch.equal(states, torch.relu(mean @ encoder.layer.weight.T + encoder.layer.bias))
