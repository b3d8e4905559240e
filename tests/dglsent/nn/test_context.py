from __future__ import annotations

import pytest
import torch
from random_graphs import chain

from dglsent.nn.context import CONTEXTS
from dglsent.passing import Batch


@pytest.mark.parametrize("name", CONTEXTS)
def test_what_is_planned_beforehand_is_what_it_runs(name):
    context, graphs = CONTEXTS[name](4, 4), [chain(5), chain(2)]
    planned, plain = Batch.of(graphs, relations=context.relations), Batch.of(graphs)
    beforehand = planned.steps, planned.made
    for batch in (planned, plain):
        batch.nodes["x"] = torch.ones(7, 4)
        context.run(batch)
    assert beforehand == (planned.steps, planned.made) == (plain.steps, plain.made)
