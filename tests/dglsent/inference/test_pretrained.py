from __future__ import annotations

import shutil

import pytest
import yaml
from untrained import TREES

import dglsent
from dglsent.inference.card import card
from dglsent.inference.model import Model
from dglsent.training.run import Run
from graphs.errors import InputError


def test_there_and_back(trees_run, tmp_path):
    model = dglsent.load(trees_run, device="cpu")
    model.save_pretrained(tmp_path / "saved")
    again = Model.from_pretrained(tmp_path / "saved", device="cpu")
    assert again.predict(TREES[:3]) == model.predict(TREES[:3])
    for name in ("config.yaml", "weights.safetensors", "vocabularies.json", "metrics.json"):
        assert (tmp_path / "saved" / name).read_bytes() == (trees_run / name).read_bytes()
    again.save_pretrained(tmp_path / "saved")
    assert dglsent.load(tmp_path / "saved").predict(TREES[:1]) == model.predict(TREES[:1])
    _, head, body = (tmp_path / "saved/README.md").read_text().split("---\n", 2)
    assert yaml.safe_load(head)["library_name"] == "dglsent"
    accuracy = model.run.metrics()["test"]["accuracy"]
    for part in (f"| test | {accuracy:.4f}", "BinaryTreeLSTM", "Reviews", "Stanza", "seed 1", "## Limits"):
        assert part in body


def test_a_card_says_what_each_split_scores_and_which_epoch_was_best(trees_run, tmp_path):
    shutil.copytree(trees_run, tmp_path / "run")
    run = Run(tmp_path / "run")
    scores = {"dev": {"accuracy": 0.25}, "test": {"accuracy": 0.5}}
    run.save_metrics({**run.metrics(), **scores, "epochs": 9, "best_epoch": 4})
    said = card(dglsent.load(run.path, device="cpu"))
    assert "| dev | 0.2500 |\n| test | 0.5000 |\n" in said
    assert "The best of 9 epochs was number 4." in said


def test_nothing_is_pushed_where_there_is_no_hub(trees_run, monkeypatch):
    # An address of this machine at which nothing listens.
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="me/tree-lstm: cannot be put on the hub") as refused:
        dglsent.load(trees_run).push_to_hub("me/tree-lstm", token="hf_none")
    assert "\n" not in str(refused.value)
