"""The types of what a class is made of, as recipes are checked against them."""

import enum
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
import yaml

from dglsent.models.bag_of_words import BagOfWords
from dglsent.models.encoder import Encoder
from dglsent.nn.embeddings import WordEmbedding
from dglsent.training import class_paths, recipe_files
from dglsent.training.parameters import Function, arguments_of, kinds_of, words_of

if TYPE_CHECKING:
    from decimal import Decimal


class Colour(enum.Enum):
    """Some words of Python's own."""

    RED = "red"


@pytest.mark.parametrize(
    ("declared", "kinds"),
    [
        (Encoder, [Encoder]),
        (Encoder | None, [Encoder]),
        (list[Encoder], [Encoder]),
        (dict[str, list[Encoder]], [Encoder]),
        (Annotated[Encoder, "said of it"], [Encoder]),
        (Callable[[WordEmbedding], Encoder], [Encoder, Function]),
        (Callable, [Function]),
        (Encoder | Literal["none"], [Encoder]),
        (int | str | float | bool | None, []),
        (Any, []),
        (Path, []),
        (Colour, []),
        (Literal["a", "b"], []),
    ],
)
def test_a_type_takes_instances_of_its_own_classes_and_none_of_pythons_values(declared, kinds):
    assert list(kinds_of(declared)) == kinds


@pytest.mark.parametrize(
    ("declared", "words"),
    [
        (Literal["sum", "mean", 3], ["sum", "mean"]),
        (Encoder | Literal["none"], ["none"]),
        (Encoder | str, []),
        (list[Literal["sum"]], []),
    ],
)
def test_words_stand_beside_classes_only_where_a_type_names_them(declared, words):
    assert list(words_of(declared)) == words


class Narrow(BagOfWords):
    """One that passes nothing on."""

    def __init__(self, embedding: WordEmbedding, depth: int = 2):
        super().__init__(embedding)


class Wide(Narrow):
    """One that passes on what it does not know."""

    def __init__(self, width: int = 3, **others: Any):
        super().__init__(**others)


class Other(Narrow):
    """One that names an argument of the class above as another type."""

    def __init__(self, depth: float, **others: Any):
        super().__init__(**others, depth=round(depth))


class Open:
    """One that takes anything."""

    def __init__(self, scale: float, of, **others):
        pass


class Hidden:
    """One of whose types Python does not know."""

    def __init__(self, amount: "Decimal"):
        pass


@pytest.mark.parametrize(
    ("made", "arguments"),
    [
        (Narrow, {"embedding": WordEmbedding, "depth": int}),
        (Wide, {"width": int, "embedding": WordEmbedding, "depth": int}),
        (Other, {"depth": float, "embedding": WordEmbedding}),
        (Open, {"scale": float, "of": Any, None: None}),
        (Hidden, {"amount": Function}),
    ],
)
def test_arguments_that_are_passed_on_are_those_of_the_class_above(made, arguments):
    assert arguments_of(made) == arguments


def test_types_of_all_arguments_are_known():
    # One that is not would let nothing pass.
    files = [yaml.safe_load(recipe_files.find(name).read_text(encoding="utf-8")) for name in recipe_files.names()]
    paths = {path for file in files for path in class_paths.class_paths(file)}
    assert len(paths) > 20
    for path in paths:
        made = class_paths.find(path, [object], trusted=False, key="")
        assert Function not in arguments_of(made).values()
