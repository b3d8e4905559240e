from __future__ import annotations

import pytest
import torch
from tiny import recipe

from dglsent.training.device import flush_denormals, pick_device
from graphs.errors import InputError


def test_devices_that_are_not_there():
    count = torch.cuda.device_count()
    with pytest.raises(InputError, match=f"--device cuda:{count}: torch sees"):
        pick_device(f"cuda:{count}")
    assert pick_device("cpu") == "cpu"


def test_names_of_devices(program, trees_run):
    for name in ("gpu", "cuda:", "cuda:x", "cuda:1:2"):
        program.refuses("predict", trees_run, "--device", name, saying=[name, "cuda:1"])


@pytest.fixture
def denormals():
    """Whether there are any; as torch starts, there are."""
    torch.set_flush_denormal(False)
    yield lambda: bool(torch.tensor(1e-30) * 1e-9 > 0)
    torch.set_flush_denormal(False)


def test_weights_that_only_l2_moves_do_not_become_denormal(denormals):
    """As torch starts, they stay below 1e-38 for ever, and every product with them is slow."""
    smallest = torch.finfo(torch.float32).tiny

    def shrunk() -> torch.Tensor:
        weight = torch.nn.Parameter(torch.full((3,), 0.1))
        rule = torch.optim.Adagrad([weight], lr=0.05, weight_decay=1e-4)
        for _ in range(400):
            weight.grad = torch.zeros(3)
            rule.step()
        return weight.detach().abs()

    assert ((shrunk() > 0) & (shrunk() < smallest)).all()
    flush_denormals()
    assert (shrunk() >= smallest).all()


def test_training_flushes_denormals(denormals, tmp_path, program):
    assert denormals()
    assert program("fit", recipe(tmp_path), "--out", tmp_path / "run")[0] == 0
    assert not denormals()
