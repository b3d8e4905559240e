"""The torch engine: user functions over a batch's plan, on whatever device the tensors are.

It never asks the device for a value, so on a GPU nothing waits; all sizes come from the plan, made on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import torch
from torch import Tensor

from dglsent.passing.batch import Batch, Direction
from dglsent.passing.functions import (
    MessageFunction,
    NodeFunction,
    Outputs,
    ReduceFunction,
    is_builtin,
    message_function,
    reduce_builtin,
)
from dglsent.passing.schedule import Schedule, Step
from dglsent.passing.segments import gather, permute, segment_max, segment_sum
from dglsent.passing.tables import Table, Tables
from dglsent.passing.views import Edges, Fields, Nodes, Resolver
from dglsent.passing.weights import shared_weights


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
    """See `dglsent.passing.propagate`."""
    schedule = batch.plan.schedule(direction)
    given = _Given(batch, schedule)
    compute = message_function(message)
    with shared_weights():
        if inputs is not None:
            given.extend(inputs, leaves_too=leaf is None)
        leaf_outputs = (leaf or apply or _reduced_only)(Nodes(schedule.leaves, given.at_leaves))
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
            reduced = _reduce(reduce, compute(edges), step, partial(given.at_step, t))
            if apply is None:
                outputs.append(reduced)
            else:
                nodes = Nodes(schedule.node_sizes[t], partial(_first, reduced, partial(given.at_step, t)))
                outputs.append(apply(nodes))
    for name in outputs[0] if outputs else leaf_outputs:
        if name not in leaf_outputs:
            raise KeyError(f"field {name!r} is computed at nodes with in-edges but not at those without")
        parts = [leaf_outputs[name], *(output[name] for output in outputs)]
        batch.nodes.set_lazy(name, partial(_in_graph_order, parts, schedule))


def _in_graph_order(parts: list[Tensor], schedule: Schedule) -> Tensor:
    return permute(torch.cat(parts) if len(parts) > 1 else parts[0], schedule.position, schedule.order)


def _reduced_only(nodes: Nodes) -> Outputs:
    raise KeyError("a propagation without apply needs leaf=, which gives the nodes without in-edges their fields")


def _first(values: Outputs, otherwise: Resolver, name: str) -> Tensor:
    value = values.get(name)
    return otherwise(name) if value is None else value


class _Given:
    """Fields that are set before the first step, in the order of the plan."""

    def __init__(self, batch: Batch, schedule: Schedule) -> None:
        self.batch, self.schedule = batch, schedule
        self.leaf: dict[str, Tensor] = {}
        self.inner: dict[str, Tensor] = {}
        self.by_step: dict[str, Sequence[Tensor]] = {}
        self.by_receiver: dict[str, Sequence[Tensor]] = {}
        self.by_sender: dict[str, Sequence[Tensor]] = {}
        self.by_edge: dict[str, Sequence[Tensor]] = {}

    def extend(self, inputs: NodeFunction, *, leaves_too: bool) -> None:
        """Add the fields that `inputs` makes of the given ones, for all nodes that `apply` will see."""
        leaves, size = self.schedule.leaves, len(self.schedule.order)
        if leaves_too:
            for name, value in inputs(Nodes(size, self._whole)).items():
                self.leaf[name], self.inner[name] = value.split([leaves, size - leaves])
        elif size > leaves:
            self.inner.update(inputs(Nodes(size - leaves, self._at_inner)))

    def _whole(self, name: str) -> Tensor:
        return permute(_read(self.batch.nodes, name, "node"), self.schedule.order, self.schedule.position)

    def _split(self, name: str) -> None:
        leaves = self.schedule.leaves
        leaf, inner = self._whole(name).split([leaves, len(self.schedule.order) - leaves])
        self.leaf.setdefault(name, leaf)
        self.inner.setdefault(name, inner)

    def at_leaves(self, name: str) -> Tensor:
        if name not in self.leaf:
            self._split(name)
        return self.leaf[name]

    def _at_inner(self, name: str) -> Tensor:
        if name not in self.inner:
            self._split(name)
        return self.inner[name]

    def at_step(self, t: int, name: str) -> Tensor:
        if name not in self.by_step:
            self.by_step[name] = self._at_inner(name).split(self.schedule.node_sizes)
        return self.by_step[name][t]

    def at_receivers(self, t: int, name: str) -> Tensor:
        if name not in self.by_receiver:
            rows = gather(self._at_inner(name), self.schedule.receivers)
            self.by_receiver[name] = rows.split(self.schedule.edge_sizes)
        return self.by_receiver[name][t]

    def at_senders(self, t: int, name: str) -> Tensor:
        if name not in self.by_sender:
            rows = gather(_read(self.batch.nodes, name, "node"), self.schedule.senders)
            self.by_sender[name] = rows.split(self.schedule.edge_sizes)
        return self.by_sender[name][t]

    def at_edges(self, t: int, name: str) -> Tensor:
        if name not in self.by_edge:
            rows = permute(_read(self.batch.edges, name, "edge"), self.schedule.edge_order, self.schedule.edge_position)
            self.by_edge[name] = rows.split(self.schedule.edge_sizes)
        return self.by_edge[name][t]


def _read(table: Fields, name: str, kind: str) -> Tensor:
    if name not in table:
        known = ", ".join(sorted(table)) or "none"
        raise KeyError(
            f"{kind} field {name!r} is read before anything set it; set it on the batch, or give the nodes without "
            f"in-edges their own function with leaf= (fields set: {known})"
        )
    return table[name]


def _source(table: Table, given: _Given, t: int, name: str) -> Tensor:
    if name not in table:
        return given.at_senders(t, name)
    rows = table[name]
    return rows if table.step.senders is None else gather(rows, table.step.senders)


def _reduce(function: ReduceFunction, messages: Outputs, step: Step, data: Resolver) -> Outputs:
    """Reduce the messages of a step's m edges at its r receivers: each output [r, ...]."""
    if is_builtin(function):
        single = step.mail is None and len(step.degrees) == 1 and step.degrees[0][0] == 1
        return reduce_builtin(function, messages, step.receivers, single=single)
    counts = [degree * count for degree, count in step.degrees]
    mail: dict[str, Sequence[Tensor]] = {}
    fields: dict[str, Sequence[Tensor]] = {}

    def mailbox(bucket: int, name: str) -> Tensor:
        if name not in mail:
            message = messages[name]
            if step.mail is not None and step.unmail is not None:
                message = permute(message, step.mail, step.unmail)
            mail[name] = message.split(counts) if len(counts) > 1 else (message,)
        rows = mail[name][bucket]
        degree, count = step.degrees[bucket]
        return rows.view(count, degree, *rows.shape[1:])

    def nodes_data(bucket: int, name: str) -> Tensor:
        if name not in fields:
            fields[name] = data(name).split([count for _, count in step.degrees]) if len(counts) > 1 else (data(name),)
        return fields[name][bucket]

    results = [
        function(Nodes(count, partial(nodes_data, bucket), partial(mailbox, bucket)))
        for bucket, (_, count) in enumerate(step.degrees)
    ]
    if len(results) == 1:
        return results[0]
    return {name: torch.cat([result[name] for result in results]) for name in results[0]}


def _all_edges(batch: Batch) -> Edges:
    return Edges(
        len(batch.plan.incidence("src").row),
        lambda name: gather(_read(batch.nodes, name, "node"), batch.plan.incidence("src")),
        lambda name: gather(_read(batch.nodes, name, "node"), batch.plan.incidence("dst")),
        lambda name: _read(batch.edges, name, "edge"),
    )


def apply_edges(batch: Batch, function: MessageFunction) -> None:
    """See `dglsent.passing.apply_edges`."""
    for name, value in message_function(function)(_all_edges(batch)).items():
        batch.edges[name] = value


def update_all(
    batch: Batch, message: MessageFunction, reduce: ReduceFunction, apply: NodeFunction | None = None
) -> None:
    """See `dglsent.passing.update_all`."""
    messages = message_function(message)(_all_edges(batch))
    read: Callable[[str], Tensor] = lambda name: _read(batch.nodes, name, "node")  # noqa: E731
    if is_builtin(reduce):
        reduced = reduce_builtin(reduce, messages, batch.plan.incidence("dst"))
    else:
        whole = batch.plan.whole
        heard: Resolver = lambda name: permute(read(name), whole.order, whole.position)[whole.silent :]  # noqa: E731
        ordered = _reduce(reduce, messages, whole.step, heard)
        reduced = {
            name: permute(
                torch.cat([value.new_zeros(whole.silent, *value.shape[1:]), value]),
                whole.position,
                whole.order,
            )
            for name, value in ordered.items()
        }
    result = reduced if apply is None else apply(Nodes(batch.num_nodes, partial(_first, reduced, read)))
    for name, value in result.items():
        batch.nodes[name] = value


def edge_softmax(batch: Batch, score: Tensor, by: Literal["receiver", "sender"] = "receiver") -> Tensor:
    """See `dglsent.passing.edge_softmax`."""
    incidence = batch.plan.incidence("dst" if by == "receiver" else "src")
    top = segment_max(score.detach(), incidence)
    weight = (score - gather(top, incidence)).exp()
    return weight / gather(segment_sum(weight, incidence), incidence)
