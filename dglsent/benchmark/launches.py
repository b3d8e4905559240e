"""How many operations a computation is made of, each of which a GPU is asked for by a launch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Memory alone, and views that torch does not call views
_NO_WORK = ("empty", "empty_like", "new_empty", "empty_strided", "detach", "unsafe_split")


def launches(job: Callable[[], object], device: str) -> int:
    """Kernels and copies that a job launches on a GPU; on a CPU the operations of torch that are no views."""
    if device == "cuda":
        from torch.autograd import DeviceType
        from torch.profiler import ProfilerActivity, profile

        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Warning: Profiler clears events")  # of each cycle; there is one
            with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as seen:
                job()
                torch.cuda.synchronize()
        return sum(event.device_type == DeviceType.CUDA for event in seen.events())
    with _Counting() as counting:
        job()
    return counting.count


class _Counting(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if not function.is_view and function.overloadpacket.__name__ not in _NO_WORK:
            self.count += 1
        return function(*args, **(kwargs or {}))
