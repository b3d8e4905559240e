from __future__ import annotations

import numpy as np
import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import VOCABULARY, chain
from reference.cnn import kim_cnn
from tiny import recipe
from torch.nn import functional as F  # noqa: N812

import graphs
from dglsent.models.cnn import KimCNN
from graphs.columns import Dependencies
from graphs.features import Vocabularies, Vocabulary

WORDS = [str(number) for number in range(2, VOCABULARY)]  # so that word "7" has id 7
VOCABULARIES = Vocabularies(word=Vocabulary(WORDS), tag=Vocabulary(()), relation=Vocabulary(()))
LENGTHS = [3, 1, 7, 2, 4, 12]
SENTENCES = [[2 + (5 * n + length) % 10 for n in range(length)] for length in LENGTHS]

on_engines = pytest.mark.parametrize("on", ENGINES)


def window(words, half_width=2):
    parsed = Dependencies([str(word) for word in words], np.full(len(words), -1), ["dep"] * len(words))
    graph = graphs.window(parsed, VOCABULARIES, half_width)
    assert graph.nodes["word"].tolist() == [*words, 0]
    return graph


WINDOWS = [window(words) for words in SENTENCES]


@on_engines
class TestAgainstTheReference:
    def test_sentences_of_many_lengths(self, on):
        assert_agrees(build(KimCNN), kim_cnn, WINDOWS, on)

    def test_one_word(self, on):
        """Shorter than any filter."""
        assert_agrees(build(KimCNN), kim_cnn, [window([4])], on)

    @settings(derandomize=True, deadline=None, max_examples=6)
    @given(sentences=st.lists(st.lists(st.integers(2, VOCABULARY - 1), min_size=1, max_size=9), min_size=1, max_size=4))
    def test_drawn_sentences(self, on, sentences):
        assert_agrees(build(KimCNN), kim_cnn, [window(words) for words in sentences], on)


def by_torch(encoder, words):
    """Sentence vector of word ids by torch's convolutions over the padded sentence."""
    x = encoder.embedding(torch.tensor(words)).t()
    vectors = []
    for filters, width, before in zip(encoder.filters, (3, 4, 5), (1, 1, 2), strict=True):
        weight = filters.weight.view(len(filters.weight), width, -1).transpose(1, 2)
        maps = F.conv1d(F.pad(x, (before, width - 1 - before)), weight, filters.bias)
        vectors.append(torch.relu(maps).amax(-1))
    return torch.cat(vectors)


@on_engines
class TestSentenceVectors:
    def test_are_those_of_torchs_convolutions(self, on):
        encoder = build(KimCNN)
        states, batch = encode(encoder, WINDOWS, on)
        vectors = encoder.readout(batch, states)
        wanted = torch.stack([by_torch(encoder, words) for words in SENTENCES])
        close(vectors, wanted)
        weight = torch.randn_like(wanted)
        ours, theirs = (torch.autograd.grad((v * weight).sum(), list(encoder.parameters())) for v in (vectors, wanted))
        for one, other in zip(ours, theirs, strict=True):
            close(one, other)

    def test_alone_is_as_in_a_batch(self, on):
        encoder = build(KimCNN)
        states, batch = encode(encoder, WINDOWS, on)
        assert states.shape == (batch.num_nodes, encoder.size)
        alone = [encode(encoder, [graph], on) for graph in WINDOWS]
        close(torch.cat([states for states, _ in alone]), states)
        close(torch.cat([encoder.readout(batch, s) for s, batch in alone]), encoder.readout(batch, states))

    def test_a_word_beyond_every_filter_does_not_change_a_state(self, on):
        encoder = build(KimCNN)
        one, other = (encode(encoder, [window([2, 3, 4, 5, 6, last])], on)[0] for last in (7, 8))
        changed = (one != other).view(7, 3, 4).any(-1)
        assert changed[:, 0].tolist() == [False] * 4 + [True] * 2 + [False]  # t-1 .. t+1
        assert changed[:, 1].tolist() == [False] * 3 + [True] * 3 + [False]  # t-1 .. t+2
        assert changed[:, 2].tolist() == [False] * 3 + [True] * 3 + [False]  # t-2 .. t+2


@on_engines
@pytest.mark.parametrize(
    ("graph", "heard"), [(window([2, 3], half_width=1), 3), (window([2, 3], half_width=3), 7), (chain(3), 1)]
)
def test_other_graphs_are_refused(on, graph, heard):
    with pytest.raises(ValueError, match=f"here a node hears from {heard}; give it graphs of the kind window"):
        encode(build(KimCNN), [graph], on)


RECIPE = """
corpus:
  class_path: dglsent.corpora.built_in.Reviews
  init_args: {train: 60, dev: 20, test: 30}
graph: window
embedding: {dim: 8, dropout: 0.3}
encoder:
  class_path: dglsent.models.cnn.KimCNN
  init_args: {maps: 6}
task:
  class_path: dglsent.tasks.classification.Classification
  init_args: {classes: 5, dropout: 0.3}
training: {epochs: 1, batch_size: 8}
"""


def test_it_trains_and_predicts_from_a_recipe(program, tmp_path):
    code, _, err = program("fit", recipe(tmp_path, RECIPE), "--out", tmp_path / "run")
    assert code == 0, err
    sentence = tmp_path / "one.txt"
    sentence.write_text("(S (NP (DT the) (NN film)) (VP (VBD failed)))\n", encoding="utf-8")
    code, out, err = program("predict", tmp_path / "run", sentence)
    assert code == 0, err
    assert '"label"' in out
