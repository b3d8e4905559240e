"""Processes that torchrun has started, on one machine or on several, and that train one model together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
from torch import distributed

from dglsent.training.processes import Place
from graphs.errors import InputError

_LONGEST = timedelta(days=1)  # that process 0 reads vectors or tests; where it ends, the others notice at once


def launched() -> Place:
    """The place that torchrun gave this process; that of a process alone where torchrun has not started it."""
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        return Place()
    rank, count, here = (int(os.environ[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE"))
    return Place(rank, count, machines=count // here)


@contextmanager
def joined(place: Place, device: str) -> Iterator[None]:
    """Connects the processes of all machines, as the environment says.

    Raises:
        InputError: another process ended before its time.
    """
    if device == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    if not distributed.is_initialized():  # it stays for the next seed
        distributed.init_process_group("cpu:gloo,cuda:nccl" if device == "cuda" else "gloo", timeout=_LONGEST)
    try:
        yield
    except RuntimeError as error:
        if place.rank:
            raise InputError(f"process {place.rank}: another process ended, and said why ({error})") from error
        raise


def shared(value: Any = None) -> Any:
    """What process 0 says, in every process."""
    said = [value]
    distributed.broadcast_object_list(said, device=torch.device("cpu"))
    return said[0]
