"""The edges of all pairs, listed receiver by receiver for each step of a schedule: what a frontier pass reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from dglsent.passing.plans.incidence import Incidence, incidences, running_offsets
from dglsent.passing.plans.on_device import lasting
from dglsent.passing.plans.schedule import Schedule
from graphs.batching import hearing
from graphs.columns import IntArray
from graphs.ranges import ranges, starts


@dataclass(eq=False)
class Frontiers:
    """The E edges into the N nodes of the T + 1 frontiers of a schedule (its leaves, then its T steps).

    Attributes:
        senders: incidence of the E edges, in this order, on the N nodes that send them.
        row: [E] receiver of each edge among the nodes of its frontier.
        offsets: [N + T + 1] for each frontier 0 and the running in-degrees of its nodes.
        edge: [E] the edge of the relation that stands at each place.
        node_sizes: [T + 1] nodes of each frontier.
        edge_sizes: [T + 1] edges of each frontier.
    """

    senders: Incidence
    row: Tensor
    offsets: Tensor
    edge: Tensor
    node_sizes: list[int]
    edge_sizes: list[int]

    @cached_property
    @lasting
    def receivers(self) -> list[Incidence]:
        """For each frontier the incidence of its edges on its nodes."""
        return list(incidences(self.row, self.offsets, self.edge_sizes, self.node_sizes))


def list_frontiers(counts: IntArray, sources: IntArray, schedule: Schedule) -> Frontiers:
    """The frontiers of a schedule over S sentences of counts [S] nodes, which hear the nodes of sources [S]."""
    size, order = int(counts.sum()), schedule.order.cpu().numpy()
    src, _ = hearing(counts, sources, order)
    degree = np.repeat(counts[sources], counts)
    here = degree[order]
    node_sizes = np.array([schedule.leaves, *schedule.node_sizes])
    edge_ends = np.concatenate([[0], np.cumsum(here)])[np.concatenate([[0], np.cumsum(node_sizes)])]
    step_start = np.repeat(starts(node_sizes), node_sizes)
    by_sender = np.argsort(src, kind="stable")
    sent = np.concatenate([[0], np.cumsum(np.bincount(src, minlength=size))])
    return Frontiers(
        senders=Incidence(*map(torch.from_numpy, (src, by_sender, sent))),
        row=torch.from_numpy(np.repeat(np.arange(size) - step_start, here)),
        offsets=torch.from_numpy(running_offsets(here, node_sizes)),
        edge=torch.from_numpy(ranges(starts(degree)[order], here)),
        node_sizes=node_sizes.tolist(),
        edge_sizes=np.diff(edge_ends).tolist(),
    )
