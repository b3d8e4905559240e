from __future__ import annotations

import pytest
import torch
from torch.autograd import gradcheck
from torch.testing import assert_close

from dglsent.nn.cells import child_message, lstm_cell
from dglsent.nn.tanh import fast_tanh


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64, requires_grad=True)


def plain_cell(pre, memories=None, kept=None, output_gate=True, mask=1):
    """The cell as its docstring has it, in plain torch."""
    d = (memories if kept is None else kept).shape[-1] if kept is not None or memories is not None else 2
    g, i, *f = pre.split(d, -1)
    c = torch.sigmoid(i) * torch.tanh(g) * mask
    if kept is not None:
        c = c + kept
    for k in range(0 if memories is None else memories.shape[1]):
        c = c + torch.sigmoid(f[k]) * memories[:, k]
    return (torch.sigmoid(f[-1]) * torch.tanh(c) if output_gate else torch.tanh(c)), c


@pytest.mark.parametrize("output_gate", [True, False])
@pytest.mark.parametrize("with_kept", [True, False])
@pytest.mark.parametrize("children", [0, 1, 2, 3])
class TestLSTMCell:
    @pytest.fixture
    def inputs(self, output_gate, with_kept, children):
        def make(n, d=2):
            torch.manual_seed(0)
            memories = draw(n, children, d) if children else None
            return draw(n, (2 + children + output_gate) * d), memories, draw(n, d) if with_kept else None

        return make

    def test_values(self, inputs, output_gate):
        for n in (1, 3, 2500):  # few and many take different ways to tanh
            assert_close(
                lstm_cell(*inputs(n), output_gate=output_gate), plain_cell(*inputs(n), output_gate=output_gate)
            )

    @pytest.mark.parametrize("outputs", ["h", "c", "both"])
    def test_gradients(self, inputs, output_gate, outputs):
        def cell(*args):
            h, c = lstm_cell(*args, output_gate=output_gate)
            return {"h": h, "c": c, "both": (h, c)}[outputs]

        assert gradcheck(cell, inputs(3))

    def test_a_mask_drops_candidates(self, inputs, output_gate):
        mask = torch.tensor([[0.0, 2.0], [2.0, 2.0], [0.0, 0.0]], dtype=torch.float64)
        switches = {"output_gate": output_gate, "mask": mask}
        assert_close(lstm_cell(*inputs(3), **switches), plain_cell(*inputs(3), **switches))
        assert gradcheck(lambda *args: lstm_cell(*args, **switches), inputs(3))

    def test_a_compiler_gets_the_same(self, inputs, output_gate):
        mask = torch.tensor([[0.0, 2.0], [2.0, 2.0], [0.0, 0.0]], dtype=torch.float64)
        compiled = torch.compile(lstm_cell, backend="eager")
        for switches in ({}, {"mask": mask}):
            torch._dynamo.reset()
            found = compiled(*inputs(3), output_gate=output_gate, **switches)
            assert_close(found, lstm_cell(*inputs(3), output_gate=output_gate, **switches))

    def test_gradients_of_a_fixed_memory_are_not_asked_for(self, inputs, output_gate):
        pre, memories, kept = inputs(3)
        wanted, *_ = torch.autograd.grad(sum(x.sum() for x in plain_cell(pre, memories, kept, output_gate)), pre)
        fixed = [None if x is None else x.detach() for x in (memories, kept)]
        h, c = lstm_cell(pre, *fixed, output_gate=output_gate)
        assert_close(torch.autograd.grad((h + c).sum(), pre)[0], wanted)


def test_large_sums_neither_overflow_nor_lose_their_sign():
    pre = torch.tensor([[900.0, 900.0, 900.0], [-900.0, 900.0, 900.0], [900.0, -900.0, 900.0]]).repeat(2000, 1)
    h, c = lstm_cell(pre)
    assert_close(c[:3, 0], torch.tensor([1.0, -1.0, 0.0]))
    assert_close(h[:3, 0], torch.tensor([1.0, -1.0, 0.0]).tanh())


def test_child_message():
    torch.manual_seed(0)
    h, c, pre = draw(4, 3), draw(4, 3), draw(4, 3)
    assert_close(child_message(h, c, pre), torch.cat([h, torch.sigmoid(pre) * c], 1))
    assert gradcheck(child_message, (h, c, pre))


def test_gradients_of_several_outputs_at_once_are_refused_and_not_wrong():
    """By torch itself, as docs/engine.md says."""
    pre = draw(2, 6)
    h, _ = lstm_cell(pre, kept=draw(2, 2))
    with pytest.raises(RuntimeError, match="Batching rule not implemented"):
        torch.autograd.grad(h[0], pre, torch.eye(2, dtype=torch.float64), is_grads_batched=True)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_tanh_of_many_small_numbers_of_16_bits(dtype):
    x = torch.linspace(1e-3, 0.1, 5000).to(dtype)
    assert_close(fast_tanh(x), torch.tanh(x))
