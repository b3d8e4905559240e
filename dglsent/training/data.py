"""Examples as graphs, and the batches made of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
import torch
from torch.utils.data import DataLoader

from dglsent.corpora.corpus import Splits
from dglsent.corpora.example import Example
from dglsent.passing import Batch, Direction, Use
from dglsent.tasks.task import Targets, Task, no_gold
from dglsent.training.graphs import Graph, build, gold_classes, shape
from dglsent.training.order import Buckets, EpochSampler, Parts
from dglsent.training.processes import Place, end_with_parent
from dglsent.training.stored import StoredSet
from graphs import fields
from graphs.columns import IntArray, Sentence
from graphs.errors import SentenceError
from graphs.features import Vocabularies
from graphs.sentence_graph import SentenceGraph
from graphs.token_vectors import TokenVectors, with_vectors

_REMEDIES = {  # for pairs, where the corpus could give another gold value or the task want one
    "label": ", set --task.target to one that it has, or leave out --corpus.score of LabelledPairs",
    "score": ", or name the column of the scores with --corpus.score of LabelledPairs",
}


@dataclass(eq=False, slots=True)
class GraphSet:
    """M examples of one or two sentences each, ready to be batched.

    Attributes:
        graphs: the graphs of each example's sentences.
        targets: gold values by name, each [M].
        groups: [M] parts of the corpus to which each belongs.
        vectors: of the tokens, which batches get from there; None where words have their own.
        keys: where there are vectors, under which key those of each sentence stand.
    """

    graphs: list[tuple[SentenceGraph, ...]]
    targets: dict[str, np.ndarray[Any, Any]]
    groups: list[frozenset[str]]
    vectors: TokenVectors | None = None
    keys: Sequence[tuple[str, ...]] = ()

    def __len__(self) -> int:
        return len(self.graphs)

    def batch(self, index: Sequence[int], directions: Iterable[Direction], relations: Iterable[Use] = ()) -> Batch:
        """Examples by number as one batch; the sentences of a pair stand side by side."""
        graphs = list(chain.from_iterable(self.graphs[i] for i in index))
        if self.vectors is not None:
            keys = chain.from_iterable(self.keys[i] for i in index)
            graphs = [with_vectors(graph, self.vectors[key]) for graph, key in zip(graphs, keys, strict=True)]
        batch = Batch.of(graphs, pairs=len(self.graphs[0]) == 2, directions=directions, relations=relations)
        for name, column in self.targets.items():
            batch.targets[name] = torch.from_numpy(column[list(index)])
        return batch

    @property
    def lengths(self) -> IntArray:
        """[M] nodes of each example."""
        return np.array([sum(graph.size for graph in graphs) for graphs in self.graphs], dtype=np.int64)

    def by_group(self) -> dict[str, list[int]]:
        """The numbers of the examples of each group, groups in order of their names."""
        names = sorted(frozenset().union(*self.groups)) if self.groups else []
        return {name: [i for i, groups in enumerate(self.groups) if name in groups] for name in names}


Examples: TypeAlias = GraphSet | StoredSet


def shaped(examples: Iterable[Example], kind: Graph) -> Iterator[Sentence]:
    """The sentences of some examples, in the form in which their graphs read them."""
    return (shape(kind, sentence) for example in examples for sentence in example.sentences)


def graph_set(
    examples: Sequence[Example],
    kind: Graph,
    vocabularies: Vocabularies,
    sentences: int,
    targets: Targets,
    *,
    token_labels: bool = False,
    vectors: TokenVectors | None = None,
) -> GraphSet:
    """Builds the graphs of examples.

    Args:
        examples: M examples.
        kind: kind of graph.
        vocabularies: what turns strings into ids.
        sentences: sentences of an example that the task wants.
        targets: gold values that the task wants.
        token_labels: whether the task wants gold classes of tokens.
        vectors: of the tokens; None where words have their own.

    Raises:
        SentenceError: an example has another number of sentences, lacks gold values or vectors, has gold values that
            are no numbers, or cannot be such a graph.
    """
    for example in examples:
        if len(example.sentences) != sentences:
            what = f"has {len(example.sentences)} sentences, the task wants {sentences}"
            raise _unfit(example, f"{what}; choose a task that fits the corpus")
        missing = [name for name in targets if name not in example.targets]
        if missing:
            hint = _REMEDIES.get(missing[0], "")
            raise _unfit(example, f"has {no_gold(missing[0], example.targets)}{hint}")
    # Only phrases have labels of their own to learn; a "label" of a pair or of a whole sentence is no node's.
    phrases = any(sentence.labels is not None for example in examples for sentence in example.sentences)
    labelled = token_labels or ("label" in targets and phrases)
    graphs = [
        tuple(
            build(kind, shape(kind, sentence), vocabularies, labels=gold_classes(kind, sentence), labelled=labelled)
            for sentence in example.sentences
        )
        for example in examples
    ]
    if token_labels:
        for example, made in zip(examples, graphs, strict=True):
            if any((graph.nodes[fields.LABEL] < 0).all() for graph in made):
                raise _unfit(
                    example,
                    "has no gold class of any token; give one a class, leave the sentence out, or choose a task that "
                    "fits the corpus",
                )
    return GraphSet(
        graphs=graphs,
        targets={name: _gold(examples, name, dtype) for name, dtype in targets.items()},
        groups=[example.groups for example in examples],
        vectors=vectors,
        keys=[]
        if vectors is None
        else [tuple(vectors.check(shape(kind, one)) for one in example.sentences) for example in examples],
    )


def _gold(examples: Sequence[Example], name: str, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """[M] gold values, of which NumPy would cut fractions off and read text as numbers."""
    values = [example.targets[name] for example in examples]
    for example, value in zip(examples, values, strict=True):
        whole = "" if dtype.kind == "f" else "whole "
        if not isinstance(value, Real) or not math.isfinite(value) or (whole and value != int(value)):
            raise _unfit(example, f"has {value!r} as its gold {name!r}, where a {whole}number is wanted")
    return np.array(values, dtype=dtype)


def _unfit(example: Example, what: str) -> SentenceError:
    """What is wrong with an example, which may have no name, and where its first sentence stands."""
    name = f"example {example.id}" if example.id else "an example"
    return SentenceError(f"{name} {what}", example.sentences[0].origin if example.sentences else None)


def graph_sets(
    splits: Splits, kind: Graph, vectors: TokenVectors | None, vocabularies: Vocabularies, task: Task
) -> dict[str, GraphSet]:
    """The graphs of the examples of all splits, with what the task wants."""
    return {
        name: graph_set(
            examples,
            kind,
            vocabularies,
            task.sentences,
            task.targets,
            token_labels=task.token_labels,
            vectors=vectors,
        )
        for name, examples in splits.items()
    }


def loader(
    data: Examples,
    size: int,
    directions: Sequence[Direction],
    relations: Sequence[Use] = (),
    *,
    seed: int | None = None,
    pin: bool = False,
    workers: int = 0,
    bucket: int = 0,
    place: Place | None = None,
) -> DataLoader[Any]:
    """Batches of `size` examples with their plans; shuffled in every epoch if there is a seed, else in order.

    Args:
        data: the examples.
        size: examples of a batch.
        directions: those in which the encoder propagates along `child`, see `Encoder`.
        relations: further relations that it uses, see `Encoder`.
        seed: seed of the shuffles; None for the order of the examples.
        pin: whether batches lie in pinned memory, from which a GPU copies faster.
        workers: processes that batch and plan beside the training.
        bucket: sort by length the examples of so many batches, so that those of a batch are of about one length; 0 for
            batches of any lengths.
        place: that of this process among several that train together, which leaves of each batch its part.
    """
    buckets = Buckets(data.lengths, size, bucket) if bucket else None
    order: Iterable[int] = range(len(data)) if seed is None else EpochSampler(len(data), seed, buckets)
    return DataLoader(
        range(len(data)),  # type: ignore[arg-type]
        batch_sampler=Parts(order, len(data), size, place or Place()),
        collate_fn=partial(data.batch, directions=directions, relations=relations),
        # Without its own generator a loader draws from the one that dropout uses.
        generator=torch.Generator(),
        pin_memory=pin,
        num_workers=workers,
        persistent_workers=workers > 0,
        # Of a process that was killed they would wait for ever for somebody to take what they have made.
        worker_init_fn=end_with_parent,
    )
