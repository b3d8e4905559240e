"""One sentence's graph in columns; builders make it, batching merges many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from graphs import fields
from graphs.columns import IntArray
from graphs.errors import Origin


@dataclass(eq=False, slots=True)
class SentenceGraph:
    """One sentence's graph, still in columns: N nodes, E edges child -> parent.

    Attributes:
        size: N.
        src: [E] senders.
        dst: [E] receivers.
        nodes: node fields by name, each [N, ...].
        edges: edge fields by name, each [E, ...].
        level: [N] steps from each node to its root (the longest path to a sink).
        origin: where the sentence was read.
        pairwise: fields of every two nodes, each [N N]: of receiver i and sender j at i N + j.
    """

    size: int
    src: IntArray
    dst: IntArray
    nodes: dict[str, npt.NDArray[Any]]
    edges: dict[str, npt.NDArray[Any]]
    level: IntArray
    origin: Origin = field(default_factory=Origin)
    pairwise: dict[str, IntArray] = field(default_factory=dict)

    def listed(self) -> SentenceGraph:
        """This graph with all its edges in `src` and `dst`; another one only where some are not listed there."""
        return self

    def _repr_svg_(self) -> str:
        """Draws the graph with its ids, in notebooks; `graph_svg` does with words."""
        from graphs.drawing import graph_svg

        return graph_svg(self)

    def dgl(self) -> Any:
        """This sentence alone as a DGLGraph with its fields and `sentence`, which is 0."""
        import torch

        from graphs.door import dgl

        listed = self.listed()
        made = dgl.graph((torch.from_numpy(listed.src), torch.from_numpy(listed.dst)), num_nodes=self.size)
        for name, column in {**listed.nodes, fields.SENTENCE: np.zeros(self.size, dtype=np.int64)}.items():
            made.ndata[name] = torch.from_numpy(column)
        for name, column in listed.edges.items():
            made.edata[name] = torch.from_numpy(column)
        return made
