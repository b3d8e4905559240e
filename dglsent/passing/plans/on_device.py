"""Index tensors that stay with a batch, on the device that reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence

Given = ParamSpec("Given")
Made = TypeVar("Made")
Plan = TypeVar("Plan", bound=Any)


def lasting(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Decorates what makes or moves a plan or a field: it outlives the call, and so is not made in inference mode.

    No gradient can go through what inference mode has made.
    """

    @wraps(function)
    def run(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        grad = torch.is_grad_enabled()  # to leave inference mode turns it on
        with torch.inference_mode(False), torch.set_grad_enabled(grad):
            return function(*args, **kwargs)

    return run


def on_device(array: np.ndarray[Any, Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device, by a copy for which nothing waits.

    A copy to a GPU from memory that is not pinned begins only when all that was asked of the GPU before is done.
    """
    tensor = torch.from_numpy(array)
    return (tensor.pin_memory() if device.type == "cuda" else tensor).to(device, non_blocking=True)


def with_tensors(plan: Plan, function: Callable[[Tensor], Tensor]) -> Plan:
    """The same plan, a dataclass, with every tensor changed, such as moved to a device."""

    def changed(value: Any) -> Any:
        if isinstance(value, Incidence):
            return Incidence(*map(function, value))
        return function(value) if isinstance(value, Tensor) else value

    return type(plan)(**{each.name: changed(getattr(plan, each.name)) for each in fields(plan)})
