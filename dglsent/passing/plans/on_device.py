"""Index tensors on the device that reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor


def on_device(array: np.ndarray[Any, Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device, by a copy for which nothing waits.

    A copy to a GPU from memory that is not pinned begins only when all that was asked of the GPU before is done.
    """
    tensor = torch.from_numpy(array)
    return (tensor.pin_memory() if device.type == "cuda" else tensor).to(device, non_blocking=True)
