"""Jobs timed side by side, in milliseconds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import torch

from graphs.door import dgl

Job: TypeAlias = Callable[[], object]
Row: TypeAlias = dict[str, str | int | float]


def race(jobs: Mapping[str, Job], threads: Sequence[int], repeats: int, device: str = "cpu") -> dict[str, float]:
    """Best time of each job; they take turns, so that a slow moment of the machine meets all alike.

    Args:
        jobs: by name; each runs once before it is timed.
        threads: thread counts, of which each job takes its better.
        repeats: runs of each job with each thread count.
        device: "cpu" or "cuda".
    """
    before = torch.get_num_threads()
    best = dict.fromkeys(jobs, float("inf"))
    for count in threads:
        set_threads(count)
        for job in jobs.values():
            job()
        for _ in range(repeats):
            for name, job in jobs.items():
                best[name] = min(best[name], _spent(job, device))
    set_threads(before)
    return best


def best_of(job: Job, repeats: int) -> float:
    """Best time of a job of the CPU, which runs once more than `repeats` says."""
    return min(_spent(job) for _ in range(repeats + 1))


def set_threads(count: int) -> None:
    """Give torch and DGL the same number of threads, so that their pools do not stall each other."""
    torch.set_num_threads(count)
    dgl.utils.set_num_threads(count)


def _spent(job: Job, device: str = "cpu") -> float:
    if device != "cpu":
        torch.cuda.synchronize()
    start = time.perf_counter()
    job()
    if device != "cpu":
        torch.cuda.synchronize()
    return 1000 * (time.perf_counter() - start)
