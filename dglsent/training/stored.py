"""Examples that lie in a store, batched straight from its columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from dglsent.passing import Batch, Direction, Use
from dglsent.tasks.task import Targets, Task, no_gold
from dglsent.training.graphs import Graph, OwnGraph
from graphs import fields
from graphs.columns import IntArray
from graphs.cooccurrence import Cooccurrence
from graphs.errors import InputError
from graphs.features import SPECIAL, Vocabularies, Vocabulary
from graphs.store import Reading, Store, StoredSentences
from graphs.store_shard import AGAIN, ENCODED, PAIR_RELATION, Shard

_LABEL = f"node.{fields.LABEL}"


class StoredSet:
    """M examples of one or two sentences each; a `GraphSet` that keeps nothing of them but their sizes.

    Args:
        stored: the sentences.
        readings: of each shard.
        sentences: how many an example has.
        targets: gold values by name, each [M].
        without: node fields that the task does not want.
        cooccurrence: of words, where graphs have the field `pmi`.
    """

    def __init__(
        self,
        stored: StoredSentences,
        readings: Sequence[Reading],
        sentences: int,
        targets: dict[str, np.ndarray[Any, Any]],
        without: Sequence[str],
        cooccurrence: Cooccurrence | None,
    ) -> None:
        self._stored, self._readings, self._sentences = stored, readings, sentences
        self.targets, self._without, self._cooccurrence = targets, without, cooccurrence

    def __len__(self) -> int:
        return len(self._stored) // self._sentences

    @property
    def lengths(self) -> IntArray:
        """[M] nodes of each example."""
        return self._stored.node_counts.reshape(-1, self._sentences).sum(1)

    def batch(self, index: Sequence[int], directions: Iterable[Direction], relations: Iterable[Use] = ()) -> Batch:
        """Examples by number as one batch; the sentences of a pair stand side by side."""
        examples = np.asarray(index, dtype=np.int64)
        rows = (examples[:, None] * self._sentences + np.arange(self._sentences)).ravel()
        merged = self._stored.merge(rows, self._readings, without=self._without)
        if self._cooccurrence is not None:
            ends = np.cumsum(merged.node_counts)[:-1]
            words = np.split(merged.nodes[fields.WORD], ends)
            near = [self._cooccurrence.bucket(word[:, None], word).ravel() for word in words]
            merged.pairwise[fields.PMI] = np.concatenate(near)
        batch = Batch.of(merged, pairs=self._sentences == 2, directions=directions, relations=relations)
        for name, column in self.targets.items():
            batch.targets[name] = torch.from_numpy(column[examples])
        return batch

    def by_group(self) -> dict[str, list[int]]:
        """The numbers of the examples of each group, groups in order of their names."""
        found: dict[str, list[int]] = {}
        for row, names in enumerate(self._stored.texts("groups")):
            if row % self._sentences == 0:
                for name in names:
                    found.setdefault(name, []).append(row // self._sentences)
        return dict(sorted(found.items()))


def stored_sets(store: Store, kind: Graph, vocabularies: Vocabularies, task: Task) -> dict[str, StoredSet]:
    """The examples of the splits of a store.

    Args:
        store: the store.
        kind: the graphs that the model reads.
        vocabularies: those of the model; the ids of the store are turned into theirs when a batch is made.
        task: what the examples are for.

    Raises:
        InputError: the graphs are of another kind, or the store lacks what the task wants.
    """
    about = store.manifest
    if about["graph"] != str(kind):
        how = (
            "of the recipe: `dglsent build STORE --recipe RECIPE`"
            if isinstance(kind, OwnGraph)
            else f"with --graph {kind}"
        )
        raise InputError(
            f"{store.path}: holds graphs of kind {about['graph']}, the model reads {kind}; build another store {how}"
        )
    if about["sentences"] != task.sentences:
        raise InputError(
            f"{store.path}: its examples have {about['sentences']} sentences, the task wants {task.sentences}; "
            "choose a task that fits the corpus"
        )
    return {
        split: _stored_set(f"{store.path}: split {split}", stored, about, vocabularies, task)
        for split, stored in store.splits.items()
    }


def _stored_set(
    name: str, stored: StoredSentences, about: Mapping[str, Any], vocabularies: Vocabularies, task: Task
) -> StoredSet:
    has = stored.shards[0].names("target")
    missing = [target for target in task.targets if target not in has]
    if missing:
        hint = f", or if the store is of tables build it again and name the column with --columns {missing[0]}=COLUMN"
        raise InputError(f"{name} has {no_gold(missing[0], has)}{hint if missing[0] in ('label', 'score') else ''}")
    readings = [_reading(shard, about["labels"], vocabularies) for shard in stored.shards]
    if task.token_labels:
        _require_labels(name, stored)
    return StoredSet(
        stored,
        readings,
        task.sentences,
        _targets(name, stored, readings, task.targets, task.sentences),
        () if task.token_labels or "label" in task.targets else (fields.LABEL,),
        vocabularies.cooccurrence if about["graph"] == "complete" else None,
    )


def _reading(shard: Shard, labels: Sequence[str] | None, vocabularies: Vocabularies) -> Reading:
    ids: dict[str, IntArray] = {}
    rows: dict[str, IntArray] = {}
    for column, which in ENCODED.items():
        if column in shard.schema:
            ids[column] = _new_ids(shard.strings(column), getattr(vocabularies, which))
    if PAIR_RELATION in shard.schema:
        strings = shard.strings(PAIR_RELATION)
        new = _new_ids(strings[: len(strings) // 2 - 1], vocabularies.relation)
        size = len(vocabularies.relation)
        ids[PAIR_RELATION] = np.concatenate([new, size + new, [2 * size, 2 * size + 1]])
    if vocabularies.spelling:
        words = shard.strings(f"node.{fields.WORD}")[len(SPECIAL) :]
        rows = vocabularies.spelling.node_fields([*[None] * len(SPECIAL), *words])
    classes = shard.classes(labels) if labels else None
    if classes is not None:
        for column in sorted({_LABEL, "target.label"} & shard.schema.keys()):
            _require_among(shard, column, len(classes) - 1)
            ids[column] = classes
    return Reading(ids, rows)


def _require_among(shard: Shard, column: str, classes: int) -> None:
    """InputError if a column has numbers that are neither those of classes nor -1."""
    numbers = shard.values(column)
    if len(numbers) and not -1 <= numbers.min() <= numbers.max() < classes:
        raise InputError(
            f"{shard.path}: its column {column!r} has classes from {numbers.min()} to {numbers.max()}, and the "
            f"store has 0 to {classes - 1}; {AGAIN}"
        )


def _new_ids(strings: Sequence[str], vocabulary: Vocabulary) -> IntArray:
    return np.concatenate([np.arange(len(SPECIAL)), vocabulary.ids(strings[len(SPECIAL) :])])


def _targets(
    where: str, stored: StoredSentences, readings: Sequence[Reading], wanted: Targets, sentences: int
) -> dict[str, np.ndarray[Any, Any]]:
    targets = {}
    for name, dtype in wanted.items():
        columns = []
        for shard, reading in zip(stored.shards, readings, strict=True):
            values, new = shard.values(f"target.{name}"), reading.ids.get(f"target.{name}")
            columns.append(values if new is None else new[values])
        column = np.concatenate(columns)[::sentences]
        whole = dtype.kind != "f"
        wrong = ~np.isfinite(column) | (whole & (column != np.trunc(column)))
        if wrong.any():
            number = int(np.argmax(wrong))
            raise InputError(
                f"{where}: the gold {name!r} of example {number + 1} is {column[number]}, where a "
                f"{'whole ' * whole}number is wanted; correct the corpus, and build the store again"
            )
        targets[name] = column.astype(dtype)
    return targets


def _require_labels(name: str, stored: StoredSentences) -> None:
    """InputError if a sentence has no gold class of any token."""
    for shard in stored.shards:
        if _LABEL not in shard.schema:
            raise InputError(f"{name} has no gold classes of tokens; choose a task that fits the corpus")
        best = np.maximum.reduceat(shard.values(_LABEL), shard.offsets(_LABEL)[:-1])
        if (best < 0).any():
            example = shard.texts("example")[int(np.argmin(best))]
            raise InputError(
                f"example {example} has no gold class of any token; give one a class or leave the sentence out, and "
                "build the store again, or choose a task that fits the corpus"
            )
