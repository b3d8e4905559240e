"""One sentence's graph in columns; builders make it, batching merges many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from graphs import fields, topology
from graphs.columns import NUMBERS, IntArray
from graphs.errors import Origin, SentenceError


@dataclass(eq=False, slots=True)
class SentenceGraph:
    """One sentence's graph, still in columns: N nodes, E edges child -> parent.

    Attributes:
        size: N.
        src: [E] senders.
        dst: [E] receivers.
        nodes: node fields by name, each [N, ...].
        edges: edge fields by name, each [E, ...].
        level: [N] edges on the longest path from each node to one that sends to none, in a tree its root; all 0 in a
            graph with cycles.
        origin: where the sentence was read.
        pairwise: fields of every two nodes, each [N^2]: of receiver i and sender j at i N + j.

    Raises:
        SentenceError: `size` is no whole number from 1; a column is no array of numbers, or of another length; ends or
            levels have not one dimension.
    """

    size: int
    src: IntArray
    dst: IntArray
    nodes: dict[str, npt.NDArray[Any]]
    edges: dict[str, npt.NDArray[Any]]
    level: IntArray
    origin: Origin = field(default_factory=Origin)
    pairwise: dict[str, IntArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        wrong = self._misfit()
        if wrong:
            raise SentenceError(wrong, self.origin)

    def _misfit(self) -> str:
        """The first column that is no array of numbers, or of another length; every graph is asked, so it is cheap."""
        if not isinstance(self.size, int | np.integer):
            return f"size is {self.size!r}; give the number of nodes"
        if self.size < 1:
            return f"size is {self.size}; a graph has a node at least"
        size, edges = self.size, self.src.size if isinstance(self.src, np.ndarray) else 0
        for kind, columns, dtypes, of, wanted in (
            ("", {"src": self.src, "dst": self.dst}, "iu", "edges", edges),
            ("", {"level": self.level}, "iu", "nodes", size),
            ("node field ", self.nodes, NUMBERS, "nodes", size),
            ("edge field ", self.edges, NUMBERS, "edges", edges),
            ("pairwise ", self.pairwise, NUMBERS, "pairs", size * size),
        ):
            for name, column in columns.items():
                known = isinstance(column, np.ndarray) and column.dtype.kind in dtypes and of_torch(column.dtype)
                rows = known and (column.ndim == 1 or (column.ndim > 1 and kind))  # ends and levels are single numbers
                if rows and len(column) == wanted:
                    continue
                what = f"{kind}{name!r}" if kind else name
                if not isinstance(column, np.ndarray):
                    return f"{what} is of type {type(column).__name__}; give a NumPy array"
                if column.dtype.kind not in dtypes:
                    return f"{what} is an array of {column.dtype}; give {'whole ' if dtypes == 'iu' else ''}numbers"
                if not known:
                    return f"{what} is an array of {column.dtype}, which torch does not know; give another, as float32"
                if not rows:
                    return f"{what} has the shape {list(column.shape)}; give one number for each of its {of}"
                return f"{what} has {len(column)} entries for its {of}, which are {wanted}"
        return ""

    def fault(self) -> str:
        """What is wrong with the columns, the numbers of nodes in them too; "" if nothing is."""
        wrong = self._misfit()
        if wrong:
            return wrong
        for name, ends in (("src", self.src), ("dst", self.dst)):
            if len(ends) and not 0 <= ends.min() <= ends.max() < self.size:
                return f"{name} has numbers from {ends.min()} to {ends.max()}, and its nodes are 0 to {self.size - 1}"
        if self.level.any():
            falls = (self.level[self.src] > self.level[self.dst]).all()
            if not falls or (self.level != topology.levels(self.size, self.src, self.dst)).any():
                return "level is not the longest way of each node to one that sends to none, or 0 everywhere"
        return ""

    def listed(self) -> SentenceGraph:
        """This graph with all its edges in `src` and `dst`; another one only where some are not listed there."""
        return self

    def _repr_svg_(self) -> str:
        """Draws the graph with its ids, in notebooks; `graph_svg` does with words."""
        from graphs.drawing import graph_svg

        return graph_svg(self)

    def dgl(self) -> Any:
        """This sentence alone as a DGLGraph with its fields and `sentence`, which is 0; a copy of the columns.

        Raises:
            SentenceError: a column was set to what is no array of numbers, or of another length.
            DGLUnavailableError: DGL is not installed, or does not load.
        """
        wrong = self._misfit()
        if wrong:
            raise SentenceError(wrong, self.origin)
        import torch

        from graphs.door import dgl

        listed = self.listed()
        # Columns may share memory with each other: the edges of a chain are its positions.
        ends = (torch.from_numpy(column.astype(np.int64)) for column in (listed.src, listed.dst))
        made = dgl.graph(tuple(ends), num_nodes=self.size)
        for name, column in {**listed.nodes, fields.SENTENCE: np.zeros(self.size, dtype=np.int64)}.items():
            made.ndata[name] = torch.from_numpy(np.array(column))
        for name, column in listed.edges.items():
            made.edata[name] = torch.from_numpy(np.array(column))
        return made


def of_torch(dtype: np.dtype[Any]) -> bool:
    """Whether torch knows numbers of this type: not those of another machine's byte order, nor long doubles."""
    return dtype.isnative and dtype.itemsize <= 8
