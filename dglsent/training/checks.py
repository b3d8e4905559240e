"""Whether the parts of a recipe fit each other, seen before training begins."""

from __future__ import annotations

from itertools import chain

import torch

from dglsent.training.data import Examples, GraphSet
from dglsent.training.graphs import OwnGraph
from dglsent.training.model import SentenceModel
from dglsent.training.recipe import OptimiserOptions, Recipe
from graphs.errors import InputError

_EXAMPLES = 8
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


def check(recipe: Recipe, model: SentenceModel, examples: Examples) -> None:
    """Compares the task's classes and scale with the corpus's, and has the model predict a few examples.

    Args:
        recipe: the recipe, its corpus loaded.
        model: the model.
        examples: its training split.

    Raises:
        InputError: parts do not fit, or graphs of one's own are none.
    """
    if isinstance(recipe.graph, OwnGraph) and isinstance(examples, GraphSet):
        for number, graph in enumerate(chain.from_iterable(examples.graphs), 1):
            wrong = graph.fault()
            if wrong:
                raise InputError(f"graph: sentence {number} to train on, as {recipe.graph} makes it: {wrong}")
    labels, task = recipe.corpus.labels, model.task
    if task.monitor not in task.score_names:
        raise InputError(f"task: it monitors {task.monitor!r}, and its scores are {', '.join(task.score_names)}")
    count = getattr(task, "choose", getattr(task, "classes", None))
    if labels and count is not None and count != len(labels):
        named = ", ".join(labels[:8]) + (", ..." if len(labels) > 8 else "")
        raise InputError(
            f"task.classes: {count}, and the corpus has the {len(labels)} classes {named}; "
            f"set --task.classes {len(labels)}"
        )
    low, high = (getattr(task, end, None) for end in ("low", "high"))
    outside = [score for score in examples.targets.get("score", ()) if low is not None and not low <= score <= high]
    if outside:
        raise InputError(
            f"task: {len(outside)} of {len(examples)} scores to train on lie outside {low} to {high}, such as "
            f"{outside[0]:g}; set --task.low and --task.high, whole numbers"
        )
    encoder, was = model.encoder, model.training
    index = list(range(min(_EXAMPLES, len(examples))))
    try:
        with torch.no_grad():
            batch = examples.batch(index, encoder.directions, encoder.relations)
            model.eval().outcomes(batch)
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
