"""One round over all edges at once, for a reduce function that wants mailboxes."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence, degree_runs, inverse, running_offsets
from dglsent.passing.plans.on_device import on_device
from graphs.columns import IntArray


class MailboxRound(NamedTuple):
    """A round over E edges: the N nodes by in-degree, the edges by receiver.

    Attributes:
        order: [N] nodes by in-degree; those without in-edges stand first.
        position: [N] inverse of `order`.
        leaves: nodes without in-edges.
        receivers: incidence of the E edges on the N - leaves other nodes.
        degrees: runs (in-degree, nodes of it) of the other nodes.
        unmail: [E] inverse of `receivers.order`, the edges by receiver and siblings in order.
    """

    order: Tensor
    position: Tensor
    leaves: int
    receivers: Incidence
    degrees: list[tuple[int, int]]
    unmail: Tensor


def mailbox_round(size: int, dst: IntArray, device: torch.device) -> MailboxRound:
    """Plan a round over all E edges, whose receivers are dst [E]; the edges stand in sibling order."""
    indegree = np.bincount(dst, minlength=size)
    order = np.argsort(indegree, kind="stable")
    position = inverse(order)
    leaves = int((indegree == 0).sum())
    mail = np.argsort(position[dst], kind="stable")
    received, sizes = indegree[order[leaves:]], np.array([size - leaves])

    tensor = partial(on_device, device=device)
    receivers = Incidence(tensor(position[dst] - leaves), tensor(mail), tensor(running_offsets(received, sizes)))
    # Without edges, empty mailboxes show what reduce would return.
    degrees = degree_runs(received, sizes)[0] or [(1, 0)]
    return MailboxRound(tensor(order), tensor(position), leaves, receivers, degrees, tensor(inverse(mail)))
