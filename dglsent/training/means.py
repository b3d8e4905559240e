"""Runs that differ in their seed, together: means and standard deviations of their scores."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from jsonargparse import Namespace

from dglsent.training.run import Run
from graphs.errors import InputError


def aggregate(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Means and standard deviations (n - 1) of the scores of runs that differ in their seed."""
    metrics: dict[str, Any] = {"seeds": [run["seed"] for run in runs]}
    for split in ("dev", "test"):
        values = {name: [run[split][name] for run in runs] for name in shared([run[split] for run in runs])}
        metrics[split] = {name: {**mean_and_sd(of), "values": of} for name, of in values.items()}
    for name in ("epochs", "best_epoch", "seconds"):
        metrics[name] = [run[name] for run in runs]
    return {**metrics, "parameters": runs[0]["parameters"], "versions": runs[0]["versions"]}


def finished_seeds(folder: Path, config: Namespace, data: Path | None = None) -> list[dict[str, Any]]:
    """What `metrics.json` says of each finished run `seed-N` of a configuration, whatever its seed, in their order.

    Args:
        folder: where they lie; runs of another configuration, or of files that have changed since, do not count.
        config: the configuration.
        data: as in `Run.is_finished`.

    Raises:
        InputError: the scores of one are damaged.
    """
    found: dict[int, dict[str, Any]] = {}
    for path in folder.glob("seed-*"):
        number, run, mine = path.name.removeprefix("seed-"), Run(path), config.clone()
        if number.isdecimal() and run.metrics_file.is_file():
            mine.seed = int(number)
            finished = False
            with suppress(InputError):
                finished = run.is_finished(mine, data)
            if finished:
                found[mine.seed] = run.metrics()
    return [found[seed] for seed in sorted(found)]


def shared(scores: Sequence[Mapping[str, Any]]) -> list[str]:
    """The names of the scores that all runs have; older code may have measured fewer."""
    return [name for name in scores[0] if all(name in each for each in scores)]


def known_mean(values: Sequence[float | None]) -> float | None:
    """The mean; None where a value is undefined."""
    known = [value for value in values if value is not None]
    return statistics.fmean(known) if len(known) == len(values) else None


def score_text(value: float | None) -> str:
    """A score as it is printed."""
    return "undefined" if value is None else f"{value:.4f}"


def mean_and_sd(values: Sequence[float | None]) -> dict[str, float | None]:
    """The mean and, of several values, their standard deviation; both None where a value is undefined."""
    known = [value for value in values if value is not None]
    sd = statistics.stdev(known) if known[1:] and len(known) == len(values) else None
    return {"mean": known_mean(values), "sd": sd}
