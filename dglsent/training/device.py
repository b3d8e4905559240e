"""Where a run computes, with how many threads, and from which random numbers."""

from __future__ import annotations

import random

import numpy as np
import torch

from dglsent.training import device_names
from graphs.errors import InputError, counted


def pick_device(device: str | torch.device, processes: int = 1) -> str:
    """What "auto", "cpu", "cuda" or "cuda:1" comes to: "cpu" or "cuda". One with a number becomes the current one.

    Raises:
        InputError: it is none of these, or CUDA is asked for and not there, or not for so many processes.
    """
    device = str(device)
    if wrong := device_names.fault(device):
        raise InputError(f"device {device!r}: {wrong}")
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    name, _, number = device.partition(":")
    if name == "cuda" and not count:
        raise InputError(f"device {device!r}: torch sees no CUDA device; use 'cpu'")
    if number:
        if processes > 1:
            raise InputError(f"device {device!r}: one device, and there are {processes} processes; use 'cuda'")
        if int(number) >= count:
            raise InputError(f"device {device!r}: torch sees {counted(count, 'CUDA device')}, numbered from 0")
        torch.cuda.set_device(int(number))
    if not count or device == "cpu":
        return "cpu"
    if processes > count:
        raise InputError(f"{processes} processes: torch sees CUDA devices for {count}; use fewer, or device 'cpu'")
    return "cuda"


def set_threads(threads: int | None) -> None:
    """Give torch so many CPU threads; without a number it keeps OMP_NUM_THREADS."""
    if threads:
        torch.set_num_threads(threads)


def seed_all(seed: int) -> None:
    """Seed all random generators."""
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
