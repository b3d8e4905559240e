"""Reduce functions on the torch engine: built-in ones as segment sums, others a mailbox for each in-degree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

from dglsent.passing.calls import call, message_for, name_of
from dglsent.passing.functions import (
    Outputs,
    Padded,
    ReduceFunction,
    SoftmaxSum,
    is_builtin,
    reducers,
)
from dglsent.passing.missing import MESSAGE, MissingFieldError, there
from dglsent.passing.plans.incidence import Incidence
from dglsent.passing.relation import Relation
from dglsent.passing.same_fields import require_alike, require_same_fields
from dglsent.passing.segments import permute, segment_max, segment_mean, segment_softmax, segment_sum, weighted_sum
from dglsent.passing.views import Edges, Nodes, Resolver, require_rows

_REDUCERS = ("sum", "mean", "max", "min")


class Mailboxes(NamedTuple):
    """How the messages of m edges are received by r nodes.

    Attributes:
        receivers: incidence of the edges on the nodes.
        degrees: runs (in-degree, nodes of it).
        by_receiver: messages [m, ...] receiver by receiver, siblings in order.
        single: whether message k is the only one of node k.
    """

    receivers: Incidence
    degrees: list[tuple[int, int]]
    by_receiver: Callable[[Tensor], Tensor]
    single: bool = False


class EdgeOutputs:
    """Edge fields that reducers leave behind, step by step."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Tensor]] = {}

    def add(self, name: str, value: Tensor) -> None:
        """Add the values [m, ...] of the next step's edges."""
        self._parts.setdefault(name, []).append(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def all(self, name: str) -> Tensor:
        """The values of all edges [E, ...], in the order of the steps."""
        return torch.cat(self._parts[name])


def first_of(values: Outputs, otherwise: Resolver, name: str) -> Tensor:
    """The field among `values`, or else where `otherwise` finds it."""
    value = values.get(name)
    if value is not None:
        return value
    try:
        return otherwise(name)
    except MissingFieldError as error:
        error.add(values)
        raise


def joined_rows(name: str, parts: Sequence[Tensor], by: str = "") -> Tensor:
    """A field of some nodes after those of others.

    Raises:
        ValueError: its dimensions differ among them; `by` is the function that made them, if that is known.
    """
    try:
        return torch.cat(list(parts))
    except RuntimeError:
        for part in parts:
            require_alike({name: parts[0]}, {name: part}, by)
        raise


def reduce_messages(
    function: ReduceFunction,
    edges: Edges,
    messages: Outputs,
    receivers: Incidence,
    kept: EdgeOutputs,
    by_mailboxes: Callable[[ReduceFunction], Outputs] | None = None,
    *,
    single: bool = False,
) -> Outputs:
    """What each reducer of a function makes of messages [m, ...] at their r receivers: each output [r, ...].

    Weights of attention are added to `kept`; `by_mailboxes` runs a reducer that wants mailboxes. With `single`, message
    k is the only one of receiver k.
    """
    outputs: dict[str, Tensor] = {}
    for each in reducers(function):
        if isinstance(each, SoftmaxSum):
            weight = segment_softmax(there(messages, each.score, MESSAGE, by="softmax_sum"), receivers)
            kept.add(each.weight, weight)
            value = each.read(edges.src.__getitem__)
            each.check(weight.shape[1:], value.shape[1:])
            outputs[each.out] = weighted_sum(value, weight, receivers)
        elif is_builtin(each):
            outputs[each.out_field] = _builtin(each, message_for(each, messages), receivers, single=single)
        else:
            assert by_mailboxes is not None
            outputs.update(by_mailboxes(each))
    return outputs


def reduce_step(
    function: ReduceFunction, edges: Edges, messages: Outputs, mail: Mailboxes, data: Resolver, kept: EdgeOutputs
) -> Outputs:
    """Reduce the messages of a step's m edges at its r receivers: each output [r, ...]."""
    by_mailboxes = partial(_by_mailboxes, messages=messages, mail=mail, data=data)
    return reduce_messages(function, edges, messages, mail.receivers, kept, by_mailboxes, single=mail.single)


def reduce_all(
    function: ReduceFunction, edges: Edges, messages: Outputs, relation: Relation, data: Resolver
) -> Outputs:
    """Reduce the messages of all edges of a relation: each output [N, ...], 0 where a node has no in-edges."""

    def by_mailboxes(function: Any) -> Outputs:
        plan = relation.mailboxes
        by_receiver = partial(permute, index=plan.receivers.order, inverse=plan.unmail)
        mail = Mailboxes(plan.receivers, plan.degrees, by_receiver)
        at_receivers: Resolver = lambda name: permute(data(name), plan.order, plan.position)[plan.leaves :]  # noqa: E731
        return {
            name: permute(torch.cat([value.new_zeros(plan.leaves, *value.shape[1:]), value]), plan.position, plan.order)
            for name, value in _by_mailboxes(function, messages, mail, at_receivers).items()
        }

    kept = EdgeOutputs()
    reduced = reduce_messages(function, edges, messages, relation.incidence("dst"), kept, by_mailboxes)
    for name in kept:
        relation.edges[name] = kept.all(name)
    return reduced


def _by_mailboxes(function: ReduceFunction, messages: Outputs, mail: Mailboxes, data: Resolver) -> Outputs:
    """A user's function, called once for each in-degree, or once for all where it is padded."""
    if isinstance(function, Padded):
        return _by_padded_mailboxes(function, messages, mail, data)
    degrees = mail.degrees
    counts = [degree * count for degree, count in degrees]
    sorted_messages: dict[str, Sequence[Tensor]] = {}
    fields: dict[str, Sequence[Tensor]] = {}

    def mailbox(bucket: int, name: str) -> Tensor:
        if name not in sorted_messages:
            message = mail.by_receiver(there(messages, name, MESSAGE))
            sorted_messages[name] = message.split(counts) if len(counts) > 1 else (message,)
        rows = sorted_messages[name][bucket]
        degree, count = degrees[bucket]
        return rows.view(count, degree, *rows.shape[1:])

    def nodes_data(bucket: int, name: str) -> Tensor:
        if name not in fields:
            fields[name] = data(name).split([count for _, count in degrees]) if len(counts) > 1 else (data(name),)
        return fields[name][bucket]

    results = [
        call(function, Nodes(count, partial(nodes_data, bucket), partial(mailbox, bucket)))
        for bucket, (_, count) in enumerate(degrees)
    ]
    first = results[0]
    for result, (degree, count) in zip(results, degrees, strict=True):
        require_rows(result, count, f"nodes with {degree} in-edges")
        require_same_fields(function, degrees[0][0], first, degree, result)
    if len(results) == 1:
        return first
    return {name: joined_rows(name, [result[name] for result in results], name_of(function)) for name in first}


def _by_padded_mailboxes(padded: Padded, messages: Outputs, mail: Mailboxes, data: Resolver) -> Outputs:
    """A padded function over mailboxes [r, k, ...] of the longest one's k messages."""
    longest, offsets = max(degree for degree, _ in mail.degrees), mail.receivers.offsets
    places = offsets[:-1, None] + torch.arange(longest, device=offsets.device)
    mask = places < offsets[1:, None]

    def mailbox(name: str) -> Tensor:
        message = mail.by_receiver(there(messages, name, MESSAGE))
        rows = message.index_select(0, places.clamp(max=len(message) - 1).flatten())
        trailing = message.shape[1:]
        return rows.view(*mask.shape, *trailing).masked_fill(~mask.view(*mask.shape, *(1,) * len(trailing)), 0)

    result = call(padded.function, Nodes(len(mask), data, mailbox, mask))
    require_rows(result, len(mask), "nodes with in-edges")
    return result


def _builtin(function: Any, message: Tensor, receivers: Incidence, *, single: bool) -> Tensor:
    """Apply `fn.sum`, `fn.mean`, `fn.max` or `fn.min` to messages [m, ...]: [r, ...] by receiver.

    Raises:
        ValueError: another built-in reducer.
    """
    if function.name not in _REDUCERS:
        raise ValueError(f"the torch engine has no built-in reducer {function.name!r}; write it as a function")
    # In their own type sums of whole numbers overflow, and negatives of truth values do not exist.
    whole = not (message.is_floating_point() or message.is_complex())
    if single and not whole:
        return message
    values = message.long() if whole else message
    if function.name == "sum":
        return segment_sum(values, receivers)
    if function.name == "mean":
        return segment_mean(values, receivers)
    extremum = segment_max(values, receivers) if function.name == "max" else -segment_max(-values, receivers)
    return extremum.to(message.dtype)
