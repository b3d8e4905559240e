"""`dglsent bench --peers`: other people's code, with an encoder's weights, computes what the encoder computes."""

from __future__ import annotations

import json
import re
import sys

import numpy as np
import pytest
import torch
from measured_rows import measured_rows

from dglsent.benchmark import engines, peers, samples
from dglsent.cli.main import main

KEYS = ["model", "peer", "batch", "mode", "threads", "torch_ms", "plan_ms", "peer_ms", "peer_plan_ms"]


@pytest.fixture(autouse=True)
def few_trees(monkeypatch):
    """Random trees, and few of them."""
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    monkeypatch.setattr(samples, "CORPUS", 10)


def odd_trees(model, rng):
    """One word; seven children of one head; a chain of 40; and some as of SICK. A sequence model reads chains alone."""
    parents = [[-1], [1, -1] + [1] * 6, [*range(1, 40), -1]]
    if model == "LSTM":
        parents = [[*range(1, size), -1] for size in (1, 8, 40)]
    return [samples.graph(np.array(parent), rng) for parent in parents]


@pytest.mark.parametrize("model", peers.PEERS)
def test_states_and_gradients_are_those_of_the_encoder(model):
    (subject,) = (each for each in engines.subjects(None) if each.model == model)
    sentences = [*odd_trees(model, np.random.default_rng(1)), *subject.graphs]
    peer = peers.PEERS[model](subject.encoder)
    batch = subject.batch(sentences)
    x = subject.encoder.embedding.of(batch.nodes)
    states = peer.encode(x, peer.prepare(sentences))
    expected = subject.encoder.encode(batch)
    torch.testing.assert_close(states, expected, atol=1e-5, rtol=1e-5)
    states.sin().sum().backward()
    expected.sin().sum().backward()
    norms = [
        torch.cat(
            [
                weight.grad.flatten()
                for name, weight in module.named_parameters()
                if name != "bias_hh_l0" and weight.grad is not None
            ]
        ).norm()
        for module in (peer.module, subject.encoder)
    ]
    torch.testing.assert_close(*norms, atol=0, rtol=1e-4)


def test_rows(capsys):
    assert main(["bench", "--peers", "--batch", "2", "--batches", "1", "--threads", "1", "--json"]) == 0
    out, progress = capsys.readouterr()
    rows = json.loads(out)
    assert progress.splitlines()[0] == "1 of 2: child-sum Tree-LSTM, batches of 2"
    assert [list(row) for row in rows] == [KEYS] * 4
    assert [(row["peer"], row["mode"]) for row in rows] == [
        (peer, mode) for peer in ("pytorch-tree-lstm", "torch.nn.LSTM") for mode in ("forward", "forward+backward")
    ]
    assert all(row[key] > 0 for row in rows for key in ("torch_ms", "plan_ms", "peer_ms"))


def test_a_table_for_people(capsys, monkeypatch):
    rows = measured_rows(monkeypatch, peers)
    assert main(["bench", "--peers", "--models", "LSTM", "--batch", "1", "--batches", "1", "--threads", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    times = ["peer ms", "peer plan ms", "torch ms", "plan ms", "peer/torch"]
    assert re.split(r" {2,}", lines[1]) == ["model", "peer", "batch", "mode", *times]
    assert [line.split()[:4] for line in lines[2:]] == [
        ["LSTM", "torch.nn.LSTM", "1", mode] for mode in ("forward", "forward+backward")
    ]
    for line, row in zip(lines[2:], rows, strict=True):
        peer, peer_plan, ours, plan = (row[f"{name}_ms"] for name in ("peer", "peer_plan", "torch", "plan"))
        numbers = (peer, peer_plan, ours, plan, (peer + peer_plan) / (ours + plan))
        assert line.split()[4:] == [f"{each:.2f}" for each in numbers]


def test_what_is_missing_is_one_line(capsys, monkeypatch):
    assert main(["bench", "--peers", "--models", "CN3"]) == 2
    assert "no model 'CN3'; there are child-sum Tree-LSTM, LSTM" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "treelstm", None)
    assert main(["bench", "--peers", "--batch", "1"]) == 2
    assert "pytorch-tree-lstm is not installed; run pip install" in capsys.readouterr().err
