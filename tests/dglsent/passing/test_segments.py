"""Sums and softmax by segment against plain torch, values and gradients."""

from __future__ import annotations

import pytest
import torch
from random_graphs import tree
from torch.autograd import gradcheck

from dglsent.passing import Batch
from dglsent.passing.plans.incidence import incidence as incidence_of
from dglsent.passing.plans.incidence import incidence_in_order
from dglsent.passing.segments import append, segment_max, segment_softmax, spread, weighted_sum

ROWS = 5
ROW = torch.tensor([3, 0, 3, 1, 3, 0, 4])  # row 2 has no edge, row 1 and 4 one


def incidence(row=ROW):
    return incidence_of(row, ROWS)


@pytest.mark.parametrize("row", [[], [0, 0, 2], [1, 3]])
def test_edges_that_stand_by_row_need_no_sorting(row):
    row = torch.tensor(row, dtype=torch.long)
    for one, other in zip(incidence_in_order(row, ROWS), incidence(row), strict=True):
        assert torch.equal(one, other)


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
class TestSoftmax:
    def test_values(self, shape):
        score = draw(len(ROW), *shape)
        weight = segment_softmax(score, incidence())
        for row in range(ROWS):
            torch.testing.assert_close(weight[row == ROW], score[row == ROW].softmax(0))

    def test_gradients(self, shape):
        assert gradcheck(lambda score: segment_softmax(score, incidence()), draw(len(ROW), *shape))

    def test_no_edges(self, shape):
        nothing = torch.zeros(0, dtype=torch.long)
        assert segment_softmax(draw(0, *shape), incidence(nothing)).shape == (0, *shape)


def test_extreme_scores():
    score = torch.tensor([1e4, -1e4, 1e4 - 1, 1e4, -1e4, -1e4, -1e4], dtype=torch.float64, requires_grad=True)
    weight = segment_softmax(score, incidence())
    for row in range(ROWS):
        torch.testing.assert_close(weight[row == ROW], score[row == ROW].softmax(0))
    assert weight.isfinite().all()
    weight.square().sum().backward()
    assert score.grad.isfinite().all()


class TestWeightedSum:
    def test_values(self):
        x, weight = draw(len(ROW), 3), draw(len(ROW))
        wanted = torch.zeros(ROWS, 3, dtype=x.dtype).index_add(0, ROW, weight[:, None] * x)
        torch.testing.assert_close(weighted_sum(x, weight, incidence()), wanted)

    def test_gradients(self):
        assert gradcheck(lambda x, weight: weighted_sum(x, weight, incidence()), (draw(len(ROW), 3), draw(len(ROW))))

    def test_gradient_of_the_weights_alone(self):
        x = draw(len(ROW), 3).detach()
        assert gradcheck(lambda weight: weighted_sum(x, weight, incidence()), draw(len(ROW)))

    def test_no_edges(self):
        nothing = torch.zeros(0, dtype=torch.long)
        x, weight = draw(0, 3), draw(0)
        total = weighted_sum(x, weight, incidence(nothing))
        assert torch.equal(total, torch.zeros(ROWS, 3, dtype=x.dtype))
        total.sum().backward()
        assert x.grad.shape == (0, 3)


def test_spread_lays_rows_out_among_others():
    target = torch.tensor([1, 4, 2])
    source = torch.tensor([0, 0, 2, 0, 1])
    x = draw(3, 2)
    table = spread(x, source, target)
    assert torch.equal(table, x[source])
    assert torch.equal(table[target], x)
    (table[target] * torch.arange(6.0).view(3, 2)).sum().backward()
    assert x.grad.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_rows_that_are_appended_leave_those_before_as_they_are():
    first, second, third = draw(2, 3), draw(1, 3), draw(2, 3)
    buffer = torch.full((6, 3), torch.nan, dtype=torch.float64)
    buffer[:2] = first.detach()
    both = append(first, second, buffer)
    squares = both * both  # keeps both for its gradient
    whole = append(both, third, buffer)
    assert torch.equal(both, torch.cat([first, second]))
    assert torch.equal(whole, torch.cat([first, second, third]))
    assert whole.data_ptr() == both.data_ptr() == buffer.data_ptr()
    (squares.sum() + 3 * whole.sum()).backward()
    for x, power in ((first, 2), (second, 2), (third, 0)):
        torch.testing.assert_close(x.grad, power * x.detach() + 3)


def test_a_maximum_with_nan_is_nan():
    batch = Batch.of([tree([-1, 0, 0])])
    x = torch.tensor([[torch.nan, 1.0], [3.0, 2.0]])
    found = segment_max(x, batch.relation("child").incidence("dst"))
    assert found[0].isnan().tolist() == [True, False]
    assert found[0, 1] == 2


def test_a_maximum_of_whole_numbers():
    batch = Batch.of([tree([-1, 0, 0])])
    assert segment_max(torch.tensor([-3, -5]), batch.relation("child").incidence("dst")).tolist() == [-3, 0, 0]


def test_a_maximum_without_edges_is_zero():
    found = segment_max(draw(0, 3), incidence(torch.zeros(0, dtype=torch.long)))
    assert torch.equal(found, torch.zeros(ROWS, 3, dtype=torch.float64))
