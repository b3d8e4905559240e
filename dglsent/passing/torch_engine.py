"""The torch engine: user functions over a batch's plan, on whatever device the tensors are.

It never asks the device for a value, so on a GPU nothing waits; all sizes come from the plan, made on the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.dense import dense_round, runs_dense
from dglsent.passing.functions import (
    MessageFunction,
    NodeFunction,
    Outputs,
    Pass,
    ReduceFunction,
    message_function,
    softmaxes,
)
from dglsent.passing.given import Given, read
from dglsent.passing.layout import Between
from dglsent.passing.reducing import Kept, first_of, reduce_all, reduce_step
from dglsent.passing.relation import Direction
from dglsent.passing.schedule import Schedule
from dglsent.passing.segments import gather, permute, segment_max, segment_sum
from dglsent.passing.tables import Table, Tables
from dglsent.passing.then import FurtherPass
from dglsent.passing.views import Edges, Nodes, Resolver
from dglsent.passing.weights import shared_weights
from graphs.fields import CHILD


def propagate(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
    direction: Direction = "up",
    leaf: NodeFunction | None = None,
    inputs: NodeFunction | None = None,
    then: Sequence[Pass] = (),
) -> None:
    """See `dglsent.passing.propagate`."""
    along = batch.relation(relation)
    schedule = along.schedule(direction)
    given = Given(batch.nodes, along, schedule)
    passes = [FurtherPass(each, batch, (relation, direction), schedule) for each in then]
    compute = message_function(message)
    kept = Kept()
    with shared_weights():
        if inputs is not None:
            given.extend(inputs, leaves_too=leaf is None)
        leaf_outputs = (leaf or apply or _reduced_only)(Nodes(schedule.leaves, given.at_leaves))
        for each in passes:
            leaf_outputs = each.run(0, leaf_outputs, given.at_leaves)
        tables = Tables(leaf_outputs, schedule)
        outputs: list[Outputs] = []
        for t, step in enumerate(schedule.steps):
            table = tables.next(step, outputs[-1] if outputs else {})
            edges = Edges(
                schedule.edge_sizes[t],
                partial(_source, table, given, t),
                partial(given.at_receivers, t),
                partial(given.at_edges, t),
            )
            at_step = partial(given.at_step, t)
            output = reduce_step(reduce, edges, compute(edges), step, at_step, kept)
            if apply is not None:
                output = apply(Nodes(schedule.node_sizes[t], partial(first_of, output, at_step)))
            for each in passes:
                output = each.run(t + 1, output, at_step)
            outputs.append(output)
    for name in outputs[0] if outputs else leaf_outputs:
        if name not in leaf_outputs:
            raise KeyError(f"field {name!r} is computed at nodes with in-edges but not at those without")
        parts = [leaf_outputs[name], *(output[name] for output in outputs)]
        batch.nodes.set_lazy(name, partial(_in_graph_order, parts, schedule))
    for name in kept:
        along.edges.set_lazy(name, partial(_in_edge_order, kept, name, schedule))
    for attention in softmaxes(reduce) if not outputs else ():
        along.edges[attention.weight] = torch.zeros(0, device=batch.device)
    for each in passes:
        each.keep()


def _in_graph_order(parts: list[Tensor], schedule: Schedule) -> Tensor:
    return permute(torch.cat(parts) if len(parts) > 1 else parts[0], schedule.position, schedule.order)


def _in_edge_order(kept: Kept, name: str, schedule: Schedule) -> Tensor:
    return permute(kept.all(name), schedule.edge_position, schedule.edge_order)


def _reduced_only(nodes: Nodes) -> Outputs:
    raise KeyError("a propagation without apply needs leaf=, which gives the nodes without in-edges their fields")


def _source(table: Table, given: Given, t: int, name: str) -> Tensor:
    if name not in table:
        return given.at_senders(t, name)
    rows = table[name]
    return rows if table.step.senders is None else gather(rows, table.step.senders)


def _all_edges(batch: Batch, relation: str) -> Edges:
    along = batch.relation(relation)
    return Edges(
        len(along.incidence("src").row),
        lambda name: gather(read(batch.nodes, name, "node"), along.incidence("src")),
        lambda name: gather(read(batch.nodes, name, "node"), along.incidence("dst")),
        lambda name: read(along.edges, name, "edge"),
    )


def apply_edges(batch: Batch, function: MessageFunction, *, relation: str = CHILD) -> None:
    """See `dglsent.passing.apply_edges`."""
    for name, value in message_function(function)(_all_edges(batch, relation)).items():
        batch.relation(relation).edges[name] = value


def update_all(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
) -> None:
    """See `dglsent.passing.update_all`."""
    along = batch.relation(relation)
    reader: Resolver = lambda name: read(batch.nodes, name, "node")  # noqa: E731
    if isinstance(along, Between) and runs_dense(along, message, reduce):
        reduced = dense_round(batch.nodes, along, message, reduce)
    else:
        edges = _all_edges(batch, relation)
        reduced = reduce_all(reduce, edges, message_function(message)(edges), along, reader)
    result = reduced if apply is None else apply(Nodes(batch.num_nodes, partial(first_of, reduced, reader)))
    for name, value in result.items():
        batch.nodes[name] = value


def edge_softmax(
    batch: Batch, score: Tensor, by: Literal["receiver", "sender"] = "receiver", *, relation: str = CHILD
) -> Tensor:
    """See `dglsent.passing.edge_softmax`."""
    incidence = batch.relation(relation).incidence("dst" if by == "receiver" else "src")
    top = segment_max(score.detach(), incidence)
    weight = (score - gather(top, incidence)).exp()
    return weight / gather(segment_sum(weight, incidence), incidence)
