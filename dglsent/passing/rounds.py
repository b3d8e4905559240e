"""One round over all edges at once, for a reduce function that wants mailboxes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.schedule import Step, degree_runs, running_offsets
from dglsent.passing.segments import Incidence
from graphs.columns import IntArray


class Round(NamedTuple):
    """One round over all edges at once, for a reduce function that wants mailboxes.

    Attributes:
        order: [N] nodes by in-degree; `position` undoes it.
        silent: nodes without in-edges, which stand first.
        step: the round as a step over the other nodes.
    """

    order: Tensor
    position: Tensor
    silent: int
    step: Step


def whole_round(size: int, dst: IntArray, device: torch.device) -> Round:
    """Plan a round over all E edges, whose receivers are dst [E]; the edges stand in sibling order."""
    indegree = np.bincount(dst, minlength=size)
    order = np.argsort(indegree, kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(size)
    silent = int((indegree == 0).sum())
    mail = np.argsort(position[dst], kind="stable")
    unmail = np.empty_like(mail)
    unmail[mail] = np.arange(len(dst))
    heard, sizes = indegree[order[silent:]], np.array([size - silent])

    def tensor(array: IntArray) -> Tensor:
        return torch.from_numpy(array).to(device)

    receivers = Incidence(tensor(position[dst] - silent), tensor(mail), tensor(running_offsets(heard, sizes)))
    degrees = degree_runs(heard, sizes)[0] or [(1, 0)]  # without edges, empty mailboxes show what reduce would return
    step = Step(receivers, None, receivers.order, tensor(unmail), None, degrees, None)
    return Round(tensor(order), tensor(position), silent, step)
