"""Index tensors that stay with a batch, on the device that reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

# Decorates what makes a plan: it outlives the call, and no gradient can go through what inference mode has made.
lasting = torch.inference_mode(False)


def on_device(array: np.ndarray[Any, Any], device: torch.device) -> Tensor:
    """An array as a tensor on a device, by a copy for which nothing waits.

    A copy to a GPU from memory that is not pinned begins only when all that was asked of the GPU before is done.
    """
    tensor = torch.from_numpy(array)
    return (tensor.pin_memory() if device.type == "cuda" else tensor).to(device, non_blocking=True)
