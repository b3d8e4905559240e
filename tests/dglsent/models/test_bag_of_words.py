from __future__ import annotations

import pytest
from agreement import ENGINES, assert_agrees, build
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import TALL, awkward_trees, chain, depth, forest, forests, tree
from reference.bag_of_words import bag_of_words

from dglsent.models.bag_of_words import BagOfWords

pytestmark = pytest.mark.parametrize("on", ENGINES)


@pytest.mark.parametrize("hidden", [None, 4])
@pytest.mark.parametrize("phrases", [False, True])
def test_awkward_trees(on, phrases, hidden):
    levels = TALL if phrases else depth(on)
    graphs = [*awkward_trees(phrases=phrases, levels=levels), forest(), chain(4), tree([-1], [0])]
    encoder = build(BagOfWords, hidden)
    assert encoder.size == (hidden or encoder.embedding.dim)
    assert_agrees(encoder, bag_of_words, graphs, on, states=["states"])


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(forests(), min_size=1, max_size=4))
def test_drawn_forests(on, graphs):
    assert_agrees(build(BagOfWords, None), bag_of_words, graphs, on, states=["states"])
