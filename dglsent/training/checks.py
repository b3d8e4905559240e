"""Whether the parts of a recipe fit each other, seen before training begins."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch.nn.modules.lazy import LazyModuleMixin

from dglsent.models.encoder import Encoder
from dglsent.passing import Batch
from dglsent.passing.relation import Relation
from dglsent.passing.views import Fields
from dglsent.tasks.classification import Classification
from dglsent.tasks.task import Task
from dglsent.training.assemble import some_of
from dglsent.training.data import Examples, GraphSet
from dglsent.training.graphs import OwnGraph
from dglsent.training.model import SentenceModel, gather
from dglsent.training.recipe import OptimiserOptions, Recipe
from graphs import fields
from graphs.errors import InputError
from graphs.sentence_graph import SentenceGraph

_EXAMPLES = 8
_UNSCALE = ("adam", "adamw")  # by themselves as they step; before, gradients of 16-mixed are multiplied by its scale
# Columns that recordings have, beside what an encoder shows.
_COLUMNS = {
    "example", "sentence", "node", "parent", "start", "end", "text", "tag", "head", "dependency", "gold", "predicted",
    "relation", "sender", "receiver", "slot", "label", "span", "from", "to", "system", "model", "data", "seed", "fold",
    "split", "recipe", "weights", "version",
}  # fmt: skip
_ONLY_OF = {"momentum": "sgd", "initial_accumulator": "adagrad"}  # settings that one optimiser alone reads


def check_optimiser(options: OptimiserOptions) -> None:
    """Refuses a setting that the optimiser would pass over.

    Raises:
        InputError: there is one.
    """
    for setting, owner in _ONLY_OF.items():
        value = getattr(options, setting)
        if value and options.name != owner:
            raise InputError(
                f"optimiser.{setting}: {value:g} is for {owner} alone, and optimiser.name is {options.name}; "
                f"set --optimiser.{setting} 0, or --optimiser.name {owner}"
            )


def check(recipe: Recipe, model: SentenceModel, sets: Mapping[str, Examples]) -> None:
    """Compares the task's classes and scale with the corpus's, and has the model predict a few examples.

    Args:
        recipe: the recipe, its corpus loaded.
        model: the model.
        sets: the splits.

    Raises:
        InputError: parts do not fit, or graphs of one's own are none.
    """
    _check_clipping(recipe)
    _check_encoder(model.encoder)
    _check_own_graphs(recipe, model.encoder, sets)
    _check_task(recipe, model.task, sets)
    _try_encoder(model, sets["train"])
    _try_out(recipe, model, sets["train"])
    _try_task(recipe, model, sets["train"])


def _check_clipping(recipe: Recipe) -> None:
    training = recipe.training
    if training.clip is not None and training.precision == "16-mixed" and recipe.optimiser.name in _UNSCALE:
        raise InputError(
            f"training.clip: {recipe.optimiser.name} with precision 16-mixed takes gradients that are still scaled, "
            "whose length says nothing; take bf16-mixed, or leave it out"
        )


def _check_encoder(encoder: Encoder) -> None:
    """Refuses attributes that would be read as others, and weights whose sizes only a batch tells."""
    name = type(encoder).__name__
    for attribute in ("directions", "relations", "shows"):
        given = getattr(encoder, attribute)
        if isinstance(given, str):
            raise InputError(f"encoder {name}: {attribute} is text; give a tuple: {attribute} = ({given!r},)")
    for shown in encoder.shows:
        field = shown.rpartition(".")[2]
        if field in _COLUMNS:
            raise InputError(
                f"encoder {name}: it shows {shown!r}, and recordings have a column {field!r}; give it another name"
            )
    for place, module in encoder.named_modules():
        if isinstance(module, LazyModuleMixin):
            raise InputError(
                f"encoder {name}: {place} is a {type(module).__name__}, and of Lazy modules no run can be loaded; give "
                "its sizes, such as nn.Linear(embedding.dim, hidden)"
            )


def own_graph_fault(graph: Any, tokens: int = 0) -> str:
    """What is wrong with what an `OwnGraph` has built, as far as it is known before training; "" if nothing is.

    Args:
        graph: what it has built.
        tokens: so many gold classes are of tokens, and laid on its first nodes.
    """
    if not isinstance(graph, SentenceGraph):
        return f"build gives a value of type {type(graph).__name__}; return a graphs.SentenceGraph"
    wrong = graph.fault()
    if wrong:
        return wrong
    position = graph.nodes.get(fields.POSITION, np.empty(0))
    if not np.array_equal(position[:tokens], np.arange(tokens)):
        return (
            "gold classes are laid on its first nodes, which are not the tokens in order; put the tokens first, with "
            "position 0, 1, ..., and other nodes behind them, with position -1"
        )
    return ""


def _check_own_graphs(recipe: Recipe, encoder: Encoder, sets: Mapping[str, Examples]) -> None:
    if not isinstance(recipe.graph, OwnGraph):
        return
    for split, each in sets.items():
        if isinstance(each, GraphSet):
            for number, graph in enumerate(chain.from_iterable(each.graphs), 1):
                wrong = own_graph_fault(graph) or own_graph_fault(graph, _tokens(recipe.graph, graph))
                if not wrong and len(graph.src) and not graph.level.any() and encoder.directions:
                    wrong = (
                        f"level is 0 everywhere, and along its edges nothing is propagated; set directions = () in the "
                        f"encoder {type(encoder).__name__} if update_all is all that it uses, or give the levels"
                    )
                if wrong:
                    raise InputError(f"graph: sentence {number} of {split}, as {recipe.graph} makes it: {wrong}")


def _tokens(kind: OwnGraph, graph: SentenceGraph) -> int:
    """How many gold classes of tokens a graph has, at least; those of a tree's nodes are not looked at."""
    label = graph.nodes.get(fields.LABEL)
    if label is None or kind.reads in ("constituency", "constituency-nary") or (label < 0).all():
        return 0
    tokens = graph.nodes.get(fields.POSITION, np.empty(0)) >= 0
    return max(int(tokens.sum()), int(np.flatnonzero(label >= 0)[-1]) + 1)


def _check_task(recipe: Recipe, task: Task, sets: Mapping[str, Examples]) -> None:
    """Whether scores, classes and scale are there, and those of the corpus."""
    labels, examples = recipe.corpus.labels, sets["train"]
    if task.monitor not in task.score_names:
        raise InputError(f"task: it monitors {task.monitor!r}, and its scores are {', '.join(task.score_names)}")
    count = getattr(task, "choose", getattr(task, "classes", None))
    if labels and count is not None and count != len(labels):
        raise InputError(
            f"task.classes: {count}, and the corpus has the {len(labels)} classes {some_of(labels)}; "
            f"set --task.classes {len(labels)}"
        )
    for split, each in sets.items():
        _check_classes(task, split, each)
    low, high = (getattr(task, end, None) for end in ("low", "high"))
    outside = [score for score in examples.targets.get("score", ()) if low is not None and not low <= score <= high]
    if outside:
        raise InputError(
            f"task: {len(outside)} of {len(examples)} scores to train on lie outside {low} to {high}, such as "
            f"{outside[0]:g}; set --task.low and --task.high, whole numbers"
        )


def _try_encoder(model: SentenceModel, examples: Examples) -> None:
    """Has an encoder of one's own encode a few examples."""
    encoder = model.encoder
    if not any(_is_own(module) for module in encoder.modules() if isinstance(module, Encoder)):
        return
    with _trying(model):
        batch = _batch(encoder, examples)
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


def _try_task(recipe: Recipe, model: SentenceModel, examples: Examples) -> None:
    """Has a task of one's own score a few examples, and predict them."""
    task = model.task
    if not _is_own(task):
        return
    with _trying(model):
        _check_scores(task, recipe.training.monitor, model.outcomes(_batch(model.encoder, examples)))
        batch = _batch(model.encoder, examples)
        batch.targets = Fields()
        batch, states, vectors = model(batch)
        predictions = task.predict(batch, states, vectors, recipe.corpus.labels or ())
        _check_predictions(task, predictions, batch.size // 2 if batch.pairs else batch.size)


@contextmanager
def _trying(model: SentenceModel) -> Iterator[None]:
    """The model as it predicts; afterwards training draws what it would have drawn."""
    was = model.training
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        model.eval()
        yield
    model.train(was)


def _batch(encoder: Encoder, examples: Examples) -> Batch:
    return examples.batch(list(range(min(_EXAMPLES, len(examples)))), encoder.directions, encoder.relations)


def _is_own(module: Encoder | Task) -> bool:
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


def _try_out(recipe: Recipe, model: SentenceModel, examples: Examples) -> None:
    """Has the model predict a few examples."""
    encoder, was = model.encoder, model.training
    try:
        with torch.no_grad():
            batch = _batch(encoder, examples)
            asked = _asked_of(batch)
            model.eval().outcomes(batch)
        if recipe.graph == fields.COMPLETE and asked & {fields.CHILD, fields.NEIGHBOUR}:
            raise InputError(
                f"encoder {type(encoder).__name__} passes messages along the edges of trees or chains, and complete "
                "graphs have none: no word would hear another; choose another --graph, or --encoder CN3 or Transformer"
            )
    except InputError:
        raise
    except Exception as error:
        if not type(encoder).__module__.startswith("dglsent."):
            raise  # whoever writes an encoder wants to see where it fails
        said = " ".join(str(error).split()) or type(error).__name__
        raise InputError(
            f"encoder {type(encoder).__name__} does not work on {recipe.graph} graphs of this corpus ({said[:200]}); "
            "choose another --graph or --encoder"
        ) from error
    finally:
        model.train(was)


def _asked_of(batch: Batch) -> set[str]:
    """The names of the relations that a batch will be asked for, as they are."""
    asked: set[str] = set()
    relation = batch.relation

    def noted(name: str = fields.CHILD) -> Relation:
        asked.add(name)
        return relation(name)

    batch.relation = noted  # type: ignore[method-assign]  # of this one batch, which nothing else sees
    return asked


def _check_classes(task: Task, split: str, examples: Examples) -> None:
    """Refuses gold classes that the task does not have; phrases, and sentences to learn from, may be without one."""
    count, target = getattr(task, "classes", None), getattr(task, "target", "label")
    if count is None:
        return
    may_lack = split == "train" and isinstance(task, Classification)
    columns = [(target, examples.targets[target], may_lack)] if target in examples.targets else []
    if isinstance(examples, GraphSet):
        phrases = [graph.nodes[fields.LABEL] for graph in chain(*examples.graphs) if fields.LABEL in graph.nodes]
        columns += [(f"{target} of a phrase", np.concatenate(phrases), True)] if phrases else []
    for name, column, lacking in columns:
        wrong = column[(column < (-1 if lacking else 0)) | (column >= count)]
        if len(wrong):
            raise InputError(
                f"{split}: {len(wrong)} of {len(column)} gold values {name!r} are no class, such as {wrong[0]}; "
                f"the task has the classes 0 to {count - 1}"
            )
