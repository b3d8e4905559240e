"""Calls of a user's functions, whose mistakes are told with the function's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor

from dglsent.passing.missing import MESSAGE, MissingFieldError, there
from dglsent.passing.seen import Outputs
from graphs.errors import InputError


def call(function: Callable[[Any], Outputs], seen: Any) -> Outputs:
    """What a user's function makes of the edges or nodes that it sees.

    Raises:
        TypeError: it returns something else than fields by name.
        MissingFieldError: it reads what is not there.
    """
    try:
        made = function(seen)
    except MissingFieldError as error:
        error.by = error.by or name_of(function)
        raise
    if not isinstance(made, Mapping):
        what = "None" if made is None else f"a value of type {type(made).__name__}"
        raise TypeError(f'{name_of(function)} returns {what}; it should return a dict of tensors, such as {{"h": h}}')
    return made


def message_for(reducer: Any, messages: Mapping[str, Tensor]) -> Tensor:
    """The message that a reducer of `dgl.function` reads.

    Raises:
        MissingFieldError: it is not there.
        InputError: the greatest or the least of complex numbers is wanted.
    """
    message = there(messages, reducer.msg_field, MESSAGE, by=f"fn.{reducer.name}")
    if reducer.name in ("max", "min") and message.is_complex():
        raise InputError(
            f"fn.{reducer.name} compares messages, and complex numbers such as those of {reducer.msg_field!r} have no "
            "order; send their abs() or their real part"
        )
    return message


def name_of(function: Any) -> str:
    """What a user calls a function; of a partial one, the whole."""
    function = getattr(function, "func", function)
    return getattr(function, "__qualname__", "") or type(function).__qualname__
