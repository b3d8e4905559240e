"""Guards under which a step runs as on a GPU: it may ask the device for no value, and mix no devices."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

WAITING = ("_local_scalar_dense", "nonzero", "masked_select", "unique", "_unique2", "bincount", "item", "equal")
_COPIES = ("_to_copy", "copy_")


class NoWaiting(TorchDispatchMode):
    """Forbids operations whose result, or whose shape, has to be fetched from the device."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        if name in WAITING:
            raise AssertionError(f"{name} waits for the device")
        return function(*args, **(kwargs or {}))


class OnDevice(TorchDispatchMode):
    """Lets tensors on `meta` stand for those on a GPU: they have no values that could be asked for.

    Tensors of the host beside them are a fault, but for scalars, which become arguments of a kernel, and for copies to
    the device that do not wait.
    """

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = function.overloadpacket.__name__
        tensors = [each for each in tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        on_device = [each for each in tensors if each.device.type == "meta"]
        if on_device and name in WAITING:
            raise AssertionError(f"{name} waits for the device")
        if name in _COPIES and not kwargs.get("non_blocking", False):
            target = torch.device(kwargs.get("device") or tensors[0].device)
            if target.type != tensors[-1].device.type:
                raise AssertionError(f"a copy from {tensors[-1].device} to {target} waits for the device")
        elif name not in _COPIES and on_device:
            for each in tensors:
                assert each.device.type == "meta" or not each.dim(), f"{name} mixes devices"
        return function(*args, **kwargs)


@contextmanager
def waiting_is_an_error() -> Iterator[None]:
    """On CUDA itself, whose own guard does not see the waiting of its libraries' first calls."""
    torch.cuda.set_sync_debug_mode("error")
    try:
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")
