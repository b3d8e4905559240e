"""A propagation on the torch engine: user functions over a schedule, on whatever device the tensors are.

It never asks the device for a value, so on a GPU nothing waits; all sizes come from the schedule, made on the CPU.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor

from dglsent.passing.batch import Batch
from dglsent.passing.calls import call
from dglsent.passing.engines.torch.frontier_pass import PassRun
from dglsent.passing.engines.torch.fused import compiled
from dglsent.passing.engines.torch.preset import PresetFields
from dglsent.passing.engines.torch.reducing import EdgeOutputs, first_of, joined_rows, reduce_step
from dglsent.passing.engines.torch.sources import AcyclicSources, TreeSources
from dglsent.passing.functions import (
    STATE,
    FrontierPass,
    MessageFunction,
    NodeFunction,
    Outputs,
    ReduceFunction,
    message_function,
    softmaxes,
)
from dglsent.passing.linear import shared_weights
from dglsent.passing.missing import MissingFieldError
from dglsent.passing.plans.schedule import Schedule
from dglsent.passing.plans.tree import TreeSchedule
from dglsent.passing.relation import Direction
from dglsent.passing.same_fields import require_alike, require_one_type, require_same
from dglsent.passing.segments import permute
from dglsent.passing.views import Edges, Nodes, require_rows
from graphs.fields import CHILD


def propagate(
    batch: Batch,
    message: MessageFunction,
    reduce: ReduceFunction,
    apply: NodeFunction | None = None,
    *,
    relation: str = CHILD,
    direction: Direction = "up",
    leaf: NodeFunction | None = None,
    inputs: NodeFunction | None = None,
    passes: Sequence[FrontierPass] = (),
) -> None:
    """See `dglsent.passing.propagate`."""
    along = batch.relation(relation)
    schedule = along.schedule(direction)
    preset = PresetFields(batch.nodes, along, schedule, apart=leaf is not None)
    compute, reduce = compiled(message_function(message)), compiled(reduce)
    kept = EdgeOutputs()
    outputs: list[Outputs] = []
    with shared_weights():
        if inputs is not None:
            preset.extend(inputs, leaves_too=leaf is None)
        at_leaves = leaf or apply
        assert at_leaves is not None
        leaf_outputs = call(at_leaves, Nodes(schedule.leaves, preset.at_leaves))
        require_rows(leaf_outputs, schedule.leaves, "nodes without in-edges")
        wanted = passes if STATE in leaf_outputs else ()
        made = [PassRun(each, batch, relation, direction, schedule) for each in wanted]
        for each in made:
            leaf_outputs = each.run(0, leaf_outputs, preset.at_leaves)
        apply = compiled(apply)
        if isinstance(schedule, TreeSchedule):
            sources: TreeSources | AcyclicSources = TreeSources(leaf_outputs, schedule)
        else:
            sources = AcyclicSources(leaf_outputs, schedule)
        for t, size in enumerate(schedule.node_sizes):
            mail = sources.advance(outputs[-1] if outputs else {})
            edges = Edges(
                schedule.edge_sizes[t],
                partial(_at_senders, sources, outputs, preset, t),
                partial(preset.at_receivers, t),
                partial(preset.at_edges, t),
            )
            at_step = partial(preset.at_step, t)
            messages = call(compute, edges)
            require_rows(messages, schedule.edge_sizes[t], "messages of the step")
            output = reduce_step(reduce, edges, messages, mail, at_step, kept)
            if apply is not None:
                output = call(apply, Nodes(size, partial(first_of, output, at_step)))
                require_rows(output, size, "nodes of the step")
            for each in made:
                output = each.run(t + 1, output, at_step)
            require_same(leaf_outputs, output)
            outputs.append(output)
    for name in leaf_outputs:
        parts = [leaf_outputs[name], *(output[name] for output in outputs)]
        batch.nodes.set_lazy(name, partial(_in_graph_order, name, parts, schedule))
    for name in kept:
        along.edges.set_lazy(name, partial(_in_edge_order, kept, name, schedule))
    for attention in softmaxes(reduce) if not outputs else ():
        along.edges[attention.weight] = torch.zeros(0, device=batch.device)
    for each in made:
        each.keep()


def _in_graph_order(name: str, parts: list[Tensor], schedule: Schedule) -> Tensor:
    return permute(joined_rows(name, parts) if len(parts) > 1 else parts[0], schedule.position, schedule.order)


def _in_edge_order(kept: EdgeOutputs, name: str, schedule: Schedule) -> Tensor:
    return permute(kept.all(name), schedule.edge_position, schedule.edge_order)


def _at_senders(
    sources: TreeSources | AcyclicSources, outputs: Sequence[Outputs], preset: PresetFields, t: int, name: str
) -> Tensor:
    try:
        return sources(name) if sources.has(name) else preset.at_senders(t, name)
    except MissingFieldError as error:
        error.add(sources.leaf)
        raise
    except (RuntimeError, IndexError):
        for output in outputs:
            require_alike(sources.leaf, output)
            require_one_type(sources.leaf, output)
        raise
