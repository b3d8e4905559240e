from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from dglsent.nn import attention
from dglsent.nn.attention import additive_score, scoring_vector

SHAPES = {
    "rows": ((5, 3), (5, 3)),
    "one other": ((5, 3), (1, 3)),
    "a vector": ((5, 3), (3,)),
    "all pairs": ((2, 4, 1, 3), (2, 1, 5, 3)),
    "a step": ((4, 1, 3), (4, 5, 3)),
    "nobody": ((0, 3), (0, 3)),
}


@pytest.fixture(params=SHAPES)
def inputs(request):
    torch.manual_seed(0)
    own, other = SHAPES[request.param]
    return [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in (own, other, (3,))]


def plain(own, other, w):
    return (torch.tanh(own + other) * w).sum(-1)


def test_values(inputs):
    assert_close(additive_score(*inputs), plain(*inputs))


def test_gradients(inputs):
    assert gradcheck(additive_score, inputs)


@pytest.mark.parametrize("fixed", [0, 1, 2])
def test_gradients_beside_a_fixed_input(inputs, fixed):
    inputs[fixed] = inputs[fixed].detach()
    assert gradcheck(additive_score, inputs)


@pytest.mark.parametrize("tile", [1, 3, 7, 40, 10_000])
@pytest.mark.parametrize("shapes", [((4, 3, 1, 2), (4, 1, 5, 2)), ((4, 3, 5, 2), (1, 1, 5, 2)), ((4, 1, 2), (4, 5, 2))])
def test_a_tile_at_a_time(tile, shapes, monkeypatch):
    monkeypatch.setattr(attention, "_TILE", tile)
    torch.manual_seed(0)
    drawn = [torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in (*shapes, (2,))]
    assert_close(additive_score(*drawn), plain(*drawn))
    assert gradcheck(additive_score, drawn)


@pytest.mark.parametrize(("dtype", "atol"), [(torch.float32, 5e-4), (torch.float64, 1e-12)])
def test_many_rows(dtype, atol):
    """Few and many take different ways to tanh."""
    torch.manual_seed(0)
    results = []
    drawn = [torch.randn(shape, dtype=dtype) * 3 for shape in ((40, 1, 8), (1, 40, 8), (8,))]
    for score in (additive_score, plain):
        inputs = [x.clone().requires_grad_() for x in drawn]
        value = score(*inputs)
        results.append([value, *torch.autograd.grad(value.square().sum(), inputs)])
    for one, other in zip(*results, strict=True):
        assert_close(one, other, rtol=1e-5, atol=atol)


def test_a_new_scoring_vector_is_as_a_linear_map():
    torch.manual_seed(0)
    w = scoring_vector(100)
    assert 0.095 < w.abs().max() <= 0.1
    assert w.std().item() == pytest.approx(0.1 / 3**0.5, rel=0.1)


def test_a_first_score_does_not_wait_for_sympy():
    code = "import sys, torch; from dglsent.nn.attention import additive_score; x = torch.ones(2, 3); "
    code += "additive_score(x, x[:1], x[0]); print('sympy' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "False\n", "")
