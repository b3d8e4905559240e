"""Encoders and tasks of one's own, which do with a few examples, before training, what is asked of them later."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from dglsent.models.encoder import Encoder
from dglsent.passing import Batch, engine
from dglsent.passing.engines.torch.all_pairs import Layout
from dglsent.passing.missing import TARGET
from dglsent.passing.views import Fields
from dglsent.tasks.task import Task
from dglsent.training.data import Examples
from dglsent.training.model import SentenceModel, gather
from dglsent.training.recipe import Recipe
from graphs import fields
from graphs.errors import InputError, one_line

_EXAMPLES = 8
_MOST_PAIRS = 100_000  # of nodes that hear each other, listed for a trial
_ROUNDINGS = 200  # of the largest state, by which states may differ and be the same


def try_encoder(recipe: Recipe, model: SentenceModel, examples: Examples) -> None:
    """Has an encoder of one's own encode a few examples.

    Raises:
        InputError: the graphs are not such as it reads, it gives no states of all nodes, no vector of each sentence,
            or not the fields that it shows, no gradient reaches its weights, or states depend on what else is in the
            batch, or on how the engine lays it out.
    """
    encoder = model.encoder
    if not any(is_own(module) for module in encoder.modules() if isinstance(module, Encoder)):
        return
    with trying(model):
        batch = few(recipe, encoder, examples)
        with torch.enable_grad():
            states: Any = encoder.encode(batch)
        if not _are_states(states, batch, encoder):
            given = f"a value of type {type(states).__name__}"
            if isinstance(states, torch.Tensor):
                given = f"{str(states.dtype).removeprefix('torch.')} {list(states.shape)}"
            raise InputError(
                f"encoder {type(encoder).__name__}: encode gives {given} for {batch.num_nodes} nodes; return the "
                f"states of all nodes in floating point, [N, size], here [{batch.num_nodes}, {encoder.size}]"
            )
        with torch.enable_grad():
            vectors = encoder.readout(batch, states)
        if not is_own(model.task):  # which may want others
            _check_vectors(encoder, vectors, batch)
            _check_gradient(encoder, states, vectors)
        for shown in encoder.shows:
            _require_shown(encoder, shown, batch)
        _require_own_states(recipe, encoder, examples)


def try_task(recipe: Recipe, model: SentenceModel, examples: Examples) -> None:
    """Has a task of one's own learn from a few examples, score and predict them.

    Raises:
        InputError: its loss, outcomes, scores or predictions are of another form, or lack the score that is monitored,
            or predictions need gold values.
    """
    task = model.task
    if not is_own(task):
        return
    with trying(model):
        with torch.enable_grad():
            _check_loss(task, task.loss(*model(few(recipe, model.encoder, examples))))
        _check_outcomes(task, task.outcomes(*model(few(recipe, model.encoder, examples))))
        _check_scores(task, recipe.training.monitor, model.outcomes(few(recipe, model.encoder, examples)))
        batch = few(recipe, model.encoder, examples)
        batch.targets = Fields(what=TARGET)
        batch.nodes.pop(fields.LABEL, None)  # a sentence that is given to a trained model has no gold classes
        batch, states, vectors = model(batch)
        try:
            predictions = task.predict(batch, states, vectors, recipe.corpus.labels or ())
        except KeyError as error:
            if error.args[:1] not in {(name,) for name in (fields.LABEL, *task.targets)}:
                raise
            what = f"the gold value {error.args[0]!r}, and sentences that are to be predicted have none"
            raise InputError(f"task {type(task).__name__}: predict reads {what}; predict without it") from error
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


def few(recipe: Recipe, encoder: Encoder, examples: Examples) -> Batch:
    """The first examples as one batch.

    Raises:
        InputError: what the encoder propagates along, or its relations, are not in such graphs.
    """
    some = list(range(min(_EXAMPLES, len(examples))))
    try:
        return examples.batch(some, encoder.directions, encoder.relations)
    except InputError:
        raise
    except (ValueError, LookupError) as error:
        raise no_graphs_for(recipe, encoder, error) from error


def no_graphs_for(recipe: Recipe, encoder: Encoder, error: Exception) -> InputError:
    """Says that an encoder does not go with the graphs of a recipe."""
    said = one_line(error)
    if isinstance(error, KeyError) and " " not in said:
        said = f"there is no field {said}"
    return InputError(
        f"encoder {type(encoder).__name__} does not work on {recipe.graph} graphs of this corpus ({said[:200]}); "
        "choose another --graph or --encoder"
    )


def is_own(module: Encoder | Task) -> bool:
    """Whether it is none of dglsent's."""
    return not type(module).__module__.startswith("dglsent.")


def _are_states(states: Any, batch: Batch, encoder: Encoder) -> bool:
    if not isinstance(states, torch.Tensor) or not states.is_floating_point():
        return False
    return list(states.shape) == [batch.num_nodes, encoder.size]


def _check_vectors(encoder: Encoder, vectors: Any, batch: Batch) -> None:
    if isinstance(vectors, torch.Tensor) and list(vectors.shape) == [batch.size, encoder.size]:
        return
    given = list(vectors.shape) if isinstance(vectors, torch.Tensor) else f"a value of type {type(vectors).__name__}"
    raise InputError(
        f"encoder {type(encoder).__name__}: readout gives {given} for {batch.size} sentences; return a vector of each, "
        f"[{batch.size}, {encoder.size}], such as batch.at_roots(states) or dglsent.nn.readout.mean_over_words"
    )


def _check_gradient(encoder: Encoder, states: torch.Tensor, vectors: torch.Tensor) -> None:
    if states.requires_grad or vectors.requires_grad or not any(each.requires_grad for each in encoder.parameters()):
        return
    raise InputError(
        f"encoder {type(encoder).__name__}: its states have no gradient, and nothing in it could learn; leave out "
        ".detach() and torch.no_grad(), or call requires_grad_(False) of what is to stay as it is"
    )


def _require_own_states(recipe: Recipe, encoder: Encoder, examples: Examples) -> None:
    """Refuses states that a sentence has beside these others alone, or in one layout of pairs of words alone."""

    def encoded(batch: Batch, layout: Layout) -> torch.Tensor:
        with engine("torch", layout):
            return encoder.encode(batch)

    batch = few(recipe, encoder, examples)
    if int((batch.node_counts**2).sum()) > _MOST_PAIRS:
        return
    states = encoded(batch, "dense")
    if not _same(states, encoded(few(recipe, encoder, examples), "dense")):
        return  # it draws some of them
    name = f"encoder {type(encoder).__name__}: states"
    if not _same(states, encoded(few(recipe, encoder, examples), "edges")):
        raise InputError(
            f"{name} depend on how the engine lays out words that hear each other; in functions of edges and nodes "
            "address the last dimensions, as by dim=-1 and [..., 0], and not dim=1, which several of torch default to"
        )
    each = [(number,) for number in range(min(_EXAMPLES, len(examples)))]
    alone = [encoded(examples.batch(one, encoder.directions, encoder.relations), "dense") for one in each]
    if not _same(states, torch.cat(alone)):
        raise InputError(
            f"{name} of an example change with the others in its batch; in encode do nothing over all nodes at once, "
            "such as a mean, a softmax or a maximum over rows"
        )


def _same(states: torch.Tensor, others: torch.Tensor) -> bool:
    if states.shape != others.shape:
        return False
    far = (states.double() - others.double()).abs().nan_to_num()
    most = _ROUNDINGS * torch.finfo(states.dtype).eps * states.double().abs().nan_to_num().max()
    return bool((far <= most).all())


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


def _check_loss(task: Task, loss: Any) -> None:
    name = f"task {type(task).__name__}: loss gives"
    if not isinstance(loss, torch.Tensor):
        raise InputError(f"{name} a value of type {type(loss).__name__}; return a tensor, the mean over the examples")
    if loss.ndim or not loss.is_floating_point():
        raise InputError(f"{name} a tensor {list(loss.shape)}; return one number, the mean over the examples")
    if not loss.requires_grad:
        raise InputError(f"{name} a number without a gradient, and nothing could learn; leave out .detach() or .item()")


def _check_outcomes(task: Task, outcomes: Any) -> None:
    name = f"task {type(task).__name__}: outcomes"
    if not isinstance(outcomes, dict):
        raise InputError(f"{name} gives a value of type {type(outcomes).__name__}; return a dict of tensors by name")
    for column, values in outcomes.items():
        if not isinstance(values, torch.Tensor) or not values.ndim:
            what = "one number" if isinstance(values, torch.Tensor) else f"a value of type {type(values).__name__}"
            raise InputError(f"{name} gives {what} as {column!r}; give a tensor with a row an example")


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
