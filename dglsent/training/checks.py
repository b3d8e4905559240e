"""Whether the parts of a recipe fit each other, seen before training begins."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from itertools import chain
from typing import Any

import numpy as np
from torch import Tensor, nn
from torch.nn.modules.lazy import LazyModuleMixin

from dglsent.corpora.corpus import some_of
from dglsent.models.encoder import Encoder
from dglsent.passing import Batch
from dglsent.passing.relation import Relation
from dglsent.tasks.classification import Classification
from dglsent.tasks.task import Task
from dglsent.training.data import Examples, GraphSet
from dglsent.training.graphs import HALF_WIDTHS, OwnGraph
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import OptimiserOptions, Recipe
from dglsent.training.trial import few, is_own, no_graphs_for, try_encoder, try_task, trying
from graphs import fields
from graphs.errors import InputError
from graphs.sentence_graph import SentenceGraph

_OF_BATCH = (fields.SENTENCE, fields.SIDE, fields.PAIR)
_UNSCALE = ("adam", "adamw")  # by themselves as they step; before, gradients of 16-mixed are multiplied by its scale
# Columns that recordings have, beside what an encoder shows.
COLUMNS = {
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
    _check_half_width(recipe, model.encoder)
    _check_own_graphs(recipe, model.encoder, sets)
    _check_task(recipe, model.task, sets)
    _check_what_is_read(model)
    _check_weights(model)
    try_encoder(recipe, model, sets["train"])
    _try_out(recipe, model, sets["train"])
    try_task(recipe, model, sets["train"])


def _check_clipping(recipe: Recipe) -> None:
    training = recipe.training
    if training.clip is not None and training.precision == "16-mixed" and recipe.optimiser.name in _UNSCALE:
        raise InputError(
            f"training.clip: {recipe.optimiser.name} with precision 16-mixed takes gradients that are still scaled, "
            "whose length says nothing; take bf16-mixed, or leave it out"
        )


def _check_half_width(recipe: Recipe, encoder: Encoder) -> None:
    """The graph says how wide a window is, and the encoder is built so, whatever the recipe gives it."""
    given = getattr(recipe.encoder, "keywords", {}).get("half_width")
    if given is None or isinstance(recipe.graph, OwnGraph) or recipe.graph not in HALF_WIDTHS:
        return
    width = HALF_WIDTHS[recipe.graph]
    if given not in (width, signature(type(encoder)).parameters["half_width"].default):
        wider = next((graph for graph, half in HALF_WIDTHS.items() if half == given), None)
        raise InputError(
            f"encoder.half_width: {given}, but windows of graph {recipe.graph} have {width} on either side; "
            f"leave it out{f', or set --graph {wider}' if wider else ''}"
        )


def _check_encoder(encoder: Encoder) -> None:
    """Refuses attributes that would be read as others, and weights whose sizes only a batch tells."""
    name = type(encoder).__name__
    _require_methods(f"encoder {name}", encoder, Encoder, ("encode",))
    for attribute in ("directions", "relations", "shows"):
        given = getattr(encoder, attribute)
        if isinstance(given, str):
            raise InputError(f"encoder {name}: {attribute} is text; give a tuple: {attribute} = ({given!r},)")
    for shown in encoder.shows:
        field = shown.rpartition(".")[2]
        if field in COLUMNS:
            raise InputError(
                f"encoder {name}: it shows {shown!r}, and recordings have a column {field!r}; give it another name"
            )
    for place, module in encoder.named_modules():
        if isinstance(module, LazyModuleMixin):
            raise InputError(
                f"encoder {name}: {place} is a {type(module).__name__}, and of Lazy modules no run can be loaded; give "
                "its sizes, such as nn.Linear(embedding.dim, hidden)"
            )


def _check_what_is_read(model: SentenceModel) -> None:
    """Refuses a way of reading a sentence out, or attributes of edges, that nothing in the model reads."""
    encoder, task = model.encoder, model.task
    pairs = "DecomposableAttention" in _kinds(encoder)
    inner: Any = encoder.structure if pairs else encoder
    why = "DecomposableAttention compares roots, of chains the last words" if pairs else "Tagging reads words"
    if "AttentiveBiLSTM" in _kinds(inner) and (pairs or "Tagging" in _kinds(task)):
        raise InputError(f"encoder AttentiveBiLSTM: {why}; its query would pool and learn nothing, so take BiLSTM")
    readout = getattr(inner, "bilstm_readout", "last_word")
    if pairs and readout != "last_word":
        raise InputError(f"encoder.structure.bilstm_readout: {readout}, and {why}; leave it out")
    if "CN3" in _kinds(encoder) and not encoder.depth and encoder.edges.size:
        raise InputError(
            "encoder.edges: layers alone read attributes of edges, and encoder.layers is 0; set --encoder.edges [], or "
            "--encoder.layers 1"
        )


def _kinds(part: Encoder | Task) -> set[str]:
    """The names of its class and of the bases; to import these would make the run depend on their code."""
    return set() if is_own(part) else {kind.__name__ for kind in type(part).__mro__}


def _check_weights(model: SentenceModel) -> None:
    """Refuses weights of which torch does not know: they are not trained, and a run that is loaded draws others."""
    known = set(model.parameters())
    for what, part in (("encoder", model.encoder), ("task", model.task)):
        for place, module in part.named_modules():
            for attribute, value in vars(module).items():
                if not known.issuperset(_weights(value)):
                    name = f"{place}.{attribute}" if place else attribute
                    raise InputError(
                        f"{what} {type(part).__name__}: weights in {name}, a {type(value).__name__}, would be neither "
                        "trained nor saved; make it an nn.ModuleList, nn.ModuleDict or nn.Parameter"
                    )


def _weights(value: object) -> Iterator[Tensor]:
    """The weights in an attribute that a gradient is to reach."""
    if isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _weights(each)
    elif isinstance(value, nn.Module):
        yield from (weight for weight in value.parameters() if weight.requires_grad)
    elif isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
        yield value


def _require_methods(what: str, made: object, base: type, names: Sequence[str]) -> None:
    """Refuses an object of a class of one's own that lacks what its base leaves to it."""
    for name in names:
        if getattr(getattr(made, name), "__func__", None) is getattr(base, name):
            raise InputError(
                f"{what} has no {name}; write {name}({', '.join(signature(getattr(base, name)).parameters)})"
            )


def _check_own_graphs(recipe: Recipe, encoder: Encoder, sets: Mapping[str, Examples]) -> None:
    """Refuses graphs along whose edges an encoder would propagate nothing, and fields that a batch would replace."""
    if not isinstance(recipe.graph, OwnGraph):
        return
    for split, each in sets.items():
        if isinstance(each, GraphSet):
            for number, graph in enumerate(chain.from_iterable(each.graphs), 1):
                wrong = _wrong_for(encoder, graph)
                if wrong:
                    raise InputError(f"graph: sentence {number} of {split}, as {recipe.graph} makes it: {wrong}")


def _wrong_for(encoder: Encoder, graph: SentenceGraph) -> str | None:
    """What is wrong with a graph of one's own, and what to do."""
    replaced = next((name for name in _OF_BATCH if name in graph.nodes), None)
    if replaced:
        return f"the node field {replaced!r} is the batch's own; give yours another name"
    if encoder.directions and len(graph.src) and not graph.level.any():
        return (
            "level is 0 everywhere, and along its edges nothing is propagated; set directions = () in the encoder "
            f"{type(encoder).__name__} if update_all is all that it uses, or give the levels"
        )
    return None


def _check_task(recipe: Recipe, task: Task, sets: Mapping[str, Examples]) -> None:
    """Whether scores, classes and scale are there, and those of the corpus."""
    labels = recipe.corpus.labels
    name = f"task {type(task).__name__}"
    _require_methods(name, task, Task, ("loss", "outcomes", "scores", "predict"))
    for attribute, value in (("score_names", "a tuple of names"), ("monitor", "one of its score_names")):
        if not hasattr(task, attribute):
            raise InputError(f"{name} has no {attribute}; set it, {value}")
    if isinstance(task.score_names, str):
        raise InputError(f"{name}: score_names is text; give a tuple: score_names = ({task.score_names!r},)")
    if task.monitor not in task.score_names:
        raise InputError(f"task: it monitors {task.monitor!r}, and its scores are {', '.join(task.score_names)}")
    classes = getattr(task, "classes", None)
    count = getattr(task, "choose", classes)
    said = "classes" if count == classes else "choose"
    if labels and count is not None and count != len(labels):
        raise InputError(
            f"task.{said}: {count}, and the corpus has the {len(labels)} classes {some_of(labels)}; "
            f"set --task.{said} {len(labels)}"
        )
    low, high = scale_of(task)
    for split, each in sets.items():
        _check_classes(task, split, each)
        outside = [score for score in each.targets.get("score", ()) if not low <= score <= high]
        if outside:
            raise InputError(
                f"task: {len(outside)} of {len(each)} scores of {split} lie outside {low} to {high}, such as "
                f"{outside[0]:g}; set --task.low and --task.high, whole numbers"
            )


def scale_of(task: Task) -> tuple[float, float]:
    """The lowest and the highest score that a task knows; infinities where it has no scale."""
    low, high = (getattr(task, end, None) for end in ("low", "high"))
    return -math.inf if low is None else low, math.inf if high is None else high


def _try_out(recipe: Recipe, model: SentenceModel, examples: Examples) -> None:
    """Has the model predict a few examples."""
    encoder = model.encoder
    try:
        with trying(model):
            batch = few(recipe, encoder, examples)
            asked = _asked_of(batch)
            try:
                (model if is_own(model.task) else model.outcomes)(batch)
            finally:  # `passing` refuses it as well, and knows neither the encoder nor the options
                _refuse_unconnected(recipe, encoder, asked)
    except InputError:
        raise
    except Exception as error:
        if is_own(encoder):
            raise  # whoever writes an encoder wants to see where it fails
        raise no_graphs_for(recipe, encoder, error) from error


def _refuse_unconnected(recipe: Recipe, encoder: Encoder, asked: set[str]) -> None:
    if recipe.graph == fields.COMPLETE and asked & {fields.CHILD, fields.NEIGHBOUR}:
        raise InputError(
            f"encoder {type(encoder).__name__} passes messages along the edges of trees or chains, and complete "
            "graphs have none: no word would hear another; choose another --graph, or --encoder CN3 or Transformer"
        )


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
    if isinstance(examples, GraphSet) and getattr(task, "phrases", True):  # else they may be of other classes
        phrases = [graph.nodes[fields.LABEL] for graph in chain(*examples.graphs) if fields.LABEL in graph.nodes]
        columns += [(f"{target} of a phrase", np.concatenate(phrases), True)] if phrases else []
    for name, column, lacking in columns:
        wrong = column[(column < (-1 if lacking else 0)) | (column >= count)]
        if len(wrong):
            raise InputError(
                f"{split}: {len(wrong)} of {len(column)} gold values {name!r} are no class, such as {wrong[0]}; "
                f"the task has the classes 0 to {count - 1}"
            )
