"""Reduce functions on the torch engine: built-in ones as segment sums, others a mailbox for each in-degree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import torch
from torch import Tensor

from dglsent.passing.functions import Outputs, ReduceFunction, SoftmaxSum, is_builtin, reduce_builtin, reducers
from dglsent.passing.relation import Relation
from dglsent.passing.schedule import Step
from dglsent.passing.segments import Incidence, permute, segment_softmax, weighted_sum
from dglsent.passing.views import Edges, Nodes, Resolver


class Kept:
    """Edge fields that reducers leave behind, step by step."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Tensor]] = {}

    def add(self, name: str, value: Tensor) -> None:
        """Keep the values [m, ...] of the next step's edges."""
        self._parts.setdefault(name, []).append(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def all(self, name: str) -> Tensor:
        """The values of all edges [E, ...], in the order of the steps."""
        return torch.cat(self._parts[name])


def first_of(values: Outputs, otherwise: Resolver, name: str) -> Tensor:
    """The field among `values`, or else where `otherwise` finds it."""
    value = values.get(name)
    return otherwise(name) if value is None else value


def reduce_step(
    function: ReduceFunction, edges: Edges, messages: Outputs, step: Step, data: Resolver, kept: Kept
) -> Outputs:
    """Reduce the messages of a step's m edges at its r receivers: each output [r, ...]."""
    if isinstance(function, tuple):
        outputs: dict[str, Tensor] = {}
        for each in function:
            outputs.update(reduce_step(each, edges, messages, step, data, kept))
        return outputs
    if isinstance(function, SoftmaxSum):
        return reduce_softmax(function, edges, messages, step.receivers, kept)
    if is_builtin(function):
        single = step.mail is None and len(step.degrees) == 1 and step.degrees[0][0] == 1
        return reduce_builtin(function, messages, step.receivers, single=single)
    return _by_degree(function, messages, step, data)


def reduce_softmax(function: SoftmaxSum, edges: Edges, messages: Outputs, receivers: Incidence, kept: Kept) -> Outputs:
    """A softmax-weighted sum over the edges of each receiver."""
    weight = segment_softmax(messages[function.score], receivers)
    kept.add(function.weight, weight)
    return {function.out: weighted_sum(edges.src[function.value], weight, receivers)}


def reduce_pass(function: ReduceFunction, edges: Edges, messages: Outputs, receivers: Incidence, kept: Kept) -> Outputs:
    """Reduce the messages of a further pass, whose mailboxes are as long as sentences: by built-in reducers alone.

    Raises:
        ValueError: another reduce function.
    """
    outputs: dict[str, Tensor] = {}
    for each in reducers(function):
        if isinstance(each, SoftmaxSum):
            outputs.update(reduce_softmax(each, edges, messages, receivers, kept))
        elif is_builtin(each):
            outputs.update(reduce_builtin(each, messages, receivers))
        else:
            raise ValueError("a further pass takes softmax_sum or a reducer of dgl.function, not a function of its own")
    return outputs


def reduce_all(
    function: ReduceFunction, edges: Edges, messages: Outputs, relation: Relation, data: Resolver
) -> Outputs:
    """Reduce the messages of all edges of a relation: each output [N, ...], 0 where a node has no in-edges."""
    if isinstance(function, tuple):
        outputs: dict[str, Tensor] = {}
        for each in function:
            outputs.update(reduce_all(each, edges, messages, relation, data))
        return outputs
    if isinstance(function, SoftmaxSum):
        kept = Kept()
        reduced = reduce_softmax(function, edges, messages, relation.incidence("dst"), kept)
        relation.edges[function.weight] = kept.all(function.weight)
        return reduced
    if is_builtin(function):
        return reduce_builtin(function, messages, relation.incidence("dst"))
    whole = relation.whole
    heard: Resolver = lambda name: permute(data(name), whole.order, whole.position)[whole.silent :]  # noqa: E731
    return {
        name: permute(torch.cat([value.new_zeros(whole.silent, *value.shape[1:]), value]), whole.position, whole.order)
        for name, value in _by_degree(function, messages, whole.step, heard).items()
    }


def _by_degree(function: ReduceFunction, messages: Outputs, step: Step, data: Resolver) -> Outputs:
    """A user's function, called once for each in-degree."""
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
