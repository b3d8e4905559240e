"""Rounds over all edges of a relation at once, on the torch engine."""

from __future__ import annotations

from functools import partial
from typing import Literal

from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.calls import call
from dglsent.passing.engines.torch.all_pairs import dense_round, runs_dense
from dglsent.passing.engines.torch.preset import read
from dglsent.passing.engines.torch.reducing import first_of, reduce_all
from dglsent.passing.functions import MessageFunction, NodeFunction, ReduceFunction, message_function
from dglsent.passing.precision import full
from dglsent.passing.relation import AllPairs
from dglsent.passing.segments import gather, segment_max, segment_sum
from dglsent.passing.views import Edges, Nodes, Resolver, require_rows
from graphs.fields import CHILD


def apply_edges(batch: Batch, function: MessageFunction, *, relation: str = CHILD) -> None:
    """See `dglsent.passing.apply_edges`."""
    for name, value in call(message_function(function), _all_edges(batch, relation)).items():
        batch.relation(relation).edges[name] = value


def update_all(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
) -> None:
    """See `dglsent.passing.update_all`."""
    along = batch.relation(relation)
    reader: Resolver = partial(read, batch.nodes)
    if isinstance(along, AllPairs) and runs_dense(along, message, reduce):
        reduced = dense_round(batch.nodes, along, message, reduce)
    else:
        edges = _all_edges(batch, relation)
        messages = call(message_function(message), edges)
        require_rows(messages, edges.batch_size(), "messages of the round")
        reduced = reduce_all(reduce, edges, messages, along, reader)
    seen = Nodes(batch.num_nodes, partial(first_of, reduced, reader))
    result = reduced if apply is None else call(apply, seen)
    for name, value in result.items():
        batch.nodes[name] = value


def edge_softmax(
    batch: Batch, score: Tensor, norm_by: Literal["dst", "src"] = "dst", *, relation: str = CHILD
) -> Tensor:
    """See `dglsent.passing.edge_softmax`."""
    # Not segment_softmax: its values are these to the bit, its gradients round otherwise, and it has no second ones.
    score, incidence = full(score), batch.relation(relation).incidence(norm_by)
    top = segment_max(score.detach(), incidence)
    weight = (score - gather(top, incidence)).exp()
    return weight / gather(segment_sum(weight, incidence), incidence)


def _all_edges(batch: Batch, relation: str) -> Edges:
    along = batch.relation(relation)
    return Edges(
        len(along.incidence("src").row),
        lambda name: gather(read(batch.nodes, name), along.incidence("src")),
        lambda name: gather(read(batch.nodes, name), along.incidence("dst")),
        partial(read, along.edges),
    )
