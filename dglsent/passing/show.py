"""A batch as HTML, for notebooks: what is in it, and the graphs of its first sentences."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from torch import Tensor

from graphs.batching import MergedGraphs
from graphs.drawing import graph_svg
from graphs.errors import counted
from graphs.sentence_graph import SentenceGraph

if TYPE_CHECKING:
    from dglsent.passing.batch import Batch

_DRAWN = 2  # sentences
_LARGEST = 60  # nodes of one


def html(batch: Batch, merged: MergedGraphs) -> str:
    """Sizes, fields and drawings of a batch."""
    what = f"{counted(batch.size // 2, 'pair')} of sentences" if batch.pairs else counted(batch.size, "sentence")
    lines = [f"nodes: {_fields(batch.nodes)}"]
    lines += [f"edges of {name}: {_fields(batch.relation(name).edges)}" for name in batch.made]
    if batch.targets:
        lines.append(f"targets: {_fields(batch.targets)}")
    listed = "".join(f"<li>{escape(line)}</li>" for line in lines)
    drawn = "".join(
        f"<div>{graph_svg(graph)}</div>"
        for graph in (_sentence(merged, number) for number in range(min(batch.size, _DRAWN)))
        if len(graph.src) and graph.size <= _LARGEST
    )
    return f"<div><b>{what}, {batch.num_nodes} nodes</b><ul>{listed}</ul>{drawn}</div>"


def _fields(fields: Mapping[str, Tensor]) -> str:
    return ", ".join(f"{name} {list(value.shape)}" for name, value in fields.items()) or "no fields"


def _sentence(merged: MergedGraphs, number: int) -> SentenceGraph:
    """The graph of one sentence, with the edges of child."""
    first, end = (int(merged.node_counts[:place].sum()) for place in (number, number + 1))
    kept = np.flatnonzero((merged.dst >= first) & (merged.dst < end))
    return SentenceGraph(
        size=end - first,
        src=merged.src[kept] - first,
        dst=merged.dst[kept] - first,
        nodes={name: column[first:end] for name, column in merged.nodes.items()},
        edges={name: column[kept] for name, column in merged.edges.items()},
        level=merged.level[first:end],
    )
