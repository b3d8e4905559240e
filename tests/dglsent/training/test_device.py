from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from dglsent.training.device import pick_device, seed_all, set_threads
from graphs.errors import InputError


def test_devices_that_are_not_there():
    count = torch.cuda.device_count()
    saying = rf"{count} CUDA devices?, numbered from 0" if count else "no CUDA device; use 'cpu'"
    with pytest.raises(InputError, match=f"^device 'cuda:{count}': torch sees {saying}$"):
        pick_device(f"cuda:{count}")
    assert pick_device("cpu") == "cpu"


@pytest.mark.parametrize(
    ("count", "device", "processes", "found"),
    [
        (0, "auto", 2, "cpu"),
        (0, "cuda", 1, "device 'cuda': torch sees no CUDA device; use 'cpu'"),
        (2, "auto", 2, "cuda"),
        (2, "cpu", 3, "cpu"),
        (2, "cuda", 3, "3 processes: torch sees CUDA devices for 2; use fewer, or device 'cpu'"),
        (2, "cuda:1", 1, "cuda"),
        (2, "cuda:1", 2, "device 'cuda:1': one device, and there are 2 processes; use 'cuda'"),
        (2, "cuda:2", 1, "device 'cuda:2': torch sees 2 CUDA devices, numbered from 0"),
    ],
)
def test_devices_are_as_many_as_torch_sees(count, device, processes, found, monkeypatch):
    """As on a machine with so many; what torch itself does with them is for `pytest -m gpu`."""
    chosen = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    if found not in ("cpu", "cuda"):
        with pytest.raises(InputError) as refused:
            pick_device(device, processes)
        assert (str(refused.value), chosen) == (found, [])
    else:
        assert pick_device(device, processes) == found
        assert chosen == ([1] if device == "cuda:1" else [])


def test_a_seed_is_that_of_all_generators_and_threads_are_set_where_there_is_a_number():
    def drawn(seed):
        seed_all(seed)
        return random.random(), np.random.rand(), torch.rand(1).item()

    assert drawn(3) == drawn(3)
    assert all(one != other for one, other in zip(drawn(3), drawn(4), strict=True))
    before = torch.get_num_threads()
    try:
        set_threads(before + 1)
        set_threads(None)
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)


def test_names_of_devices(program, trees_run):
    for name in ("gpu", "cuda:", "cuda:x", "cuda:1:2"):
        program.refuses("predict", trees_run, "--device", name, saying=[name, "cuda:1"])
