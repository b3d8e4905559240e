"""What only a GPU shows: `pytest -m gpu`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from families import each_once, prepared
from tiny import TINY, recipe
from torch.testing import assert_close

from dglsent.passing import engine

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU: torch sees no CUDA device"),
]
FAMILIES = each_once()
LONG = TINY.replace("train: 60", "train: 300").replace("epochs: 2", "epochs: 6")


def step(model, data, shortest, device, *, layout="auto", fused=False, mixed=False):
    """Loss and gradients, on the CPU, of a model in evaluation mode, so that no dropout differs."""
    model = model.to(device).eval()
    model.zero_grad()
    encoder = model.encoder
    batch = data.batch(shortest, encoder.directions, encoder.relations).to(device)
    with engine("torch", layout, fused=fused), torch.autocast(device, torch.bfloat16, enabled=mixed):
        batch, states, vectors = model(batch)
    loss = model.task.loss(batch, states if not mixed else states.float(), vectors if not mixed else vectors.float())
    loss.backward()
    gradients = {name: weight.grad.cpu() for name, weight in model.named_parameters() if weight.grad is not None}
    return loss.detach().cpu(), gradients


@pytest.mark.parametrize("layout", ["edges", "dense"])
@pytest.mark.parametrize("family", FAMILIES)
def test_loss_and_gradients_are_those_of_the_cpu(family, layout):
    _, model, data, shortest = prepared(FAMILIES[family])
    model = model.double()
    wanted = step(model, data, shortest, "cpu", layout=layout)
    found = step(model, data, shortest, "cuda", layout=layout)
    assert_close(found, wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("family", ["BinaryTreeLSTM-Classification", "ChildSumTreeLSTM-Relatedness"])
def test_fused_loss_and_gradients_are_those_of_the_cpu(family):
    name = next((known for known in FAMILIES if known.startswith(family.partition("-")[0])), family)
    _, model, data, shortest = prepared(FAMILIES[name])
    model = model.double()
    wanted = step(model, data, shortest, "cpu")
    for _ in range(2):
        assert_close(step(model, data, shortest, "cuda", fused=True), wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("family", FAMILIES)
def test_mixed_precision(family):
    _, model, data, shortest = prepared(FAMILIES[family])
    wanted, gradients = step(model, data, shortest, "cuda")
    loss, mixed = step(model, data, shortest, "cuda", mixed=True)
    assert loss.item() == pytest.approx(wanted.item(), rel=0.05)
    assert mixed.keys() == gradients.keys()
    assert all(gradient.dtype == torch.float32 and gradient.isfinite().all() for gradient in mixed.values())


def test_a_fit_that_is_killed_goes_on(tmp_path, program):
    """Losses agree to rounding: some kernels of CUDA add up in any order."""
    file = recipe(tmp_path, LONG)
    code, _, err = program("fit", file, "--out", tmp_path / "whole", "--device", "cuda")
    assert code == 0, err
    command = [sys.executable, "-m", "dglsent.cli.main", "fit", str(file), "--out", str(tmp_path / "run")]
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    process = subprocess.Popen(
        [*command, "--device", "cuda"], stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths}
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("epoch 3/6"):
            process.send_signal(signal.SIGKILL)
            break
    process.stderr.close()
    assert process.wait() == -signal.SIGKILL
    code, _, err = program("fit", file, "--out", tmp_path / "run", "--device", "cuda")
    assert code == 0, err
    assert "going on" in err
    whole, resumed = (
        [epoch["loss"] for epoch in json.loads((tmp_path / run / "metrics.json").read_text())["history"]]
        for run in ("whole", "run")
    )
    assert resumed == pytest.approx(whole, rel=1e-4)
