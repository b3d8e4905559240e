"""What was measured for the rows of a table, beside what is published."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product, takewhile
from pathlib import Path
from typing import Any

from dglsent.reproduction.jobs import Job
from dglsent.reproduction.tables import SPLITS, Row, Table
from dglsent.training.means import aggregate, known_mean, shared
from dglsent.training.provenance import hash_of_text
from graphs.errors import InputError

_COUNTS = ("epochs", "best_epoch", "seconds")


@dataclass(frozen=True, slots=True)
class Result:
    """A row with what was measured.

    Attributes:
        row: the row.
        runs: `metrics.json` of each seed, of folds their means; empty where nothing was measured.
        folders: the run folders behind them.
        finished: all finished run folders, those too that do not count.
        folds: how many folds make one seed's number; 1 where the table has none.
        stale: why some of these may no longer be what training would give, a line for each reason.
        recipe_hash: of the recipe of today, with the first seed.
    """

    row: Row
    runs: Sequence[Mapping[str, Any]] = ()
    folders: Sequence[str] = ()
    finished: Sequence[str] = ()
    folds: int = 1
    stale: Sequence[str] = ()
    recipe_hash: str | None = None


def measured(
    table: Table, row: Row, jobs: Sequence[Sequence[Job]], stale: Mapping[Path, str], folds: int | None = None
) -> Result:
    """What the finished runs of a row come to; `left_out` says which seeds do not count.

    Args:
        table: the table.
        row: one of its rows.
        jobs: its runs, one list a seed.
        stale: run folders that are stale, and why.
        folds: how many folds, from the first, make one seed's number; by default as many as the seed with most has.

    Raises:
        InputError: a run lacks a score of the table, or what else `require_whole` asks for.
    """
    finished = [_finished(of_seed) for of_seed in jobs]
    counted = folds or max(map(len, finished), default=0)
    whole = [of_seed[:counted] for of_seed in finished if len(of_seed) >= counted > 0]
    runs = [_mean([_metrics(job) for job in of_seed]) for of_seed in whole]
    for run, score in product(runs, table.scores):
        if score.name not in run[score.split]:
            known = ", ".join(run[score.split])
            raise InputError(
                f"{row.recipe} has no score {score.name!r}, which table {table.name} shows; it has {known}"
            )
    folders = [str(job.run.path) for of_seed in whole for job in of_seed]
    done = [str(job.run.path) for of_seed in jobs for job in of_seed if job.run.metrics_file.is_file()]
    recipe = hash_of_text(whole[0][0].text) if whole else None
    return Result(row, runs, folders, done, counted, _reasons(whole, stale), recipe)


def _metrics(job: Job) -> dict[str, Any]:
    metrics = job.run.metrics()
    try:
        require_whole(metrics)
    except (LookupError, TypeError) as error:
        raise InputError(
            f"{job.run.metrics_file}: damaged ({error!r}); delete it, and its `dglsent fit` trains it again"
        ) from None
    return metrics


def require_whole(metrics: Mapping[str, Any]) -> None:
    """Refuses metrics that lack what is read of a finished run.

    Raises:
        LookupError: something is not there.
        TypeError: a score is no number.
    """
    for name in ("seed", "history", "threads", "device", "versions", "parameters", "seconds"):
        metrics[name]
    for split in SPLITS:
        for score, value in metrics[split].items():
            if not isinstance(value, int | float | None):
                raise TypeError(f"{split} {score} is {value!r}")


def left_out(jobs: Sequence[Sequence[Job]], folds: int) -> list[str]:
    """The seeds that have finished folds, but fewer than count."""
    finished = {of_seed[0].seed: len(_finished(of_seed)) for of_seed in jobs}
    return [f"seed {seed} has {count} of {folds} folds" for seed, count in finished.items() if 0 < count < folds]


def _finished(of_seed: Sequence[Job]) -> list[Job]:
    """The finished runs of a seed, from the first without a gap."""
    return list(takewhile(lambda job: job.run.metrics_file.is_file(), of_seed))


def _reasons(whole: Sequence[Sequence[Job]], stale: Mapping[Path, str]) -> list[str]:
    """Each reason once, with the seeds that it concerns."""
    seeds: dict[str, list[int]] = {}
    for job in (job for of_seed in whole for job in of_seed if job.run.path in stale):
        of_reason = seeds.setdefault(stale[job.run.path], [])
        if job.seed not in of_reason:
            of_reason.append(job.seed)
    return [f"seed {', '.join(map(str, numbers))}: {reason}" for reason, numbers in seeds.items()]


def _mean(folds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The folds of a seed as one run."""
    if len(folds) == 1:
        return folds[0]
    means: dict[str, Any] = {name: known_mean([fold[name] for fold in folds]) for name in _COUNTS}
    for split in SPLITS:
        scores = [fold[split] for fold in folds]
        means[split] = {name: known_mean([each[name] for each in scores]) for name in shared(scores)}
    return {**folds[0], **means}


def as_json(table: Table, results: Sequence[Result], command: str) -> dict[str, Any]:
    """The table as plain values; percentages where the table has them."""
    return {
        "table": table.name,
        "title": table.title,
        "corpus": table.corpus,
        "percent": table.percent,
        "scores": {score.key: {"label": score.label, "split": score.split} for score in table.scores},
        **({"folds": table.folds} if table.folds else {}),
        **({"note": table.note} if table.note else {}),
        "command": command,
        "rows": [_row(table, result) for result in results],
    }


def _row(table: Table, result: Result) -> dict[str, Any]:
    row = result.row
    published = {
        score.key: {"mean": mean, "sd": sd}
        for score, mean, sd in zip(table.scores, _padded(row.published, table), _padded(row.sd, table), strict=True)
        if mean is not None
    }
    said: dict[str, Any] = {
        "name": row.name,
        "paper": row.paper,
        "recipe": row.recipe,
        **({"note": row.note} if row.note else {}),
        "published": published,
    }
    if not result.runs:
        return {**said, "ours": None}
    together = aggregate([dict(run) for run in result.runs])
    ours = {score.key: _scaled(together[score.split][score.name], score.factor) for score in table.scores}
    first = result.runs[0]
    return {
        **said,
        "ours": ours,
        "difference": {
            key: ours[key]["mean"] - value["mean"] for key, value in published.items() if ours[key]["mean"] is not None
        },
        "seeds": together["seeds"],
        **({"folds": result.folds} if table.folds else {}),
        "parameters": together["parameters"],
        "seconds": statistics.fmean(together["seconds"]),
        "device": first["device"],
        "threads": first["threads"],
        "versions": first["versions"],
        "recipe_hash": result.recipe_hash,
        "stale": list(result.stale),
        "runs": list(result.folders),
    }


def _padded(numbers: Sequence[float | None], table: Table) -> Sequence[float | None]:
    return numbers or [None] * len(table.scores)


def _scaled(spread: Mapping[str, Any], scale: float) -> dict[str, Any]:
    def scaled(value: float | None) -> float | None:
        return None if value is None else value * scale

    values = [scaled(value) for value in spread["values"]]
    return {"mean": scaled(spread["mean"]), "sd": scaled(spread["sd"]), "values": values}
