from __future__ import annotations

import numpy as np
import pytest

import graphs
from graphs.columns import Dependencies, Tagged
from graphs.errors import InputError, Origin, SentenceError
from graphs.features import Vocabularies

TREE = graphs.parse_brackets("(S (NP (DT The) (JJ old) (NN cat)) (VP (VBD slept)))")[0]
SENTENCE = Dependencies(["She", "slept"], np.array([1, -1]), ["nsubj", "root"], xpos=["PRP", "VBD"])
VOCABULARIES = Vocabularies.of([TREE, SENTENCE])


def heard(graph):
    """Who sends to each node, in the order of the edges."""
    return [graph.src[graph.dst == node].tolist() for node in range(graph.size)]


def test_every_token_hears_its_window_in_order():
    graph = graphs.window(TREE, VOCABULARIES, 2)
    assert heard(graph) == [[4, 4, 0, 1, 2], [4, 0, 1, 2, 3], [0, 1, 2, 3, 4], [1, 2, 3, 4, 4], []]
    assert graph.edges["slot"].tolist() == [0, 1, 2, 3, 4] * 4
    assert graph.dst.tolist() == sorted(graph.dst.tolist())


@pytest.mark.parametrize(("half_width", "wanted"), [(0, [[0], [1], []]), (1, [[2, 0, 1], [0, 1, 2], []])])
def test_narrow_windows(half_width, wanted):
    assert heard(graphs.window(SENTENCE, VOCABULARIES, half_width)) == wanted


def test_a_window_wider_than_the_sentence():
    graph = graphs.window(SENTENCE, VOCABULARIES, 3)
    assert heard(graph) == [[2, 2, 2, 0, 1, 2, 2], [2, 2, 0, 1, 2, 2, 2], []]


def test_fields_and_the_padding_node():
    for sentence in (TREE, SENTENCE):
        graph, chain = graphs.window(sentence, VOCABULARIES, 2), graphs.chain(sentence, VOCABULARIES)
        assert graph.size == chain.size + 1
        for name in ("word", "tag"):
            assert graph.nodes[name].tolist() == [*chain.nodes[name].tolist(), 0]
        assert graph.nodes["position"].tolist() == [*range(chain.size), -1]
        assert graph.nodes["real"].tolist() == [1] * chain.size + [0]
        assert graph.level.tolist() == [0] * graph.size


def test_batching_keeps_windows_apart():
    one, other = (graphs.window(sentence, VOCABULARIES, 2) for sentence in (TREE, SENTENCE))
    merged = graphs.batch([one, other])
    src, dst = (ends.tolist() for ends in merged.edges())
    assert src == [*one.src, *(other.src + one.size)]
    assert dst == [*one.dst, *(other.dst + one.size)]
    assert merged.ndata["real"].tolist() == [1, 1, 1, 1, 0, 1, 1, 0]
    assert merged.ndata["sentence"].tolist() == [0] * 5 + [1] * 3


def test_what_cannot_be_a_window_is_refused():
    with pytest.raises(SentenceError, match="f:1, sentence 1: the sentence has no words"):
        graphs.window(Dependencies([], np.zeros(0, dtype=np.int64), [], origin=Origin("f", 1, "1")), VOCABULARIES, 2)
    with pytest.raises(InputError, match="half_width is -1"):
        graphs.window(SENTENCE, VOCABULARIES, -1)


@pytest.mark.parametrize("half_width", [1, 4])
@pytest.mark.parametrize("size", [1, 2, 5, 12])
def test_every_slot_by_its_definition(half_width, size):
    """Slot s of token t hears token t + s - half_width, or the one padding node, which is last, beyond the ends."""
    sentence = Tagged([f"w{i}" for i in range(size)], {"pos": ["X"] * size})
    graph = graphs.window(sentence, Vocabularies.of([sentence]), half_width)
    assert graph.size == size + 1
    wanted = [
        (token + slot - half_width if 0 <= token + slot - half_width < size else size, token, slot)
        for token in range(size)
        for slot in range(2 * half_width + 1)
    ]
    assert list(zip(graph.src.tolist(), graph.dst.tolist(), graph.edges["slot"].tolist(), strict=True)) == wanted


def test_a_small_integer_of_numpy_is_a_half_width():
    ours, theirs = (graphs.window(SENTENCE, VOCABULARIES, width) for width in (np.int8(64), 64))
    assert ours.src.tolist() == theirs.src.tolist()
