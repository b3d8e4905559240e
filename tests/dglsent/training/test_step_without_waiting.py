"""A training step and dev scoring ask the device for no value and mix no devices, whatever the encoder and the task."""

from __future__ import annotations

import pytest
import torch
from families import each_once, prepared, step_and_scoring, training_of
from waiting import OnDevice

from dglsent.training import optimisers

FAMILIES = each_once()


@pytest.mark.parametrize("family", FAMILIES)
def test_on_the_device(family, monkeypatch):
    """Of the optimisers the plain form: torch has no fused one for `meta`."""
    monkeypatch.setattr(optimisers, "_FUSED", ())
    made, model, data, shortest = prepared(FAMILIES[family])
    batch, again = (data.batch(shortest, model.encoder.directions, model.encoder.relations) for _ in range(2))
    training = training_of(model, made.optimiser).to("meta")
    steps = training.configure_optimizers()
    with OnDevice():
        outcomes = step_and_scoring(training, steps, batch, again, "meta")
    assert {column.device.type for column in outcomes.values()} == {"meta"}


def test_the_device_is_guarded():
    there, here = torch.ones(2, device="meta"), torch.ones(2)
    with OnDevice():
        for fault in (
            lambda: there.nonzero(),
            lambda: bool(there.sum()),
            lambda: here.to("meta"),
            lambda: there.new_zeros(2).copy_(here),
            lambda: there.index_select(0, torch.tensor([0])),
            lambda: there[torch.tensor([0])],
            lambda: there + here,
        ):
            with pytest.raises(AssertionError, match=r"waits|mixes devices"):
                fault()
        assert (there + torch.ones(())).device.type == "meta"
        assert here.to("meta", non_blocking=True).device.type == "meta"
