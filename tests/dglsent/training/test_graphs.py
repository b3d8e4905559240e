from __future__ import annotations

import numpy as np
import pytest

from dglsent.corpora.example import Parsed
from dglsent.training.graphs import KINDS, build, shape
from graphs.columns import Dependencies, Tagged
from graphs.features import Vocabularies

SENTENCE = Dependencies(["She", "saw", "it"], np.array([1, -1, 1]), ["nsubj", "root", "obj"])
TAGGED = Tagged(["It", "rains"], {"pos": ["PRP", "VBZ"], "chunk": ["B-NP", "B-VP"]})
VOCABULARIES = Vocabularies.of([SENTENCE, TAGGED])


@pytest.mark.parametrize(("kind", "slots"), [("window-0", 1), ("window", 5), ("window-1", 3), ("window-4", 9)])
def test_windows_of_several_widths(kind, slots):
    graph = build(kind, shape(kind, Parsed(dependencies=SENTENCE)), VOCABULARIES)
    assert graph.size == 4
    assert np.bincount(graph.dst).tolist() == [slots] * 3


def test_complete_graphs():
    graph = build("complete", shape("complete", Parsed(dependencies=SENTENCE)), VOCABULARIES)
    assert (graph.size, len(graph.src), len(graph.pairwise["relation"])) == (3, 0, 9)


@pytest.mark.parametrize("kind", ["chain", "window-1", "complete"])
def test_tokens_of_tagged_sentences_have_gold_classes(kind):
    graph = build(kind, TAGGED, VOCABULARIES, labels=[3, 5], labelled=True)
    assert graph.nodes["label"].tolist() == [3, 5, -1][: graph.size]
    assert kind in KINDS
