"""A model's own functions compiled by torch.compile: a few large kernels a step in place of many small ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from functools import partial
from inspect import ismethod
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from dglsent.passing.precision import product_type
from dglsent.passing.seen import Outputs
from dglsent.passing.views import View

BACKEND = "inductor"  # of torch.compile: Triton on CUDA, C++ on a CPU

fused: ContextVar[bool] = ContextVar("fused", default=False)

_PARTS = ("src", "dst", "data", "mailbox")  # of what a function sees, each a mapping of fields
_made: MutableMapping[nn.Module, dict[Any, _Compiled]] = WeakKeyDictionary()


def compiled(function: Any) -> Any:
    """A method of a model, compiled once; anything else, such as a reducer of dgl.function, as it is.

    Under mixed precision methods stay as they are too: there StepLinear chooses the type of each product.
    """
    if not fused.get() or product_type() is not None or not ismethod(function):
        return function
    if not isinstance(function.__self__, nn.Module):
        return function
    of_module = _made.setdefault(function.__self__, {})
    made = of_module.get(function.__func__)
    if made is None:
        made = of_module[function.__func__] = _Compiled(function.__func__)
    return partial(made, function)


class _Fields:
    """What a compiled function sees: plain mappings of the fields that it reads."""

    def __init__(self, size: int, parts: dict[str, dict[str, Tensor]]) -> None:
        self._size = size
        for name, fields in parts.items():
            setattr(self, name, fields)

    def batch_size(self) -> int:
        """Number of nodes or edges."""
        return self._size


class _Compiled:
    """One method. Its first call runs it as it is, which shows the fields that it reads."""

    def __init__(self, function: Callable[..., Outputs]) -> None:
        self._reads: dict[str, tuple[str, ...]] = {}
        self.__qualname__ = function.__qualname__  # which errors say
        self._run: Any = torch.compile(function, dynamic=True, fullgraph=True, backend=BACKEND)

    def __call__(self, method: Any, seen: Any) -> Outputs:
        if self._run is None:
            return method(seen)
        if not self._reads:
            result = method(seen)
            parts = {part: getattr(seen, part) for part in _PARTS if hasattr(seen, part)}
            views = {part: view for part, view in parts.items() if isinstance(view, View)}
            self._reads = {part: view.fetched() for part, view in views.items()}
            if any(hasattr(view, "asked") for view in views.values()):
                self._give_up("it asks which fields there are, and a compiled one sees those of its first call")
            return result
        try:
            # A field of its first call need not be there: a method may read one in training alone.
            parts = {part: {name: getattr(seen, part)[name] for name in names} for part, names in self._reads.items()}
            return self._run(method.__self__, _Fields(seen.batch_size(), parts))
        except Exception as error:
            result = method(seen)  # an error of its own is raised here
            self._give_up(_reason(error))
            return result

    def _give_up(self, reason: str) -> None:
        self._run = None
        warnings.warn(f"{self.__qualname__} runs as it is, for it cannot be compiled: {reason}", stacklevel=3)


def _reason(error: Exception) -> str:
    """The line of an error that says why; its class where none does."""
    lines = (line.strip() for line in str(error).splitlines())
    # torch puts "backend='inductor' raised:" before what a backend says
    return next((line for line in lines if line and not line.endswith(" raised:")), type(error).__name__)
