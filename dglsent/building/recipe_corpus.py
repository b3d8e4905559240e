"""The corpus of a recipe, as what a store is built of."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

from dglsent.building.parts import Part
from dglsent.building.read import Read
from dglsent.corpora.corpus import Splits
from dglsent.corpora.example import Example
from dglsent.training.graphs import Graph, OwnGraph
from dglsent.training.source_files import own_code
from dglsent.training.yaml_text import read_yaml
from graphs.columns import Constituency, Dependencies, Tagged


@dataclass(frozen=True, slots=True)
class OfRecipe:
    """The corpus of a recipe.

    Attributes:
        recipe: the resolved recipe as YAML.
        data: the data folder; None for that of the environment.
        asked: when it was asked for, in nanoseconds: a process reads the corpus once for it, and anew for another.
    """

    recipe: str
    data: Path | None = None
    asked: int = field(default_factory=time.time_ns, repr=False)
    skip: ClassVar[bool] = False

    def parser(self) -> None:
        """None: its parses lie with the corpus."""

    @property
    def graph(self) -> Graph:
        """What sentences become."""
        return _loaded(self)[0]

    def about(self) -> dict[str, Any]:
        """What decides what a shard holds, but for the sentences."""
        if not isinstance(self.graph, OwnGraph):
            return {"graph": str(self.graph)}
        tree = read_yaml(self.recipe)
        return {"graph": str(self.graph), "code": own_code([tree["graph"], tree["corpus"]], packages=False)}

    def class_names(self) -> list[str] | None:
        """The names of the classes."""
        return list(_loaded(self)[2])

    def parts(self, size: int) -> Iterator[Part]:
        """The parts of all splits, `size` examples each."""
        whole = isinstance(self.graph, OwnGraph)  # and may read all that there is
        for split, examples in _loaded(self)[1].items():
            for number, begin in enumerate(range(0, len(examples), size)):
                some = examples[begin : begin + size]
                yield Part(split, number, begin + 1, len(some), _digest(some, whole), begin=begin)

    def read(self, part: Part) -> Read:
        """The examples of a part."""
        return Read(_loaded(self)[1][part.split][part.begin : part.begin + part.count])


@lru_cache(1)
def _loaded(source: OfRecipe) -> tuple[Graph, Splits, Sequence[str]]:
    from dglsent.training import recipe as recipes
    from dglsent.training.assemble import load_corpus

    options = recipes.instantiate(recipes.resolve(source.recipe))
    splits = load_corpus(options, source.data)
    return options.graph, splits, options.corpus.labels


def _digest(examples: Iterable[Example], whole: bool) -> str:
    """Hash of all that graphs and gold values are made of; `whole` of what graphs of dglsent do not read, too."""
    sha = hashlib.sha256()
    for example in examples:
        content: list[Any] = [example.id, sorted(example.targets.items()), sorted(example.groups)]
        for sentence in chain.from_iterable((one, *one.parts) for one in example.sentences):
            parses = (sentence.constituency, sentence.dependencies, sentence.unparsed)
            content.append(sentence.labels and list(sentence.labels))
            content += [None if parse is None else (str(parse.origin), _columns(parse, whole)) for parse in parses]
        sha.update(repr(content).encode("utf-8", "surrogatepass"))
    return sha.hexdigest()


def _columns(parse: Constituency | Dependencies | Tagged, whole: bool) -> Any:
    if isinstance(parse, Tagged):
        return list(parse.word), {name: list(column) for name, column in parse.columns.items()}
    if isinstance(parse, Constituency):
        return list(parse.word), list(parse.label), parse.parent.tolist()
    read = list(parse.word), list(parse.relation), list(parse.upos), list(parse.xpos), parse.head.tolist()
    if not whole:
        return read
    return *read, list(parse.lemma), list(parse.feats), list(parse.comments), list(parse.multiword), list(parse.empty)
