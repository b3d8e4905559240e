from __future__ import annotations

from pathlib import Path

import torch
from torch import nn

from dglsent.training.run import Run


class Tied(nn.Module):
    """Two maps with one weight, a view of a part of a third, and a fourth that lies in memory by columns."""

    def __init__(self) -> None:
        super().__init__()
        self.U, self.V = nn.Linear(3, 3), nn.Linear(3, 3)
        self.V.weight = self.U.weight
        whole = torch.randn(4, 3)
        self.register_buffer("whole", whole)
        self.register_buffer("part", whole[1:3])
        self.register_buffer("turned", torch.randn(2, 3).T)


def test_weights_that_are_shared_are_saved_and_set_again(tmp_path: Path) -> None:
    run, first, second = Run(tmp_path), Tied(), Tied()
    run.save_weights(first)  # type: ignore[arg-type]
    run.load_weights(second)  # type: ignore[arg-type]
    assert all(torch.equal(first.state_dict()[name], weight) for name, weight in second.state_dict().items())
    assert second.V.weight is second.U.weight
