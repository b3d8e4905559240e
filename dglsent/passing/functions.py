"""DGL's built-in message and reduce functions, read for the torch engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import torch
from torch import Tensor

from dglsent.passing.segments import Incidence, segment_max, segment_sum
from dglsent.passing.views import Edges

Outputs: TypeAlias = Mapping[str, Tensor]
MessageFunction: TypeAlias = Any  # edges -> Outputs, or a dgl.function message built-in
ReduceFunction: TypeAlias = Any  # nodes with a mailbox -> Outputs, or a dgl.function reduce built-in
NodeFunction: TypeAlias = Callable[[Any], Outputs]

_OPERATIONS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "dot": lambda a, b: (a * b).sum(-1, keepdim=True),
}


_REDUCERS = ("sum", "mean", "max", "min")


def is_builtin(function: object) -> bool:
    """Whether a function is one of `dgl.function`'s."""
    return type(function).__module__.startswith("dgl.function")


def message_function(function: MessageFunction) -> Callable[[Edges], Outputs]:
    """A message function over Edges, from a user's or a built-in one such as `fn.u_mul_e("h", "a", "m")`."""
    if not is_builtin(function):
        return function

    def read(edges: Edges, target: int, field: str) -> Tensor:
        return (edges.src, edges.dst, edges.data)[target][field]

    if hasattr(function, "binary_op"):
        operation = _OPERATIONS[function.binary_op]
        return lambda edges: {
            function.out_field: operation(
                read(edges, function.lhs, function.lhs_field), read(edges, function.rhs, function.rhs_field)
            )
        }
    return lambda edges: {function.out_field: read(edges, function.target, function.in_field)}


def reduce_builtin(function: Any, messages: Outputs, receivers: Incidence, *, single: bool = False) -> Outputs:
    """Apply `fn.sum`, `fn.mean`, `fn.max` or `fn.min` to messages [m, ...]: [r, ...] by receiver.

    With `single`, message k is the only one of receiver k.

    Raises:
        ValueError: another built-in reducer.
    """
    message = messages[function.msg_field]
    if single and function.name in _REDUCERS:
        result = message
    elif function.name == "sum":
        result = segment_sum(message, receivers)
    elif function.name == "mean":
        count = receivers.offsets.diff().clamp(min=1).to(message.dtype)
        result = segment_sum(message, receivers) / count.view(-1, *(1,) * (message.dim() - 1))
    elif function.name == "max":
        result = segment_max(message, receivers)
    elif function.name == "min":
        result = -segment_max(-message, receivers)
    else:
        raise ValueError(f"the torch engine has no built-in reducer {function.name!r}; write it as a function")
    return {function.out_field: result}
