"""One relation over the nodes of a batch: its edges, their fields and the plans by which the engines run over them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.rounds import Round, whole_round
from dglsent.passing.schedule import Schedule, schedule
from dglsent.passing.segments import Incidence
from dglsent.passing.views import Fields
from graphs.columns import IntArray

Direction: TypeAlias = Literal["up", "down"]


class Relation:
    """E edges over the N nodes of a batch.

    Attributes:
        size: N.
        edges: edge fields by name, each [E, ...], in the graph's order.
        device: where the index tensors are.
    """

    def __init__(self, size: int, src: IntArray, dst: IntArray, level: IntArray, sentence: IntArray) -> None:
        self.size, self.edges = size, Fields()
        self.device = torch.device("cpu")
        self._ends: tuple[IntArray, IntArray] | None = (src, dst)
        self._level, self._sentence = level, sentence
        self._schedules: dict[Direction, Schedule] = {}
        self._incidences: dict[str, Incidence] = {}
        self._rows: dict[str, Tensor] = {}

    @property
    def ends(self) -> tuple[IntArray, IntArray]:
        """Senders [E] and receivers [E], on the CPU; the edges of one receiver stand in sibling order."""
        assert self._ends is not None
        return self._ends

    def schedule(self, direction: Direction = "up") -> Schedule:
        """The schedule of a propagation, made when first asked for."""
        if direction not in self._schedules:
            src, dst = self.ends
            level = self._level
            if not np.all(level[src] > level[dst]):
                raise ValueError("a propagation runs over trees, chains and other acyclic graphs; this one has cycles")
            if direction == "up":
                made = schedule(self.size, src, dst, level)
            elif direction == "down":
                # Counted within each sentence, so that a chain is a chain backwards too and ends at level 0.
                top = np.zeros(int(self._sentence[-1]) + 1, dtype=np.int64)
                np.maximum.at(top, self._sentence, level)
                alone = np.ones(self.size, dtype=bool)
                alone[src] = alone[dst] = False
                made = schedule(self.size, dst, src, np.where(alone, 0, top[self._sentence] - level))
            else:
                raise ValueError(f"direction is 'up' or 'down', not {direction!r}")
            self._schedules[direction] = made.to(self.device)
        return self._schedules[direction]

    def plan(self, directions: Iterable[Direction]) -> None:
        """Make the schedules of some directions now."""
        for direction in directions:
            self.schedule(direction)

    def incidence(self, end: Literal["src", "dst"]) -> Incidence:
        """Incidence of the edges, in the graph's order, on their senders or receivers."""
        if end not in self._incidences:
            nodes = self.nodes(end)
            ordered, order = nodes.sort(stable=True)
            rows = torch.arange(self.size + 1, device=self.device)
            self._incidences[end] = Incidence(nodes, order, torch.searchsorted(ordered, rows))
        return self._incidences[end]

    def nodes(self, end: Literal["src", "dst"]) -> Tensor:
        """[E] senders or receivers of the edges, where the index tensors are."""
        if end not in self._rows:
            self._rows[end] = torch.from_numpy(self.ends[end == "dst"]).to(self.device)
        return self._rows[end]

    @cached_property
    def whole(self) -> Round:
        """One round over all edges, for reduce functions with mailboxes."""
        return whole_round(self.size, self.ends[1], self.device)

    @cached_property
    def graph(self) -> Any:
        """This relation alone as a DGLGraph without fields, on the CPU."""
        from graphs.door import dgl

        src, dst = (torch.from_numpy(end) for end in self.ends)
        return dgl.graph((src, dst), num_nodes=self.size)

    @cached_property
    def reversed_graph(self) -> Any:
        """The same with every edge turned round, edges in the same order."""
        from graphs.door import dgl

        src, dst = (torch.from_numpy(end) for end in self.ends)
        return dgl.graph((dst, src), num_nodes=self.size)

    def to(self, device: torch.device | str, non_blocking: bool = False) -> None:
        """Move fields and index tensors."""
        self.device = torch.device(device)
        for name in self.edges:
            self.edges[name] = self.edges[name].to(device, non_blocking=non_blocking)
        self._schedules = {key: made.to(device, non_blocking) for key, made in self._schedules.items()}
        self._incidences, self._rows = {}, {}
        self.__dict__.pop("whole", None)

    def pin_memory(self) -> None:
        """Pin fields and index tensors."""
        for name in self.edges:
            self.edges[name] = self.edges[name].pin_memory()
        self._schedules = {key: made.pin_memory() for key, made in self._schedules.items()}


def token_order(position: IntArray, sentence: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The relation from each word of a sentence to the next.

    Args:
        position: [N] index of each node's token, -1 at phrases.
        sentence: [N] sentence of each node.

    Returns:
        Senders, receivers and the [N] level of each node: words that follow it, 0 at phrases.
    """
    words = np.flatnonzero(position >= 0)
    words = words[np.lexsort((position[words], sentence[words]))]
    neighbours = sentence[words[1:]] == sentence[words[:-1]]
    level = np.zeros(len(position), dtype=np.int64)
    last = np.bincount(sentence[words]).cumsum() - 1  # place of each sentence's last word among all words
    level[words] = last[sentence[words]] - np.arange(len(words))
    return words[:-1][neighbours], words[1:][neighbours], level


def preceding_order(position: IntArray, sentence: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The relation from each word of a sentence to every later one.

    Returns:
        Senders, receivers (the edges of one receiver from left to right) and the [N] level of each node: the first
        words of all sentences have the same, so that words of one step hear from equally many; 0 at phrases.
    """
    words = np.flatnonzero(position >= 0)
    words = words[np.lexsort((position[words], sentence[words]))]
    count = np.bincount(sentence[words])
    place = np.arange(len(words)) - np.repeat(np.cumsum(count) - count, count)
    level = np.zeros(len(position), dtype=np.int64)
    level[words] = place.max(initial=0) - place
    receiver = np.repeat(np.arange(len(words)), place)
    sender = np.arange(len(receiver)) - np.repeat(np.cumsum(place) - place, place) + (receiver - place[receiver])
    return words[sender], words[receiver], level


def neighbour_order(src: IntArray, dst: IntArray, size: int) -> tuple[IntArray, IntArray]:
    """Senders and receivers of edges both ways along src -> dst, and from each of `size` nodes to itself."""
    node = np.arange(size)
    return np.concatenate([src, dst, node]), np.concatenate([dst, src, node])
