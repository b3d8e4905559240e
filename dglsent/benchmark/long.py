"""Time and memory of CN3 on long sentences: listed edges beside masked tables.

A step is a batch's forward and backward pass, with two layers of 100 dimensions, sums as scores (additive) and the
dependency relation of every two words. Each measurement is a process of its own, as only so a process's greatest
resident memory is that of the step.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

from graphs.errors import InputError

if TYPE_CHECKING:
    from dglsent.benchmark.timing import Row
    from dglsent.passing.engines.torch.all_pairs import Layout

_SIZE, _LAYERS = 100, 2


class Setting(NamedTuple):
    """What one process measures.

    Attributes:
        layout: "dense" or "edges", the torch engine's way through a complete graph.
        batch: sentences in a batch.
        words: words in each.
    """

    layout: Layout
    batch: int
    words: int


SETTINGS = (
    Setting("edges", 16, 20),
    Setting("dense", 16, 20),
    Setting("edges", 1, 400),
    Setting("dense", 1, 400),
    Setting("dense", 16, 400),
)


def rows(threads: int) -> Iterator[Row]:
    """The measurements, one after the other.

    Args:
        threads: CPU threads of each.

    Raises:
        InputError: a process fails, as for want of memory.
    """
    for setting in SETTINGS:
        command = [sys.executable, "-m", __name__, *map(str, (*setting, threads))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            last = (done.stderr.splitlines() or ["it was killed"])[-1]
            raise InputError(f"{setting.batch} x {setting.words} words, {setting.layout}: {last}")
        yield json.loads(done.stdout)


def measure(setting: Setting, threads: int) -> Row:
    """Best times of three batches in milliseconds, and this process's greatest resident memory so far in GiB."""
    import resource

    import numpy as np
    import torch

    from dglsent.benchmark import samples
    from dglsent.models.cn3 import CN3
    from dglsent.nn.embeddings import WordEmbedding
    from dglsent.passing import Batch, engine
    from graphs.complete_graphs import complete

    layout, size, words = setting
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    read = samples.sentences([words] * size, np.random.default_rng(0))
    vocabularies = samples.vocabularies(read)
    embedding = WordEmbedding(samples.WORDS, _SIZE)
    encoder = CN3(embedding, _SIZE, _LAYERS, edges=("relation",), vocabularies=vocabularies)
    graphs = [complete(sentence, vocabularies) for sentence in read]
    best = {"plan_ms": float("inf"), "forward_ms": float("inf"), "backward_ms": float("inf")}
    for _ in range(3):
        times = [time.perf_counter()]
        batch = Batch.of(graphs, directions=encoder.directions, relations=encoder.relations)
        times.append(time.perf_counter())
        with engine("torch", layout):
            total = encoder.readout(batch, encoder.encode(batch)).sum()
            times.append(time.perf_counter())
            total.backward()
        times.append(time.perf_counter())
        encoder.zero_grad()
        del batch, total
        for name, start, end in zip(best, times, times[1:], strict=False):
            best[name] = min(best[name], 1000 * (end - start))
    # In kilobytes, but on macOS in bytes.
    unit = 2**30 if sys.platform == "darwin" else 2**20
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    measured = {name: round(spent, 1) for name, spent in best.items()}
    return {**setting._asdict(), "threads": threads, **measured, "peak_gib": round(peak, 2)}


if __name__ == "__main__":
    layout, *numbers = sys.argv[1:]
    batch, words, threads = map(int, numbers)
    print(json.dumps(measure(Setting(cast("Layout", layout), batch, words), threads)))
