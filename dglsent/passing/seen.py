"""What a user's functions see and return, on either engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from torch import Tensor

Outputs: TypeAlias = Mapping[str, Tensor]


class EdgesSeen(Protocol):
    """m edges as a message function sees them: fields of senders, of receivers and their own, each [m, ...]."""

    @property
    def src(self) -> Mapping[str, Tensor]:
        """Fields of the senders."""

    @property
    def dst(self) -> Mapping[str, Tensor]:
        """Fields of the receivers."""

    @property
    def data(self) -> Mapping[str, Tensor]:
        """Fields of the edges."""

    def batch_size(self) -> int:
        """Number of edges m."""


class NodesSeen(Protocol):
    """n nodes as a reduce or apply function sees them."""

    @property
    def data(self) -> Mapping[str, Tensor]:
        """Fields of the nodes, each [n, ...]."""

    @property
    def mailbox(self) -> Mapping[str, Tensor]:
        """In reduce, messages of k senders, each [n, k, ...]."""

    @property
    def mask(self) -> Tensor:
        """[n, k] whether there is a message, in a reduce function that is `padded`."""

    def batch_size(self) -> int:
        """Number of nodes n."""
