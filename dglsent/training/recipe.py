"""Recipes: which corpus, graph, encoder and task make a model, and how it is trained."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal

import yaml
from jsonargparse import ArgumentError, ArgumentParser, Namespace

from dglsent import registry
from dglsent.corpora.corpus import Corpus
from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.tasks.task import Task
from dglsent.training import bases, class_paths, recipe_options
from dglsent.training.class_paths import Trusted
from dglsent.training.graphs import Graph
from dglsent.training.parser_errors import KEYS, explain
from dglsent.training.ranges import in_range
from dglsent.training.yaml_text import read_yaml, write_yaml
from graphs.errors import InputError


@dataclass
class EmbeddingOptions:
    """Word vectors.

    Attributes:
        dim: dimensions of a vector.
        vectors: file of pretrained vectors, from the working folder or else in the data folder, or a list of files
            whose vectors stand side by side; none means random ones. A file named `.safetensors` has the vectors of the
            tokens of each sentence, which take the place of words' own.
        tune: whether training changes the vectors.
        dropout: share of dimensions dropped in training.
        lower: whether words are lower-cased.
        min_count: words that training meets less often than this, and that have no pretrained vector, are unknown.
        fold_digits: whether every digit of a word is read as 9.
        spelling: whether graphs have characters, capitalisation, shapes and affixes of words, as the training split
            knows them.
        cooccurrence: whether complete graphs have the pointwise mutual information of words in the training split.
    """

    dim: int = 300
    vectors: list[str] | str | None = None
    tune: bool = True
    dropout: float = 0.0
    lower: bool = False
    min_count: int = 2
    fold_digits: bool = False
    spelling: bool = False
    cooccurrence: bool = False


@dataclass
class OptimiserOptions:
    """How weights are changed.

    Attributes:
        name: the update rule.
        lr: learning rate.
        embedding_lr_scale: the learning rate of tuned word vectors is this times `lr`.
        weight_decay: L2 penalty on all weights but the word vectors; with "adamw" their decay apart from the gradient.
        momentum: momentum of "sgd".
        initial_accumulator: what the sum of squares of "adagrad" starts from. From 0, as in torch, the first step of a
            weight is the learning rate, however small its gradient.
    """

    name: Literal["adagrad", "adam", "adamw", "sgd", "adadelta"] = "adagrad"
    lr: float = 0.05
    embedding_lr_scale: float = 1.0
    weight_decay: float = 0.0
    momentum: float = 0.0
    initial_accumulator: float = 0.0


@dataclass
class TrainingOptions:
    """How long training goes on and what it keeps.

    Attributes:
        epochs: most epochs.
        batch_size: examples of a step.
        patience: stop after so many epochs without a better dev score; never by default.
        monitor: the dev score that counts; the task's own by default.
        workers: processes that batch and plan beside the training; worth it where a GPU waits for the CPU.
        bucket: sort by length the examples of so many batches, so that those of a batch are of about one length; 0, or
            1, for batches of any lengths. The order depends on seed and epoch alone, either way.
        precision: "bf16-mixed" multiplies in bfloat16, "16-mixed" (GPUs alone) in float16 with scaled losses; weights,
            states, losses and scores stay float32.
        average: dev scores and the run keeps an average of weights: below 1, such as 0.999, the decay of a moving
            average over all steps; from 2 on, over how many of the last epochs the weights at their ends are averaged.
            Those before them are scored as they are, and one of them may stay the best.
        clip: a gradient, that of all weights together, whose norm is above this is scaled to it; never by default. What
            a recurrent network without gates needs on long texts.
    """

    epochs: int = 10
    batch_size: int = 25
    patience: int | None = None
    monitor: str | None = None
    workers: int = 0
    bucket: int = 0
    precision: Literal["32", "bf16-mixed", "16-mixed"] = "32"
    average: float | None = None
    clip: float | None = None

    def __post_init__(self) -> None:
        """Refuse a norm or an average that cannot be.

        Raises:
            ValueError: the norm is 0 or below; the average is none, or its epochs do not come.
        """
        if self.clip is not None and not self.clip > 0:
            raise ValueError(f"training.clip: {self.clip} leaves no gradient; a norm such as 1, or null not to clip")
        average = self.average
        if average is None or 0 < average < 1:
            return
        if average < 2 or not float(average).is_integer():
            raise ValueError(
                f"training.average: {average} is neither a decay between 0 and 1 nor a number of last epochs from 2 on"
            )
        if average > self.epochs:
            raise ValueError(f"training.average: {average:.0f} epochs are more than training.epochs {self.epochs}")
        if self.patience:
            raise ValueError(
                f"training.average: with training.patience {self.patience} the last epochs may never come; "
                "set training.patience to null, or training.average to a decay such as 0.999"
            )


@dataclass
class Recipe:
    """All that makes a run, but for the data folder and the device.

    Attributes:
        corpus: where examples come from.
        graph: what sentences become.
        encoder: what makes an encoder of word vectors.
        task: what makes a task of the size of a state.
        embedding: word vectors.
        optimiser: how weights are changed.
        training: how long training goes on and what it keeps.
        seed: seed of initialisation, shuffling and dropout.
    """

    corpus: Corpus
    graph: Graph
    encoder: Callable[[WordEmbedding], Encoder]
    task: Callable[[int], Task]
    embedding: EmbeddingOptions = field(default_factory=EmbeddingOptions)
    optimiser: OptimiserOptions = field(default_factory=OptimiserOptions)
    training: TrainingOptions = field(default_factory=TrainingOptions)
    seed: int = 1


VERSION = 2
"""Of the configuration in a run folder. Version 1 had no version, and dotted paths of dglsent's own classes."""

_VERSION_KEY, _CLASSES_KEY = "version", "classes"
_GROUPS = ("embedding", "optimiser", "training")


def resolve(text: str, overrides: Sequence[str] = (), *, source: str = "recipe", trusted: Trusted = True) -> Namespace:
    """A recipe with all its defaults written out.

    Args:
        text: its YAML; with `base: NAME` it says what differs from another recipe.
        overrides: options such as `--training.epochs 3`.
        source: the file, for errors; a base may lie beside it.
        trusted: which classes it may name that are neither of dglsent nor registered. Where that is not True, as for
            run folders, it has no base either.

    Raises:
        InputError: a key is unknown or missing, a value is of another type or out of range, a class may not be named,
            or a base cannot be used; the key is named and the file that has it.
    """
    layers = bases.chain(text, source) if trusted is True else [bases.Layer(source, bases.mapping(text, source))]
    layers = [bases.Layer(layer.source, _body(layer.keys, layer.source)) for layer in layers]
    known = {field.name for field in fields(Recipe)}
    for layer in layers:
        # An unknown key without anything in it is passed over by the parser.
        unknown = sorted(str(key) for key in layer.keys if key not in known)
        if unknown:
            raise InputError(f"{layer.source}: unknown key {unknown[0]!r}; {KEYS}")
        # A value in the place of a group of keys is, too.
        lone = next((key for key in _GROUPS if not isinstance(layer.keys.get(key, {}), dict)), None)
        if lone is not None:
            raise InputError(f"{layer.source}: {lone}: expected keys with values, not {layer.keys[lone]!r}; {KEYS}")
    parser, merged = _parser(), bases.merge(layers)
    try:
        merged = class_paths.checked(merged, Recipe, trusted=trusted)
        base = parser.parse_object(merged)
        in_range(base)
    except InputError as error:
        raise InputError(f"{bases.where(layers, str(error).partition(':')[0])}: {error}") from None
    except (ArgumentError, TypeError) as error:
        key, explained = explain(error)
        raise InputError(f"{bases.where(layers, key)}: {explained}") from None
    if not overrides:
        return base
    wanted = recipe_options.with_options(merged, overrides)
    known_paths = class_paths.checked(wanted, Recipe, trusted=trusted)
    spelled_out = recipe_options.spelled_out(overrides, wanted, known_paths)
    try:
        changed = parser.parse_args(spelled_out, namespace=recipe_options.written(merged, base, spelled_out))
    except (ArgumentError, TypeError) as error:
        raise InputError(explain(error)[1]) from None
    in_range(changed)
    return changed


def dump(config: Namespace) -> str:
    """A resolved recipe as YAML, which `resolve` reads; classes that have names stand under these."""
    return write_yaml(tree(config))


def tree(config: Namespace, *, named: bool = True) -> dict[str, Any]:
    """A resolved recipe as plain values.

    Args:
        config: the recipe.
        named: whether classes that have names stand under these, or all of them under their dotted paths.
    """
    plain: dict[str, Any] = read_yaml(dump_paths(config))
    return class_paths.named(plain) if named else plain


def dump_paths(config: Namespace) -> str:
    """A resolved recipe as YAML with the dotted path of every class, for a process that has nothing registered."""
    text: str = _parser().dump(config, skip_none=False, format="yaml")
    return text


def head(config: Namespace) -> str:
    """What stands above a recipe in a run folder: the version, and where its registered classes were found."""
    used = set(class_paths.class_paths(tree(config)))
    own = {name: registry.dotted(made) for name, made in registry.own_classes() if name in used}
    return yaml.safe_dump({_VERSION_KEY: VERSION, **({_CLASSES_KEY: own} if own else {})}, sort_keys=False)


def own_classes(keys: Mapping[str, Any], source: str) -> dict[str, str]:
    """The dotted paths of registered classes that the head of a run's recipe tells, by their names.

    Raises:
        InputError: it tells something else.
    """
    told = keys.get(_CLASSES_KEY) or {}
    if not isinstance(told, dict) or not all(isinstance(each, str) for pair in told.items() for each in pair):
        raise InputError(f"{source}: {_CLASSES_KEY}: names and dotted paths of classes are expected")
    return told


def _body(keys: Mapping[str, Any], source: str) -> dict[str, Any]:
    """A recipe without its head."""
    version = keys.get(_VERSION_KEY, VERSION)
    if type(version) is not int or not 1 <= version <= VERSION:
        raise InputError(
            f"{source}: {_VERSION_KEY} {version!r}: this dglsent reads versions up to {VERSION}; install a newer one"
        )
    return {key: value for key, value in keys.items() if key not in (_VERSION_KEY, _CLASSES_KEY)}


def instantiate(config: Namespace) -> Recipe:
    """The objects that a resolved recipe describes.

    Raises:
        InputError: a class refuses its arguments.
    """
    parser = _parser()
    # jsonargparse has the first name since 4.49 and drops the second in 5; pyproject.toml allows older ones too.
    make = getattr(parser, "instantiate", None) or parser.instantiate_classes
    try:
        return Recipe(**vars(make(config)))
    except (ArgumentError, TypeError, ValueError) as error:
        raise InputError(explain(error)[1]) from None


def difference(one: Namespace, other: Namespace) -> str | None:
    """The first key that matters whose value differs, with both values; None where there is none."""
    left, right = (_flat(tree(config)) for config in (one, other))
    for key in [*left, *right]:
        # Whoever makes the batches, they are the same: a run goes on with fewer workers after memory ran out.
        if key != "training.workers" and left.get(key) != right.get(key):
            return f"{key} is {left.get(key)!r} there and {right.get(key)!r} here"
    return None


def usage() -> str:
    """The options that override a recipe, for help."""
    return _parser().format_help()


def _flat(part: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(part, dict):
        return {prefix: part}
    flat: dict[str, Any] = {}
    for key, value in part.items():
        flat.update(_flat(value, f"{prefix}.{key}" if prefix else str(key)))
    return flat


@cache  # to build it takes as long as to use it
def _parser() -> ArgumentParser:
    os.environ.setdefault("JSONARGPARSE_DEPRECATION_WARNINGS", "off")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parser = ArgumentParser(
            prog="dglsent fit RECIPE", usage="dglsent fit RECIPE [options]", exit_on_error=False, allow_abbrev=False
        )
        parser.add_class_arguments(Recipe)
    return parser
