"""Mixed precision multiplies in fewer bits, and everything else stays float32."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest
import torch
import yaml
from families import encoder_of, merged
from random_graphs import chain
from safetensors.torch import load_file
from tiny import PAIRS, TINY, recipe
from torch.nn.functional import cosine_similarity
from waiting import NoWaiting

from dglsent.nn.readout import QueryPooling, mean_over_words
from dglsent.passing import Batch, StepLinear, engine
from dglsent.passing.engines.torch import all_pairs
from dglsent.training import recipe as recipes
from dglsent.training.assemble import load_inputs, make_model
from dglsent.training.module import Training
from dglsent.training.order import Parts
from dglsent.training.processes import Place
from graphs.errors import InputError

PAIR_TASK = {
    "corpus": {"class_path": "tiny.Pairs"},
    "embedding": {"dim": 8, "spelling": True},
    "task": {"class_path": "dglsent.tasks.relatedness.Relatedness"},
}
LARGE = 256  # states that take more time than they show


def families() -> dict[str, dict]:
    """A recipe over tiny pairs for each encoder that comes with the package, alone or on a structure."""
    found: dict[str, dict] = {}
    for known in merged():
        if known["task"].get("init_args", {}).get("head") is False:
            continue  # its states are scores of tokens, which pairs do not have
        family = f"{encoder_of(known)}-{known['graph']}"
        encoder = known["encoder"]
        if encoder.get("init_args", {}).get("hidden", 0) > LARGE:
            encoder = {**encoder, "init_args": {**encoder["init_args"], "hidden": LARGE // 4}}
        found.setdefault(family, {**PAIR_TASK, "graph": known["graph"], "encoder": encoder})
    return found


FAMILIES = families()


def prepared(known: dict) -> tuple[Training, Batch]:
    made = recipes.instantiate(recipes.resolve(yaml.safe_dump(known)))
    torch.manual_seed(0)
    inputs = load_inputs(made, None)
    model = make_model(made, inputs.vocabularies).eval()  # no dropout
    everything = Parts(range(30), 30, 30, Place())
    batch = inputs.sets["train"].batch(range(30), model.encoder.directions, model.encoder.relations)
    return Training(model, made.optimiser, everything, everything), batch


def step(training: Training, batch: Batch, *, mixed: bool) -> tuple[float, dict[str, torch.Tensor]]:
    """Loss and gradients of a step, the forward pass as Lightning's plugin runs it; mixed, nothing waits."""
    training.zero_grad()
    fields = dict(batch.nodes)
    with NoWaiting() if mixed else nullcontext():
        with torch.autocast("cpu", torch.bfloat16, enabled=mixed):
            loss = training.training_step(batch, 0)
        loss.backward()
    for name in [name for name in batch.nodes if name not in fields]:
        del batch.nodes[name]
    gradients = {
        name: weight.grad.to_dense() for name, weight in training.named_parameters() if weight.grad is not None
    }
    return loss.item(), gradients


@pytest.mark.parametrize("family", FAMILIES)
def test_every_encoder_trains_in_mixed_precision(family):
    training, batch = prepared(FAMILIES[family])
    loss, gradients = step(training, batch, mixed=False)
    mixed_loss, mixed_gradients = step(training, batch, mixed=True)
    assert mixed_gradients.keys() == gradients.keys()
    assert mixed_loss == pytest.approx(loss, rel=0.02)
    if any(isinstance(module, StepLinear) for module in training.modules()):
        assert any(not mixed_gradients[name].equal(gradient) for name, gradient in gradients.items())
    for name, gradient in gradients.items():
        mixed = mixed_gradients[name]
        assert mixed.dtype == torch.float32
        assert mixed.isfinite().all()
        if gradient.norm() > 1e-3:  # a maximum over words may choose another word
            assert cosine_similarity(mixed.flatten(), gradient.flatten(), 0) > 0.8, name


@pytest.mark.parametrize("family", [name for name in FAMILIES if name.endswith("-complete")])
def test_scores_that_the_backward_pass_makes_again_are_float32_too(family, monkeypatch):
    training, batch = prepared(FAMILIES[family])
    whole = step(training, batch, mixed=True)
    monkeypatch.setattr(all_pairs, "_PAIRS", 20)
    loss, gradients = step(training, batch, mixed=True)
    assert loss == pytest.approx(whole[0], rel=1e-4)
    for name, gradient in whole[1].items():
        torch.testing.assert_close(gradients[name], gradient, rtol=0.05, atol=1e-3)


def test_attention_over_words_is_float32():
    """Of 400 weights of 8 bits each the sum is off by more than a thousandth."""
    batch, pooling = Batch.of([chain(400)]), QueryPooling(8, 8)
    states = torch.randn(400, 8)
    with torch.autocast("cpu", torch.bfloat16):
        assert pooling(batch, states).dtype == torch.float32
        assert mean_over_words(batch, states.bfloat16()).dtype == torch.float32
    weight = batch.nodes["attention"]
    assert weight.dtype == torch.float32
    assert weight.sum().item() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("family", ["BinaryTreeLSTM-constituency", "AttentiveTreeLSTM-dependency"])
def test_what_passes_between_nodes_is_float32(family):
    training, batch = prepared(FAMILIES[family])
    with torch.autocast("cpu", torch.bfloat16):
        training.model.encoder.encode(batch)
    for name in ("h", "c"):
        assert batch.nodes[name].dtype == torch.float32
        assert (batch.nodes[name].bfloat16() != batch.nodes[name]).any()


def test_the_dgl_engine_refuses():
    training, batch = prepared(FAMILIES["BinaryTreeLSTM-constituency"])
    with engine("dgl"), pytest.raises(InputError, match=r"engine dgl .* training\.precision 32"):
        step(training, batch, mixed=True)
    with engine("dgl"):
        step(training, batch, mixed=False)


@pytest.mark.parametrize("text", [TINY, PAIRS])
def test_a_run(text, tmp_path, program):
    file = recipe(tmp_path, text.replace("dropout: 0.3", "dropout: 0.0"))
    found = {}
    for precision in ("32", "bf16-mixed"):
        out = tmp_path / precision
        code, _, err = program("fit", file, "--out", out, "--training.precision", precision, "--device", "cpu")
        assert code == 0, err
        found[precision] = json.loads((out / "metrics.json").read_text())
        for weight in load_file(out / "weights.safetensors").values():
            assert weight.dtype == torch.float32
            assert weight.isfinite().all()
    losses = [[epoch["loss"] for epoch in metrics["history"]] for metrics in found.values()]
    assert losses[1] == pytest.approx(losses[0], rel=0.02)
    assert losses[1] != losses[0]
    # Scores are computed in float32, so that `dglsent test` finds the same.
    _, out, _ = program("test", tmp_path / "bf16-mixed", "--device", "cpu")
    assert json.loads(out)["dev"] == pytest.approx(found["bf16-mixed"]["dev"], rel=1e-5)


def test_float16_is_for_gpus(tmp_path, program):
    options = ("--training.precision", "16-mixed", "--device", "cpu")
    program.refuses("fit", recipe(tmp_path), "--out", tmp_path / "run", *options, saying=["16-mixed", "bf16-mixed"])
