"""Calls of a user's functions, whose mistakes are told with the function's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import Tensor

from dglsent.passing.seen import Outputs
from dglsent.passing.views import Edges, Nodes


class MissingField(KeyError):  # noqa: N818
    """A field or message that a function reads and that is not there.

    Attributes:
        by: the function, once it is known.
    """

    def __init__(self, reason: str, by: str = "") -> None:
        super().__init__(reason)
        self.by = by

    def __str__(self) -> str:
        return f"{self.by}: {self.args[0]}" if self.by else str(self.args[0])  # a KeyError's own would be in quotes


def call(function: Callable[[Any], Outputs], seen: Any) -> Outputs:
    """What a user's function makes of the edges or nodes that it sees.

    Raises:
        TypeError: it returns something else than fields by name.
        MissingField: it reads what is not there.
    """
    try:
        made = function(seen)
    except MissingField as error:
        error.by = error.by or name_of(function)
        raise
    except KeyError as error:
        if isinstance(seen, Edges | Nodes):
            raise  # the function's own, for these raise the other
        raise MissingField(f"{error} is not there ({_fields(seen)})", name_of(function)) from error
    if not isinstance(made, Mapping):
        what = "None" if made is None else f"a value of type {type(made).__name__}"
        raise TypeError(f'{name_of(function)} returns {what}; it should return a dict of tensors, such as {{"h": h}}')
    return made


def name_of(function: Any) -> str:
    """What a user calls a function; of a partial one, the whole."""
    function = getattr(function, "func", function)
    return getattr(function, "__qualname__", "") or type(function).__qualname__


def sent(messages: Mapping[str, Tensor], name: str, by: str = "") -> Tensor:
    """The message that a reducer reads.

    Raises:
        MissingField: the message function does not return it.
    """
    if name not in messages:
        raise MissingField(f"message {name!r} is reduced, and none sends it (sent: {listed(messages)})", by)
    return messages[name]


def listed(names: Iterable[str]) -> str:
    """Names as an error lists them."""
    return ", ".join(sorted(names)) or "none"


def _fields(seen: Any) -> str:
    """What there is to read of the edges or nodes that DGL shows."""
    parts = {part: getattr(seen, part, None) for part in ("src", "dst", "data", "mailbox")}
    return "; ".join(f"{part}: {listed(fields)}" for part, fields in parts.items() if fields is not None)
