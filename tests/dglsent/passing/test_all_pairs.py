"""Padded sentences: nodes there and back, and the edges of frontiers listed receiver by receiver."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from random_graphs import SEVEN, chain, forests, pairs, tree

from dglsent.passing import Batch, engine, softmax_sum
from dglsent.passing.engines.torch.all_pairs import frontiers_run_dense, runs_dense
from dglsent.passing.engines.torch.padding import join_blocks, of_cells, of_edges, pad, pad_senders, split_blocks, unpad
from dglsent.passing.relation import AllPairs
from graphs.door import fn

SOFTMAX = softmax_sum(score="score", value="value", out="mean", weight="weight")
SUM = fn.sum("m", "s")
quick = settings(derandomize=True, deadline=None, max_examples=30)


def attend(graphs):
    return Batch.of([graph for pair in graphs for graph in pair], pairs=True).relation("attend")


def small():
    return attend([(tree([-1, 0, 0]), tree([-1])), (chain(2), tree([-1, 0, 1]))])


def uneven():
    """Padding of which little is filled: 2 S sentences, of which one is long."""
    return attend([(chain(40), chain(1)), *[(chain(1), chain(1))] * 3])


class TestPadding:
    @quick
    @given(graphs=pairs(forests()))
    def test_there_and_back(self, graphs):
        padding = attend(graphs).padding
        sizes = [graph.size for pair in graphs for graph in pair]
        x = torch.randn(sum(sizes), 2, dtype=torch.float64, requires_grad=True)
        padded = pad(x, padding)
        assert padded.shape == (len(sizes), max(sizes), 2)
        assert torch.equal(unpad(padded, padding), x)
        for size, row, source, nodes in zip(sizes, padded, padding.sources.tolist(), x.split(sizes), strict=True):
            assert torch.equal(row[:size], nodes)
            assert torch.equal(pad_senders(x, padding)[source ^ 1][: sizes[source]], x.split(sizes)[source])
        assert padding.real.sum(1).tolist() == sizes
        assert padding.mask.sum(1).tolist() == [sizes[k ^ 1] for k in range(len(sizes))]
        weight = torch.randn_like(x)
        (unpad(padded, padding) * weight).sum().backward()
        assert torch.equal(x.grad, weight)

    @quick
    @given(graphs=pairs(forests()))
    def test_edges_there_and_back(self, graphs):
        relation = attend(graphs)
        src, dst = map(torch.from_numpy, relation.ends)
        blocks, within = relation.blocks, relation.padding.place % relation.padding.width
        cell, cells = relation.cell(blocks.start), sum(blocks.cells)
        assert cell.unique().shape == cell.shape
        assert torch.equal(cell, blocks.start[dst] + within[src])
        field = torch.arange(1.0, len(src) + 1, requires_grad=True)
        assert torch.equal(relation.cells[0], cell)
        padded = of_cells(field, *relation.cells)
        assert padded.shape == (cells,)
        assert torch.equal(of_edges(padded, cell), field)
        of_edges(padded, cell).sum().backward()
        assert torch.equal(field.grad, torch.ones(len(src)))

    def test_a_cell_without_an_edge_holds_one_of_its_sentence(self):
        relation = small()
        sentence = torch.tensor([0, 0, 0, 1, 2, 2, 3, 3, 3])[relation.nodes("dst")]
        held = sentence[relation.cells[1]].view(4, 3, 3)
        assert held.tolist() == [[[number] * 3] * 3 for number in range(4)]

    def test_places_without_a_node_get_no_gradient(self):
        padding = small().padding
        x = torch.ones(9, 1, dtype=torch.float64, requires_grad=True)
        pad(x, padding).sum().backward()
        assert x.grad.flatten().tolist() == [1] * 9

    def test_fill_is_the_share_of_edges(self):
        assert small().padding.fill == (3 + 3 + 6 + 6) / (4 * 3 * 3)
        assert attend([(chain(4), chain(4))]).padding.fill == 1
        assert uneven().padding.fill < 0.25


class TestBlocks:
    """Sentences of about one length together."""

    def blocks(self, *lengths):
        batch = Batch.of([chain(length) for length in lengths], relations=["complete"])
        return batch.relation("complete").blocks

    @pytest.mark.parametrize("lengths", [(30, 3, 29, 31, 2, 12, 1), (100, 1, 100), (5, 4, 3), (1,)])
    def test_nodes_there_and_back(self, lengths):
        blocks = self.blocks(*lengths)
        x = torch.randn(sum(lengths), 2, dtype=torch.float64, requires_grad=True)
        parts = split_blocks(x, blocks)
        assert [len(part) for part in parts] == blocks.sizes
        padded = [pad(part, padding) for padding, part in zip(blocks.paddings, parts, strict=True)]
        rows = [each[k, here] for each, b in zip(padded, blocks.paddings, strict=True) for k, here in enumerate(b.real)]
        assert sorted(map(len, rows)) == sorted(lengths)
        first = np.cumsum([0, *lengths])
        for row in rows:
            start = first[int((x[first[:-1]] == row[0]).all(1).nonzero())]
            assert torch.equal(row, x[start : start + len(row)])
        joined = join_blocks([unpad(t, padding) for padding, t in zip(blocks.paddings, padded, strict=True)], blocks)
        assert torch.equal(joined, x)
        weight = torch.randn_like(x)
        (joined * weight).sum().backward()
        assert torch.equal(x.grad, weight)

    def test_long_and_short_sentences_stand_apart(self):
        blocks = self.blocks(30, 3, 29, 31, 2, 12, 1)
        assert [padding.width for padding in blocks.paddings] == [31, 12, 3]
        assert blocks.sizes == [90, 12, 6]
        assert blocks.cells == [3 * 31**2, 12**2, 3 * 3**2]
        assert blocks.fill == (30**2 + 29**2 + 31**2 + 12**2 + 9 + 4 + 1) / sum(blocks.cells)

    def test_few_words_stand_together(self):
        assert [padding.width for padding in self.blocks(5, 4, 1).paddings] == [5]

    def test_partners_stand_together(self):
        blocks = attend([(chain(2), chain(1)), (chain(90), chain(2)), (chain(3), chain(80))]).blocks
        assert [padding.width for padding in blocks.paddings] == [90, 2]
        assert [padding.sources.tolist() for padding in blocks.paddings] == [[1, 0, 3, 2], [1, 0]]
        assert [padding.real.sum(1).tolist() for padding in blocks.paddings] == [[90, 2, 3, 80], [2, 1]]


class TestFrontiers:
    @quick
    @given(graphs=pairs(forests()))
    def test_each_step_hears_its_edges_receiver_by_receiver(self, graphs):
        batch = Batch.of([graph for pair in graphs for graph in pair], pairs=True)
        relation, schedule = batch.relation("attend"), batch.relation().schedule("up")
        assert isinstance(relation, AllPairs)
        frontiers = relation.frontiers(batch.relation(), "child", "up")
        src, dst = relation.ends
        order = schedule.order.tolist()
        assert frontiers.node_sizes == [schedule.leaves, *schedule.node_sizes]
        assert sum(frontiers.edge_sizes) == len(src)
        nodes, edge = iter(order), iter(frontiers.edge.tolist())
        senders = iter(frontiers.senders.row.tolist())
        for incidence, count, edges in zip(
            frontiers.receivers, frontiers.node_sizes, frontiers.edge_sizes, strict=True
        ):
            here = [next(nodes) for _ in range(count)]
            heard = [here[row] for row in incidence.row.tolist()]
            assert heard == [node for node in here for _ in range(int((dst == node).sum()))]
            assert incidence.offsets.tolist() == [0, *np.cumsum([(dst == node).sum() for node in here])]
            for node, number in zip(heard, [next(edge) for _ in range(edges)], strict=True):
                assert dst[number] == node
                assert src[number] == next(senders)

    def test_senders_know_their_edges(self):
        relation = small()
        batch = Batch.of([tree([-1, 0, 0]), tree([-1]), chain(2), tree([-1, 0, 1])], pairs=True)
        incidence = relation.frontiers(batch.relation(), "child", "up").senders
        # Of the pairs of 3 and 1 nodes, and of 2 and 3, every node sends to all of the other sentence.
        assert incidence.offsets.diff().tolist() == [1, 1, 1, 3, 3, 3, 2, 2, 2]
        assert sorted(incidence.order.tolist()) == list(range(2 * (3 * 1 + 2 * 3)))
        for node, (start, end) in enumerate(zip(incidence.offsets[:-1], incidence.offsets[1:], strict=True)):
            assert incidence.row[incidence.order[start:end]].tolist() == [node] * int(end - start)

    def test_they_are_made_once(self):
        batch = Batch.of([tree(SEVEN), chain(3)], pairs=True)
        relation = batch.relation("attend")
        once, again = (relation.frontiers(batch.relation(), "child", "up") for _ in range(2))
        assert once is again


class TestChoice:
    @pytest.mark.parametrize(
        ("layout", "full", "sparse"), [("edges", False, False), ("dense", True, True), ("auto", True, False)]
    )
    def test_of_rounds(self, layout, full, sparse):
        with engine("torch", layout):
            assert runs_dense(small(), lambda edges: {}, SOFTMAX) is full
            assert runs_dense(uneven(), lambda edges: {}, SOFTMAX) is sparse

    def test_sums_of_senders_need_no_edges(self):
        copy = fn.copy_u("x", "m")
        assert runs_dense(uneven(), copy, SUM)
        with engine("torch", "edges"):
            assert not runs_dense(uneven(), copy, SUM)

    @pytest.mark.parametrize("layout", ["edges", "dense", "auto"])
    def test_other_functions_run_over_edges(self, layout):
        with engine("torch", layout):
            for message, reduce in [
                (fn.u_mul_v("x", "x", "m"), SUM),
                (fn.copy_u("x", "m"), fn.max("m", "s")),
                (lambda edges: {}, (SOFTMAX, SUM)),
                (lambda edges: {}, lambda nodes: {}),
            ]:
                assert not runs_dense(small(), message, reduce)
            assert not frontiers_run_dense(small().padding, (SOFTMAX, SUM))
            assert not frontiers_run_dense(small().padding, SUM)

    @pytest.mark.parametrize(("layout", "dense"), [("edges", False), ("dense", True), ("auto", False)])
    def test_of_steps_on_a_cpu(self, layout, dense):
        with engine("torch", layout):
            assert frontiers_run_dense(small().padding, SOFTMAX) is dense

    def test_the_choice_ends_with_its_block(self):
        with engine("torch", "edges"):
            with engine("torch", "dense"):
                assert frontiers_run_dense(small().padding, SOFTMAX)
            assert not runs_dense(small(), lambda edges: {}, SOFTMAX)
        assert runs_dense(small(), lambda edges: {}, SOFTMAX)
