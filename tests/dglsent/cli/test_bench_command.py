"""`dglsent bench`: rows with the promised keys, and work that is the same for all three."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from dglsent.benchmark import engines, epochs, long
from dglsent.cli.main import main

TIMES = ["dgl_ms", "torch_ms", "plan_ms", "bare_ms"]
KEYS = ["model", "graph", "batch", "mode", "device", "threads", *TIMES, "launches", "steps"]


def test_json_rows(capsys, monkeypatch):
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    assert main(["bench", "--all", "--batch", "1,2", "--batches", "1", "--threads", "1", "--json"]) == 0
    out, progress = capsys.readouterr()
    rows = json.loads(out)
    assert progress.splitlines()[0] == "1 of 16: binary Tree-LSTM, batches of 1"
    assert [list(row) for row in rows] == [KEYS] * 32
    assert {(row["model"], row["graph"]) for row in rows} == {
        ("binary Tree-LSTM", "constituency"),
        ("child-sum Tree-LSTM", "dependency"),
        ("LSTM", "chain"),
        ("TG-HTreeLSTM", "constituency"),
        ("attentive Tree-LSTM", "dependency pairs"),
        ("progressive attention", "constituency pairs"),
        ("CN3", "complete"),
        ("window BiLSTM", "window"),
    }
    assert {(row["batch"], row["mode"]) for row in rows} == {
        (size, mode) for size in (1, 2) for mode in ("forward", "forward+backward")
    }
    assert all(row[key] > 0 for row in rows for key in KEYS[6:])


def test_a_table_for_people(capsys, monkeypatch):
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    assert main(["bench", "--batch", "1", "--batches", "1", "--threads", "1", "--models", "LSTM,CN3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "random trees" in lines[0]
    assert lines[1].split()[:3] == ["model", "graph", "batch"]
    assert len(lines) == 6


def test_an_epoch():
    row = epochs.measure("reviews/bag-of-words", 100, Path(), "cpu")
    assert row["steps"] > 1
    assert row["seconds"] > 0


def test_long_sentences(capsys, monkeypatch):
    settings = [long.Setting(layout, 2, 5) for layout in ("edges", "dense")]
    monkeypatch.setattr(long, "SETTINGS", settings)
    assert main(["bench", "--long", "--threads", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    times = ["plan_ms", "forward_ms", "backward_ms", "peak_gib"]
    assert [list(row) for row in rows] == [["layout", "batch", "words", "threads", *times]] * 2
    assert [(row["layout"], row["batch"], row["words"]) for row in rows] == settings
    assert all(row[key] > 0 for row in rows for key in times)
    monkeypatch.setattr(long, "SETTINGS", settings[:1])
    assert main(["bench", "--long", "--threads", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("1 thread; a process for each row")
    assert lines[1].split()[:3] == ["layout", "batch", "words"]
    assert lines[2].split()[:3] == ["edges", "2", "5"]
    monkeypatch.setattr(long, "SETTINGS", [long.Setting("sparse", 2, 5)])
    assert main(["bench", "--long", "--threads", "1"]) == 2
    assert capsys.readouterr().err.startswith("dglsent: 2 x 5 words, sparse: ")


def test_bad_arguments_are_one_line(capsys):
    assert main(["bench", "--models", "LSTM,GRU"]) == 2
    assert "--models: no model 'GRU'; there are binary Tree-LSTM, " in capsys.readouterr().err
    assert main(["bench", "--threads", "0"]) == 2
    assert "'0' is not a list of whole numbers" in capsys.readouterr().err
    if not torch.cuda.is_available():
        assert main(["bench", "--device", "cuda"]) == 2
        assert capsys.readouterr().err == "dglsent: --device cuda: torch sees no GPU here; use --device cpu\n"


@pytest.mark.parametrize("subject", list(engines.subjects(None)), ids=lambda subject: subject.model)
def test_the_bare_products_are_those_of_the_model(subject):
    """Rows of every product add up: inputs once for each word that has them, recurrent ones once an inner node."""
    sentences = 8
    batch = subject.batch(subject.graphs[:sentences])
    nodes, edges = batch.num_nodes, len(batch.edges.get("slot", ()))
    words = nodes - sentences  # of window graphs, which have a padding node each; else those that hear another
    leaves = int((np.bincount(batch.relation().ends[1], minlength=nodes) == 0).sum())
    inner = nodes - leaves
    rows = {}
    for product in engines._products(subject.encoder, batch):
        key = (product.columns, len(product.weight))
        rows[key] = rows.get(key, 0) + product.rows
    expected = {
        "binary Tree-LSTM": {(300, 450): leaves, (300, 750): inner},
        "child-sum Tree-LSTM": {(300, 450): nodes, (300, 150): inner, (150, 150): edges, (150, 450): inner},
        "LSTM": {(300, 600): nodes, (150, 600): inner},
        "TG-HTreeLSTM": {
            (600, 300): inner,  # head words
            (300, 100): nodes + inner,  # fusion: head word; states of the children
            (100, 250): nodes + inner,  # the hyper network: its input; its children
            (50, 450): leaves,  # z_w
            (50, 750): nodes + inner,  # z_u where there are children, z_b
            (300, 450): leaves,
            (300, 750): inner,
        },
        "attentive Tree-LSTM": {
            (300, 600): nodes,  # the guide
            (150, 600): nodes - sentences,
            (300, 450): nodes,
            (300, 150): inner,
            (150, 450): nodes,
            (150, 150): 2 * edges + inner + sentences,
        },
        "progressive attention": {
            (300, 450): 2 * leaves,
            (150, 450): 2 * inner,
            (150, 150): 2 * edges + 2 * nodes,
        },
        "CN3": {
            (300, 300): 2 * nodes,  # from either side
            (75, 300): 2 * words,
            (150, 150): 2 * 4 * nodes,  # layers: scores, then gates, of the word itself and what it hears
        },
        "window BiLSTM": {
            (1065, 3): words,  # gates of three tokens: word, capitalisation and ten characters
            (1065, 600): 2 * nodes,  # of the padding nodes too
            (150, 600): 2 * (words - sentences),
        },
    }[subject.model]
    assert rows == expected


def test_real_trees(data_dir):
    found = {subject.model: subject for subject in engines.subjects(data_dir)}
    assert all(len(subject.graphs) == 1000 for subject in found.values())
    binary, dependency = found["binary Tree-LSTM"], found["child-sum Tree-LSTM"]
    assert 15 < np.mean([graph.size for graph in found["progressive attention"].graphs]) < 21
    assert 25 < np.mean([graph.size for graph in binary.graphs]) < 50
    assert 8 < np.mean([graph.size for graph in dependency.graphs]) < 11
