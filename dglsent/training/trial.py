"""Encoders and tasks of one's own, which do with a few examples, before training, what is asked of them later."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from dglsent.models.encoder import Encoder
from dglsent.passing import Batch
from dglsent.passing.views import Fields
from dglsent.tasks.task import Task
from dglsent.training.data import Examples
from dglsent.training.model import SentenceModel, gather
from dglsent.training.recipe import Recipe
from graphs.errors import InputError

_EXAMPLES = 8


def try_encoder(model: SentenceModel, examples: Examples) -> None:
    """Has an encoder of one's own encode a few examples.

    Raises:
        InputError: it gives no states of all nodes, or not the fields that it shows.
    """
    encoder = model.encoder
    if not any(is_own(module) for module in encoder.modules() if isinstance(module, Encoder)):
        return
    with trying(model):
        batch = few(encoder, examples)
        states: Any = encoder.encode(batch)
        tensor = isinstance(states, torch.Tensor)
        if not tensor or len(states) != batch.num_nodes:
            given = f"{len(states)} rows" if tensor else f"a value of type {type(states).__name__}"
            raise InputError(
                f"encoder {type(encoder).__name__}: encode gives {given} for {batch.num_nodes} nodes; return the "
                "states [N, size] of all nodes"
            )
        for shown in encoder.shows:
            _require_shown(encoder, shown, batch)


def try_task(recipe: Recipe, model: SentenceModel, examples: Examples) -> None:
    """Has a task of one's own score a few examples, and predict them.

    Raises:
        InputError: its scores or predictions are of another form, or lack the score that is monitored.
    """
    task = model.task
    if not is_own(task):
        return
    with trying(model):
        _check_scores(task, recipe.training.monitor, model.outcomes(few(model.encoder, examples)))
        batch = few(model.encoder, examples)
        batch.targets = Fields()
        batch, states, vectors = model(batch)
        predictions = task.predict(batch, states, vectors, recipe.corpus.labels or ())
        _check_predictions(task, predictions, batch.size // 2 if batch.pairs else batch.size)


@contextmanager
def trying(model: SentenceModel) -> Iterator[None]:
    """The model as it predicts; afterwards training draws what it would have drawn."""
    was = model.training
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            model.eval()
            yield
    finally:
        model.train(was)


def few(encoder: Encoder, examples: Examples) -> Batch:
    """The first examples as one batch."""
    return examples.batch(list(range(min(_EXAMPLES, len(examples)))), encoder.directions, encoder.relations)


def is_own(module: Encoder | Task) -> bool:
    """Whether it is none of dglsent's."""
    return not type(module).__module__.startswith("dglsent.")


def _require_shown(encoder: Encoder, shown: str, batch: Batch) -> None:
    relation, dot, field = shown.rpartition(".")
    if not dot:
        missing = field not in batch.nodes
    elif relation in batch.made:
        missing = field not in batch.relation(relation).edges and len(batch.relation(relation).ends[0]) > 0
    else:
        missing = True
    if missing:
        raise InputError(
            f"encoder {type(encoder).__name__}: it shows {shown!r}, and sets no such field; set it, or leave it out"
        )


def _check_scores(task: Task, monitored: str | None, outcomes: Mapping[str, torch.Tensor]) -> None:
    try:
        scores: Any = task.scores(gather([dict(outcomes)]))
    except (ValueError, ArithmeticError):
        return  # such as of a few examples of one class
    name = f"task {type(task).__name__}: scores"
    if not isinstance(scores, dict):
        raise InputError(f"{name} gives a value of type {type(scores).__name__}; return a dict of numbers by name")
    for score, value in scores.items():
        if not isinstance(score, str) or not isinstance(value, float | int):
            raise InputError(f"{name} gives {score!r} as a value of type {type(value).__name__}; give float(...)")
    missing = [score for score in (task.monitor, monitored) if score in task.score_names and score not in scores]
    if missing:
        raise InputError(f"{name} gives {', '.join(scores) or 'nothing'}, and {missing[0]!r} is monitored; give it too")


def _check_predictions(task: Task, predictions: Any, examples: int) -> None:
    name = f"task {type(task).__name__}: predict"
    if not isinstance(predictions, list) or len(predictions) != examples:
        of = f"a list of {len(predictions)}" if isinstance(predictions, list) else f"a {type(predictions).__name__}"
        raise InputError(f"{name} gives {of} for {examples} examples; return a list with a dict for each")
    for prediction in predictions:
        if not isinstance(prediction, dict):
            raise InputError(
                f"{name} gives a value of type {type(prediction).__name__}; return a dict for each example"
            )
        try:
            json.dumps(prediction)
        except (TypeError, ValueError) as error:
            raise InputError(
                f"{name} gives what JSON does not have ({error}); give plain values, such as float(...) or .tolist()"
            ) from None
