from __future__ import annotations

import pytest
import torch

from dglsent.training.device import pick_device
from graphs.errors import InputError


def test_devices_that_are_not_there():
    count = torch.cuda.device_count()
    with pytest.raises(InputError, match=f"--device cuda:{count}: torch sees"):
        pick_device(f"cuda:{count}")
    assert pick_device("cpu") == "cpu"


def test_names_of_devices(program, trees_run):
    for name in ("gpu", "cuda:", "cuda:x", "cuda:1:2"):
        program.refuses("predict", trees_run, "--device", name, saying=[name, "cuda:1"])
