from __future__ import annotations

import numpy as np
import pytest
import torch
from agreement import ENGINES, assert_agrees, build, close, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import TALL, awkward_trees, chain, depth, forest, forests, renumbered, tree
from reference.tree_gru import child_sum_tree_gru

from dglsent.models.sequence import SeqGRU
from dglsent.models.tree_gru import ChildSumTreeGRU
from dglsent.passing import Batch, engine

pytestmark = pytest.mark.parametrize("on", ENGINES)


@pytest.mark.parametrize("phrases", [False, True])
def test_awkward_trees(on, phrases):
    graphs = [*awkward_trees(phrases=phrases, levels=TALL if phrases else depth(on)), forest()]
    assert_agrees(build(ChildSumTreeGRU), child_sum_tree_gru, graphs, on)


@settings(derandomize=True, deadline=None, max_examples=6)
@given(graphs=st.lists(forests(), min_size=1, max_size=4))
def test_drawn_forests(on, graphs):
    assert_agrees(build(ChildSumTreeGRU), child_sum_tree_gru, graphs, on)


def test_on_a_chain_it_is_a_gru(on):
    tree_gru, gru = build(ChildSumTreeGRU), build(SeqGRU)
    with torch.no_grad():
        for name in ("weight", "bias"):
            stacked = torch.cat([getattr(tree_gru.W_gz, name), getattr(tree_gru.W_r, name)])
            getattr(gru.chain.W, name).copy_(stacked)
        gru.chain.U_zr.weight.copy_(torch.cat([tree_gru.U_z.weight, tree_gru.U_r.weight]))
        gru.chain.U_g.weight.copy_(tree_gru.U_g.weight)
    graphs = [chain(size) for size in (1, 2, 9, 30)]
    close(encode(tree_gru, graphs, on)[0], encode(gru, graphs, on)[0])


def test_siblings_may_change_places(on):
    wide, order = tree([-1, 0, 0, 0, 1, 1, 3]), np.array([0, 3, 2, 1, 6, 5, 4])
    encoder = build(ChildSumTreeGRU)
    close(encode(encoder, [renumbered(wide, order)], on)[0], encode(encoder, [wide], on)[0][order])


@pytest.mark.parametrize("blind", [False, True])
def test_the_word_of_a_head_reaches_the_root(on, blind):
    """Blind, only the reset gate can tell the words."""
    encoder = build(ChildSumTreeGRU)
    if blind:
        torch.nn.init.zeros_(encoder.W_gz.weight)
    one, other = (encode(encoder, [tree([-1, 0], [head, 5])], on)[0] for head in (3, 4))
    close(one[1], other[1])
    assert (one[0] - other[0]).abs().max() > 1e-3


def test_words_that_phrases_are_given_later_are_read(on):
    encoder = build(ChildSumTreeGRU)
    batch, wanted = Batch.of([tree([-1, 0], phrases=True)]), encode(encoder, [tree([-1, 0], [3, 5])], on)[0]
    batch.nodes["word"] = torch.tensor([3, 5])
    with engine(on):
        close(encoder.encode(batch), wanted)
