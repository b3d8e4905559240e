"""Finding what is not a number in what a model shows and says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor

from dglsent.analysis.rows import Shown
from dglsent.passing import Batch
from graphs import fields

REMEDY = "the run's weights or its vectors hold nan or infinity; look for it there, or train the run again"


def not_finite(batch: Batch, states: Tensor, said: Sequence[Mapping[str, Any]], shown: Shown) -> dict[int, str]:
    """Of each example of a batch with values that are nan or infinite, what the first such are called.

    Args:
        batch: of B examples, with the fields that the model has set.
        states: [N, d] of the nodes.
        said: what is predicted for each example, such as "probabilities" or "score".
        shown: fields to look at, where the model has set them.
    """
    found: dict[int, str] = {}
    for number, one in enumerate(said):
        for name, value in one.items():
            if not _is_finite(value):
                found.setdefault(number, name)
    example = batch.nodes[fields.SENTENCE].cpu().numpy() // (2 if batch.pairs else 1)
    tables = [(batch.nodes, name, name, example) for name in shown.nodes]
    for relation in (each for each in shown.edges if each in batch.made):
        edges, receiver = batch.relation(relation).edges, batch.relation(relation).ends[1]
        tables += [(edges, name, f"{relation}.{name}", example[receiver]) for name in shown.edges[relation]]
    columns = [(called, table[name], of) for table, name, called, of in tables if name in table]
    for called, column, of in [*columns, ("states", states, example)]:
        broken = ~column.reshape(len(column), math.prod(column.shape[1:])).isfinite().all(1).cpu().numpy()
        for number in np.unique(of[broken]).tolist():
            found.setdefault(number, called)
    return found


def _is_finite(value: Any) -> bool:
    """Whether all numbers are, in a value for JSON."""
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, str | int):  # of a tree nearly all; to find out that these are no Mapping takes longer
        return True
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return not isinstance(value, Mapping) or all(map(_is_finite, value.values()))
