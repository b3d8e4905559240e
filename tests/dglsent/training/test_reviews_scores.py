"""On the built-in corpus a tree model composes meaning and a bag of words does not."""

from __future__ import annotations

import json

from dglsent.cli.main import main


def test_tree_lstm_against_a_bag_of_words(tmp_path):
    accuracy = {}
    for system in ("tree-lstm", "bag-of-words"):
        out = tmp_path / system
        assert main(["fit", f"reviews/{system}", "--out", str(out), "--seed", "2", "--training.epochs", "3"]) == 0
        accuracy[system] = json.loads((out / "metrics.json").read_text())["test"]["accuracy"]
    assert accuracy["tree-lstm"] >= 0.95
    assert accuracy["bag-of-words"] <= 0.75
