"""Sentences in which every node sends to every node of one sentence: no edge needs to be listed.

The nodes of S sentences are padded to [S, m], m the nodes of the longest, and messages between all of two sentences
are products of padded tensors; sentences of about one length share one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence, incidence_in_order, inverse
from dglsent.passing.plans.on_device import lasting, on_device
from graphs.columns import IntArray
from graphs.ranges import ranges, starts

_FEW_CELLS = 2**12  # fewer are one block: padding costs less than another block
_SHORTER = 4 / 3  # how many times shorter are the sentences of the next block
_BLOCKS = 5


@dataclass(eq=False)
class Padding:
    """N nodes of S sentences, padded to S rows of m places.

    Attributes:
        width: m.
        node: [S m] node at each place, the first of the sentence where there is none.
        place: [N] place of each node.
        real: [S, m] whether there is a node.
        sources: [S] sentence whose nodes send to those of each sentence.
        sentences: incidence of the N nodes on the S sentences.
        fill: share of the [S, m, m] cells that stand for an edge.
    """

    width: int
    node: Tensor
    place: Tensor
    real: Tensor
    sources: Tensor
    sentences: Incidence
    fill: float

    @property
    def cells(self) -> int:
        """S m m."""
        return self.real.numel() * self.width

    @cached_property
    @lasting
    def mask(self) -> Tensor:
        """[S, m] whether a node of each sentence's source stands at a place."""
        return self.real.index_select(0, self.sources)


def pad_sentences(counts: IntArray, sources: IntArray, device: torch.device) -> Padding:
    """The padding of S sentences of counts [S] nodes, each of which hears from one of sources [S]."""
    width, size = int(counts.max()), int(counts.sum())
    first, place = starts(counts), ranges(np.arange(len(counts)) * width, counts)
    # Not another's first node: what is not finite would come to this sentence, for 0 times infinity is NaN.
    node = np.repeat(first, width)
    node[place] = np.arange(size)
    real = np.zeros(len(counts) * width, dtype=bool)
    real[place] = True

    tensor = partial(on_device, device=device)
    sentences = incidence_in_order(tensor(np.repeat(np.arange(len(counts)), counts)), len(counts))
    fill = float((counts * counts[sources]).sum()) / (len(counts) * width * width)
    return Padding(width, tensor(node), tensor(place), tensor(real).view(-1, width), tensor(sources), sentences, fill)


@dataclass(eq=False)
class Blocks:
    """Blocks of sentences of about one length, each padded by itself, so that little of them is padding.

    Attributes:
        paddings: one a block, the longest sentences first.
        sizes: nodes of each block.
        order: [N] the nodes, block by block.
        inverse: [N] place of each node there.
        start: [N] where the cells of each receiver start among the [S, m, m] of all blocks.
        fill: share of all cells that stand for an edge.
    """

    paddings: list[Padding]
    sizes: list[int]
    order: Tensor
    inverse: Tensor
    start: Tensor
    fill: float

    @property
    def cells(self) -> list[int]:
        """S m m of each block."""
        return [padding.cells for padding in self.paddings]


def into_blocks(counts: IntArray, sources: IntArray, device: torch.device) -> Blocks:
    """Blocks of all sentences; one that hears another, which hears it in turn, is in the other's block."""
    block = _block(np.maximum(counts, counts[sources]))
    sentence = np.argsort(block, kind="stable")
    rank = inverse(sentence)
    order = ranges(starts(counts)[sentence], counts[sentence])
    paddings, sizes, at, seen, cells = [], [], [], 0, 0
    for members in np.split(sentence, np.flatnonzero(np.diff(block[sentence])) + 1):
        padding = pad_sentences(counts[members], rank[sources[members]] - seen, device)
        paddings.append(padding)
        sizes.append(int(counts[members].sum()))
        at.append(cells + padding.place * padding.width)
        seen += len(members)
        cells += padding.cells
    place = on_device(inverse(order), device)
    fill = float((counts * counts[sources]).sum()) / cells
    start = torch.cat(at).index_select(0, place)
    return Blocks(paddings, sizes, on_device(order, device), place, start, fill)


def edges_of_cells(cell: Tensor, paddings: Sequence[Padding]) -> Tensor:
    """[C] the edge at each padded cell; where there is none, one of the same sentence.

    Not another's: what is not finite would come to this sentence.

    Args:
        cell: [E] place of each edge among the C cells.
        paddings: of blocks whose S m m cells follow one another.
    """
    edge = cell.new_zeros(sum(padding.cells for padding in paddings))
    edge.index_copy_(0, cell, torch.arange(len(cell), device=cell.device))
    parts = []
    for padding, part in zip(paddings, edge.split([padding.cells for padding in paddings]), strict=True):
        square = part.view(-1, padding.width, padding.width)
        square = torch.where(padding.real.unsqueeze(2), square, square[:, :1])
        parts.append(torch.where(padding.mask.unsqueeze(1), square, square[:, :, :1]).flatten())
    return torch.cat(parts)


def _block(length: IntArray) -> IntArray:
    """[S] block of each sentence, by its length [S]."""
    if len(length) * int(length.max()) ** 2 <= _FEW_CELLS:
        return np.zeros(len(length), dtype=np.int64)
    block = np.minimum(np.floor(np.log(length.max() / length) / np.log(_SHORTER)), _BLOCKS - 1).astype(np.int64)
    return np.unique(block, return_inverse=True)[1]
