"""What only a GPU shows: `pytest -m gpu`. Other tests see no GPU."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch
from families import SIZE, each_encoder_once, each_once, prepared, step_and_scoring, training_of, with_given_vectors
from tiny import TINY, recipe
from torch.testing import assert_close
from waiting import waiting_is_an_error

from dglsent.passing import engine

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU, or not asked for: pytest -m gpu"),
]
FAMILIES, ENCODERS = each_once(), each_encoder_once()
LONG = TINY.replace("train: 60", "train: 300").replace("epochs: 2", "epochs: 6")


def step(model, data, shortest, device, *, layout="auto", fused=False, mixed=False):
    """Loss and gradients, copied to the CPU, of a model in evaluation mode, so that no dropout differs."""
    model = model.to(device).eval()
    model.zero_grad()
    encoder = model.encoder
    batch = data.batch(shortest, encoder.directions, encoder.relations).to(device)
    with engine("torch", layout, fused=fused), torch.autocast(device, torch.bfloat16, enabled=mixed):
        batch, states, vectors = model(batch)
    loss = model.task.loss(batch, states if not mixed else states.float(), vectors if not mixed else vectors.float())
    loss.backward()
    gradients = {
        name: weight.grad.to("cpu", copy=True) for name, weight in model.named_parameters() if weight.grad is not None
    }
    return loss.detach().cpu(), gradients


@pytest.mark.parametrize("layout", ["edges", "dense"])
@pytest.mark.parametrize("family", FAMILIES)
def test_loss_and_gradients_are_those_of_the_cpu(family, layout):
    _, model, data, shortest = prepared(FAMILIES[family])
    model = model.double()
    wanted = step(model, data, shortest, "cpu", layout=layout)
    found = step(model, data, shortest, "cuda", layout=layout)
    assert_close(found, wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("family", ENCODERS)
def test_vectors_of_tokens(family, tmp_path):
    for _, model, data in with_given_vectors(ENCODERS[family], tmp_path / "vectors.safetensors"):
        shortest = np.argsort(data.lengths)[:SIZE].tolist()
        wanted, found = (step(model.double(), data, shortest, device) for device in ("cpu", "cuda"))
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


def test_the_guard_sees_what_waits():
    there = torch.ones(2, device="cuda")
    for wait in (torch.Tensor.nonzero, torch.Tensor.cpu, lambda x: x.sum().item(), lambda x: x + torch.ones(2).to(x)):
        with waiting_is_an_error(), pytest.raises(RuntimeError, match="synchroniz"):
            wait(there)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_step_waits_for_nothing(family):
    """Nor does dev scoring. The first step makes what the libraries of CUDA set up once."""
    made, model, data, shortest = prepared(FAMILIES[family])
    model.encoder.embedding.sparse = False
    training = training_of(model, made.optimiser).to("cuda")
    steps = training.configure_optimizers()
    for guard in (nullcontext, waiting_is_an_error):
        batches = [data.batch(shortest, model.encoder.directions, model.encoder.relations) for _ in range(2)]
        batch, again = (each.pin_memory() for each in batches)
        with guard():
            outcomes = step_and_scoring(training, steps, batch, again, "cuda")
    assert {column.device.type for column in outcomes.values()} == {"cuda"}


def test_a_run_of_one_device_is_used_on_the_other(tmp_path, program):
    file = tmp_path / "trees.txt"
    file.write_text("(S (NP (DT a) (NN film)) (VP (VBZ is) (JJ warm)))\n(S (NN nothing))\n")
    said = {}
    for trained in ("cpu", "cuda"):
        run = tmp_path / trained
        code, _, err = program("fit", recipe(tmp_path, TINY), "--out", run, "--device", trained)
        assert code == 0, err
        for used in ("cpu", "cuda", "cuda:0"):
            code, out, err = program("predict", run, file, "--structure", "--device", used)
            assert code == 0, err
            said[trained, used] = out
        table = tmp_path / f"table-{trained}"
        code, _, err = program("record", run, "--out", table, "--device", "cuda")
        assert code == 0, err
    for trained in ("cpu", "cuda"):
        wanted = numbers(said[trained, "cpu"])
        assert numbers(said[trained, "cuda"]) == pytest.approx(wanted, rel=1e-4, abs=1e-5)
        assert numbers(said[trained, "cuda:0"]) == pytest.approx(wanted, rel=1e-4, abs=1e-5)


def numbers(out: str) -> list[float]:
    """All numbers of JSON lines, in order."""
    return [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", out)]


def test_a_fit_that_is_killed_goes_on(tmp_path, program):
    """Losses agree to rounding: some kernels of CUDA add up in any order."""
    file = recipe(tmp_path, LONG)
    code, _, err = program("fit", file, "--out", tmp_path / "whole", "--device", "cuda")
    assert code == 0, err
    command = [sys.executable, "-m", "dglsent", "fit", str(file), "--out", str(tmp_path / "run")]
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
