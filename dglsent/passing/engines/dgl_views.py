"""What functions see on DGL: its edges and nodes, as those of the torch engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

from torch import Tensor

from dglsent.passing.calls import call
from dglsent.passing.functions import MessageFunction, Outputs, message_function
from dglsent.passing.missing import EDGE, MESSAGE, NODE, MissingFieldError, there
from dglsent.passing.views import Edges, Nodes
from graphs import door
from graphs.errors import InputError


class Shown:
    """Fields that are set; where a propagation has yet to compute one, DGL has zeros, which nothing is to read.

    Args:
        computed: the fields that a propagation computes, leaves first.
        known: those that are set beforehand.
        of_senders: what to do where the senders of messages have no such field; "" for what is usual.
        of_others: the same of receivers and of nodes in reduce and apply.

    Attributes:
        native: whether DGL's built-in functions may read its fields themselves.
    """

    native = True

    def __init__(
        self,
        computed: Collection[str] = (),
        known: Collection[str] = (),
        of_senders: str = "",
        of_others: str = "",
    ) -> None:
        self._computed, self._known, self._of_senders, self._of_others = computed, known, of_senders, of_others

    def edges(self, seen: Any) -> Edges:
        """DGL's edges as a message function sees them."""
        return Edges(
            seen.batch_size(),
            partial(_field, seen.src, NODE, (), self._of_senders),
            partial(_field, seen.dst, NODE, self._unset(), self._of_others),
            partial(_field, seen.data, EDGE, (), ""),
        )

    def nodes(self, seen: Any, reduced: Collection[str] = ()) -> Nodes:
        """DGL's nodes as a reduce or apply function sees them, which were given some fields by reduce."""
        data = partial(_field, seen.data, NODE, self._unset() - {*reduced}, self._of_others)
        if seen.mailbox is None:
            return Nodes(seen.batch_size(), data)
        return Nodes(seen.batch_size(), data, lambda name: there(seen.mailbox, name, MESSAGE))

    def try_builtin(self, function: MessageFunction, graph: Any, relation: str | None = None) -> Outputs:
        """Messages of no edges: an error of what is not there, as DGL would say it in words of its own.

        Raises:
            InputError: a field has no numbers.
        """
        nodes = {name: value[:0] for name, value in graph.ndata.items()}
        edges = {name: value[:0] for name, value in graph.edges[relation or graph.etypes[0]].data.items()}
        nothing = SimpleNamespace(src=nodes, dst=nodes, data=edges, batch_size=lambda: 0)
        seen = self.edges(nothing)
        messages = call(message_function(function), seen)
        for fields in (seen.src, seen.dst, seen.data):
            for name in fields.fetched():
                require_numbers("field", name, fields[name])
        return messages

    def _unset(self) -> set[str]:
        return {name for name in self._computed if name not in self._known}


def require_numbers(what: str, name: str, value: Tensor) -> None:
    """Refuse a field or message without numbers: DGL's products of such divide by 0, which ends the process.

    Raises:
        InputError: it has none a row.
    """
    row = list(value.shape[1:])
    if 0 in row:
        which = f"{what} {name!r} has the shape {row} a row"
        raise InputError(f"engine dgl takes no {what} without numbers, and {which}; take engine torch")


def _field(fields: Mapping[str, Tensor], what: str, unset: Collection[str], hint: str, name: str) -> Tensor:
    """A field of nodes or edges (`what`) that is set."""
    if name in fields and name not in unset:
        return fields[name]
    # In parts of graphs DGL numbers nodes and edges.
    known = [each for each in fields if each not in unset and each not in (door.dgl.NID, door.dgl.EID)]
    raise MissingFieldError(name, what, known, hint)
