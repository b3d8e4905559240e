"""Where a run computes, and with how many threads."""

from __future__ import annotations

import torch

from graphs.errors import InputError


def pick_device(device: str) -> str:
    """What "auto", "cpu" or "cuda" comes to: "cpu" or "cuda".

    Raises:
        InputError: CUDA is asked for and not there.
    """
    there = torch.cuda.is_available()
    if device == "cuda" and not there:
        raise InputError("--device cuda: torch sees no CUDA device; use --device cpu")
    return "cuda" if there and device in ("auto", "cuda") else "cpu"


def set_threads(threads: int | None) -> None:
    """Give torch so many CPU threads; without a number it keeps OMP_NUM_THREADS."""
    if threads:
        torch.set_num_threads(threads)
