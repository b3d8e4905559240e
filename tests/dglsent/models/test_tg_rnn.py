from __future__ import annotations

from functools import partial

import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import TAGS, VOCABULARY, binary_trees, caterpillar, caterpillars, one_word, tree
from reference.tree_baselines import tg_rnn

from dglsent.models.recnn import RecNN
from dglsent.models.tg_rnn import TGRNN
from dglsent.nn.embeddings import WordEmbedding

each_engine = pytest.mark.parametrize("on", ENGINES)
FUNCTIONS = [TAGS.index("S"), TAGS.index("NP"), TAGS.index("VP")]


@each_engine
@pytest.mark.parametrize("own", [0, 2, 10])
@pytest.mark.parametrize("graphs", [caterpillars, one_word])
def test_awkward_trees(on, graphs, own):
    reference = partial(tg_rnn, functions=FUNCTIONS[:own])
    assert_agrees(build(TGRNN, own=own, tags=TAGS), reference, graphs(on), on, tags=True)


@each_engine
@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(binary_trees(), min_size=1, max_size=4))
def test_drawn_trees(on, graphs):
    reference = partial(tg_rnn, functions=FUNCTIONS[:2])
    assert_agrees(build(TGRNN, own=2, tags=TAGS), reference, graphs, on, tags=True)


@each_engine
def test_without_own_functions_it_is_a_recnn(on):
    graphs = [caterpillar(d) for d in (0, 1, 6)]
    encoder, plain = build(TGRNN, own=0, tags=TAGS), build(RecNN)
    plain.load_state_dict(encoder.state_dict())
    close(encode(encoder, graphs, on)[0], encode(plain, graphs, on)[0])


@each_engine
def test_a_phrase_is_composed_as_its_tag_says(on):
    """The same words under another label: only the function of that label matters."""
    encoder = build(TGRNN, tags=TAGS)
    graphs = [tree([-1, 0, 0], [1, 3, 4], phrases=True) for _ in range(2)]
    graphs[1].nodes["tag"][0] = TAGS.index("NP")
    s, np = encode(encoder, graphs, on)[0][[0, 3]]
    assert (s - np).abs().max() > 1e-3
    torch.nn.init.zeros_(encoder.U.weight[8:12])  # of NP
    changed = encode(encoder, graphs, on)[0][[0, 3]]
    close(changed[0], s)
    close(changed[1], torch.tanh(encoder.U.bias[8:12]))


def functions(tags, own):
    encoder = TGRNN(WordEmbedding(VOCABULARY, 3), 5, own=own, tags=tags)
    return encoder.function.tolist(), len(encoder.U.bias) // 5


def test_the_most_frequent_phrase_labels_have_their_own_functions():
    tags = ["<padding>", "<unknown>", "NN", "NP", ".", "@VP", "DT", "VP", "S", "@NP", "PP", "@S"]
    assert functions(tags, 2) == ([0, 0, 0, 1, 0, 2, 0, 2, 0, 1, 0, 0], 3)
    assert functions(tags, 10) == ([0, 0, 0, 1, 0, 2, 0, 2, 3, 1, 4, 3], 5)
    assert functions(tags[:3], 10) == ([0, 0, 0], 1)
    # The root of a sentence may be called so, and is composed as no other phrase.
    assert functions(["<padding>", "<unknown>", "NP", "ROOT", "@NP", "VB"], 2) == ([0, 0, 1, 2, 1, 0], 3)
