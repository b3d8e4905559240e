"""Message passing over batches of sentence graphs: one set of functions, two engines.

A model's functions are DGL's: a message function of `edges` (`src`, `dst`, `data`), a reduce function of `nodes`
with a `mailbox`, an apply function of `nodes` with `data`, or a `dgl.function` built-in. Engine "torch" runs them over
a plan on any device; engine "dgl" hands them to DGL. They address trailing dimensions only.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import Literal, TypeAlias

from torch import Tensor

from dglsent.passing import dgl_engine, torch_engine
from dglsent.passing.batch import Batch, Direction, Plan
from dglsent.passing.functions import MessageFunction, NodeFunction, Outputs, ReduceFunction
from dglsent.passing.weights import StepLinear

__all__ = [
    "Batch",
    "Engine",
    "Outputs",
    "Plan",
    "StepLinear",
    "apply_edges",
    "edge_softmax",
    "engine",
    "propagate",
    "update_all",
]

Engine: TypeAlias = Literal["torch", "dgl"]

_ENGINES: dict[str, ModuleType] = {"torch": torch_engine, "dgl": dgl_engine}
_engine: ContextVar[ModuleType] = ContextVar("engine", default=torch_engine)


@contextmanager
def engine(name: Engine) -> Iterator[None]:
    """Run message passing on one of the engines; the default is "torch".

    Raises:
        ValueError: there is no such engine.
    """
    if name not in _ENGINES:
        raise ValueError(f"engine is 'torch' or 'dgl', not {name!r}")
    token = _engine.set(_ENGINES[name])
    try:
        yield
    finally:
        _engine.reset(token)


def propagate(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    direction: Direction = "up",
    leaf: NodeFunction | None = None,
    inputs: NodeFunction | None = None,
) -> None:
    """Compute every node after those that send to it.

    Args:
        batch: B sentences, N nodes, E edges child -> parent. The fields that `apply` returns (without it, `reduce`)
            are set on `batch.nodes`, [N, ...].
        message: m edges -> messages [m, ...].
        reduce: r receivers with a mailbox [r, k, ...] of k messages in sibling order -> fields [r, ...]; it is
            called once for each in-degree k.
        apply: r nodes -> fields [r, ...]; sees what reduce returned and the fields set beforehand.
        direction: "up" along child -> parent, "down" along the reversed edges.
        leaf: apply for nodes without in-edges, which skip reduce. Without it they go through `apply` and see only
            fields set beforehand.
        inputs: fields made of other fields once, before the first step, for all nodes that go through `apply`:
            the place for input projections, which then are one product.

    Raises:
        KeyError: a function reads a field that nothing has set; it is named.
    """
    _engine.get().propagate(batch, message, reduce, apply, direction=direction, leaf=leaf, inputs=inputs)


def update_all(
    batch: Batch, message: MessageFunction, reduce: ReduceFunction, apply: NodeFunction | None = None
) -> None:
    """One round over all edges at once; a node without in-edges gets 0 from reduce, as in DGL.

    Sets the fields that `apply` returns (without it, `reduce`) on `batch.nodes`, each [N, ...].
    """
    _engine.get().update_all(batch, message, reduce, apply)


def apply_edges(batch: Batch, function: MessageFunction) -> None:
    """Compute edge fields of all E edges; sets them on `batch.edges`, each [E, ...]."""
    _engine.get().apply_edges(batch, function)


def edge_softmax(batch: Batch, score: Tensor, by: Literal["receiver", "sender"] = "receiver") -> Tensor:
    """Softmax of scores [E, ...] over the edges of each receiver (or sender): [E, ...]."""
    return _engine.get().edge_softmax(batch, score, by)
