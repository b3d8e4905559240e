"""The order in which an epoch meets the examples, and of each batch the part that falls to a process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from torch.utils.data import Sampler

from dglsent.training.processes import Place
from graphs.columns import IntArray


class EpochSampler(Sampler[int]):
    """A shuffle that depends on the seed and the epoch alone, so that a resumed run goes on as it would have.

    Args:
        size: number of examples.
        seed: seed of the run.
        buckets: examples of about one length share a batch; without, batches are of any lengths.

    Attributes:
        epoch: the epoch of the next order, from 0.
        drawn: the epoch of the last one that somebody asked for; None before.
    """

    def __init__(self, size: int, seed: int, buckets: Buckets | None = None) -> None:
        self._size, self._seed, self._buckets, self.epoch = size, seed, buckets, 0
        self.drawn: int | None = None

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, from 0; Lightning does so before each."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[int]:
        self.drawn = self.epoch
        generator = np.random.default_rng([self._seed, self.epoch])
        order = generator.permutation(self._size)
        return iter((self._buckets.sorted(order, generator) if self._buckets else order).tolist())


@dataclass(frozen=True, eq=False, slots=True)
class Buckets:
    """How batches are made of examples of about one length: `batches` of them at a time are sorted by length.

    Attributes:
        lengths: [M] nodes of each example.
        size: examples of a batch.
        batches: batches of a bucket.
    """

    lengths: IntArray
    size: int
    batches: int

    def sorted(self, order: IntArray, generator: np.random.Generator) -> IntArray:
        """A shuffled order [M], bucket by bucket by length, whose batches are then shuffled."""
        width = self.size * self.batches
        buckets = [order[begin : begin + width] for begin in range(0, len(order), width)]
        by_length = np.concatenate([one[np.argsort(self.lengths[one], kind="stable")] for one in buckets])
        batches = np.split(by_length, range(self.size, len(order), self.size))
        whole = [batch for batch in batches if len(batch) == self.size]
        # The batch that is not full stays last: batches are cut from the order one after the other.
        shuffled = [whole[number] for number in generator.permutation(len(whole))]
        return np.concatenate([*shuffled, *batches[len(whole) :]])


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
