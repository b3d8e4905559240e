"""Examples as graphs, and the batches made of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Sampler

from dglsent.corpora.example import Example
from dglsent.passing import Batch, Direction
from dglsent.tasks.task import Targets
from dglsent.training.graphs import GraphKind, build, shape
from dglsent.training.processes import Place
from graphs import fields
from graphs.columns import Sentence
from graphs.errors import InputError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph


@dataclass(eq=False, slots=True)
class GraphSet:
    """M examples of one or two sentences each, ready to be batched.

    Attributes:
        graphs: the graphs of each example's sentences.
        targets: gold values by name, each [M].
        groups: [M] parts of the corpus to which each belongs.
    """

    graphs: list[tuple[SentenceGraph, ...]]
    targets: dict[str, np.ndarray[Any, Any]]
    groups: list[frozenset[str]]

    def __len__(self) -> int:
        return len(self.graphs)

    def batch(self, index: Sequence[int], directions: Iterable[Direction], relations: Iterable[str] = ()) -> Batch:
        """Examples by number as one batch; the sentences of a pair stand side by side."""
        graphs = list(chain.from_iterable(self.graphs[i] for i in index))
        batch = Batch.of(graphs, pairs=len(self.graphs[0]) == 2, directions=directions, relations=relations)
        for name, column in self.targets.items():
            batch.targets[name] = torch.from_numpy(column[list(index)])
        return batch


def shaped(examples: Iterable[Example], kind: GraphKind) -> Iterator[Sentence]:
    """The sentences of some examples, in the form in which their graphs read them."""
    return (shape(kind, sentence) for example in examples for sentence in example.sentences)


def vocabularies_of(
    examples: Iterable[Example], kind: GraphKind, *, lower: bool, min_count: int, fold_digits: bool = False
) -> Vocabularies:
    """The vocabularies of the sentences of some examples."""
    return Vocabularies.of(shaped(examples, kind), lower=lower, min_count=min_count, fold_digits=fold_digits)


def graph_set(
    examples: Sequence[Example],
    kind: GraphKind,
    vocabularies: Vocabularies,
    sentences: int,
    targets: Targets,
    *,
    token_labels: bool = False,
) -> GraphSet:
    """Builds the graphs of examples.

    Args:
        examples: M examples.
        kind: kind of graph.
        vocabularies: what turns strings into ids.
        sentences: sentences of an example that the task wants.
        targets: gold values that the task wants.
        token_labels: whether the task wants gold classes of tokens.

    Raises:
        InputError: an example has another number of sentences, lacks gold values, or cannot be such a graph.
    """
    for example in examples:
        if len(example.sentences) != sentences:
            raise InputError(
                f"example {example.id} has {len(example.sentences)} sentences, the task wants {sentences}; "
                "choose a task that fits the corpus"
            )
        missing = [name for name in targets if name not in example.targets]
        if missing:
            raise InputError(f"example {example.id} has no gold {missing[0]!r}; choose a task that fits the corpus")
    # Only phrases have labels of their own to learn; a "label" of a pair or of a whole sentence is no node's.
    phrases = any(sentence.labels is not None for example in examples for sentence in example.sentences)
    labelled = token_labels or ("label" in targets and phrases)
    graphs = [
        tuple(
            build(kind, shape(kind, sentence), vocabularies, labels=sentence.labels, labelled=labelled)
            for sentence in example.sentences
        )
        for example in examples
    ]
    if token_labels:
        for example, made in zip(examples, graphs, strict=True):
            if any((graph.nodes[fields.LABEL] < 0).all() for graph in made):
                raise InputError(
                    f"example {example.id} has no gold class of any token; choose a task that fits the corpus"
                )
    return GraphSet(
        graphs=graphs,
        targets={
            name: np.array([example.targets[name] for example in examples], dtype=dtype)
            for name, dtype in targets.items()
        },
        groups=[example.groups for example in examples],
    )


class EpochSampler(Sampler[int]):
    """A shuffle that depends on the seed and the epoch alone, so that a resumed run goes on as it would have.

    Args:
        size: number of examples.
        seed: seed of the run.
    """

    def __init__(self, size: int, seed: int) -> None:
        self._size, self._seed, self.epoch = size, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0; Lightning does so before each."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[int]:
        return iter(np.random.default_rng([self._seed, self.epoch]).permutation(self._size).tolist())


class Parts(Sampler[list[int]]):
    """Batches of examples, of each the part that falls to one process.

    Where that is none, it is the first example of the batch, of which `count` and `share` are 0: all processes take
    all steps.

    Args:
        order: numbers of all examples.
        examples: how many there are.
        size: examples of a batch.
        place: the process.

    Attributes:
        sampler: the order. Lightning looks for `set_epoch` under this name, never on a batch sampler itself.
    """

    def __init__(self, order: Iterable[int], examples: int, size: int, place: Place) -> None:
        self.sampler, self._examples, self._size, self._place = order, examples, size, place

    def __len__(self) -> int:
        return -(-self._examples // self._size)

    def __iter__(self) -> Iterator[list[int]]:
        order = list(self.sampler)
        for index in range(len(self)):
            batch = order[index * self._size : (index + 1) * self._size]
            yield [batch[i] for i in self._place.part(len(batch))] or batch[:1]

    def count(self, index: int) -> int:
        """Examples of this part of a batch."""
        return len(self._place.part(self._whole(index)))

    def share(self, index: int) -> float:
        """How much the mean loss of this part of a batch counts."""
        return self._place.share(self._whole(index))

    def _whole(self, index: int) -> int:
        return min(self._size, self._examples - index * self._size)


def loader(
    data: GraphSet,
    size: int,
    directions: Sequence[Direction],
    relations: Sequence[str] = (),
    *,
    seed: int | None = None,
    pin: bool = False,
    workers: int = 0,
    place: Place | None = None,
) -> DataLoader[Any]:
    """Batches of `size` examples with their plans; shuffled in every epoch if there is a seed, else in order.

    With `workers`, so many processes batch and plan beside the training. A `place` among several processes that train
    together leaves of each batch its part.
    """
    order: Iterable[int] = range(len(data)) if seed is None else EpochSampler(len(data), seed)
    return DataLoader(
        range(len(data)),  # type: ignore[arg-type]
        batch_sampler=Parts(order, len(data), size, place or Place()),
        collate_fn=partial(data.batch, directions=directions, relations=relations),
        # Without its own generator a loader draws from the one that dropout uses.
        generator=torch.Generator(),
        pin_memory=pin,
        num_workers=workers,
        persistent_workers=workers > 0,
    )


def by_group(data: GraphSet) -> Mapping[str, list[int]]:
    """The numbers of the examples of each group, groups in order of their names."""
    names = sorted(frozenset().union(*data.groups)) if data.groups else []
    return {name: [i for i, groups in enumerate(data.groups) if name in groups] for name in names}
