from __future__ import annotations

import pytest
import yaml
from untrained import TREES

import dglsent
from dglsent.inference.model import Model
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


def test_nothing_is_pushed_where_there_is_no_hub(trees_run, monkeypatch):
    # An address of this machine at which nothing listens.
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match="me/tree-lstm: cannot be put on the hub") as refused:
        dglsent.load(trees_run).push_to_hub("me/tree-lstm", token="hf_none")
    assert "\n" not in str(refused.value)
