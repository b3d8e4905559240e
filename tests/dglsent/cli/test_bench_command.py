"""`dglsent bench`: rows with the promised keys, and work that is the same for all three."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from measured_rows import measured_rows

from dglsent.benchmark import engines, epochs, long, samples
from dglsent.cli.main import main
from graphs.errors import InputError

TIMES = ["dgl_ms", "torch_ms", "plan_ms", "bare_ms"]
KEYS = ["model", "graph", "batch", "mode", "device", "threads", *TIMES, "launches", "steps"]


@pytest.fixture
def few_trees(monkeypatch):
    """Random trees, few of them, and each batch timed once."""
    monkeypatch.delenv("DGLSENT_DATA", raising=False)
    monkeypatch.setattr(samples, "CORPUS", 10)
    monkeypatch.setattr(engines, "measure", partial(engines.measure, repeats=1))


@pytest.fixture(scope="module")
def subjects():
    """Every model by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "CORPUS", 10)
        return {subject.model: subject for subject in engines.subjects(None)}


@pytest.mark.usefixtures("few_trees")
def test_json_rows(capsys):
    assert main(["bench", "--all", "--batch", "2", "--batches", "1", "--threads", "1", "--json"]) == 0
    out, progress = capsys.readouterr()
    rows = json.loads(out)
    assert progress.splitlines()[0] == "1 of 8: binary Tree-LSTM, batches of 2"
    assert [list(row) for row in rows] == [KEYS] * 16
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
    assert {(row["batch"], row["mode"]) for row in rows} == {(2, "forward"), (2, "forward+backward")}
    assert all(row[key] > 0 for row in rows for key in KEYS[6:])


def write_corpora(data, sick):
    """SST in the folder of its download and one pair of SICK, whose parses lie in a folder."""
    (data / "sst/trees").mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (data / f"sst/trees/{split}.txt").write_text("(3 (2 a) (2 film))\n(2 so)\n")
        (data / sick / split).mkdir(parents=True)
        (data / sick / split / "sim.txt").write_text("3\n")
        for side in "ab":
            for end, text in (
                ("toks", "a dog"),
                ("parents", "2 0"),
                ("rels", "det root"),
                ("ptb", "(NP (DT a) (NN dog))"),
            ):
                (data / sick / split / f"{side}.{end}").write_text(f"{text}\n")


def test_trees_of_corpora_wherever_these_lie(tmp_path, monkeypatch):
    monkeypatch.delenv("DGLSENT_PARSES", raising=False)
    write_corpora(tmp_path, "sick")
    binary, dependencies, phrases = samples.trees_of(tmp_path, np.random.default_rng(0))
    assert [graph.size for graph in binary] == [3, 1]
    assert [graph.size for graph in dependencies] == [2]
    assert [graph.size for graph in phrases] == [3]


def test_corpora_without_trees_are_told(tmp_path, monkeypatch):
    monkeypatch.delenv("DGLSENT_PARSES", raising=False)
    write_corpora(tmp_path, "sick/parsed")
    for file in tmp_path.glob("sick/parsed/*/a.ptb"):
        file.unlink()
    with pytest.raises(InputError, match=r"a\.ptb"):
        samples.trees_of(tmp_path, np.random.default_rng(0))
    with pytest.raises(InputError, match="SST is missing"):
        samples.trees_of(tmp_path / "sick", np.random.default_rng(0))


@pytest.mark.usefixtures("few_trees")
def test_a_table_for_people(capsys, monkeypatch):
    rows = measured_rows(monkeypatch, engines)
    assert main(["bench", "--batch", "1,2", "--batches", "1", "--threads", "1", "--models", "LSTM,CN3"]) == 0
    out, progress = capsys.readouterr()
    wanted = [("LSTM", 1), ("LSTM", 2), ("CN3", 1), ("CN3", 2)]
    assert progress.splitlines() == [
        f"{number} of 4: {model}, batches of {size}" for number, (model, size) in enumerate(wanted, 1)
    ]
    lines = out.splitlines()
    assert "random trees" in lines[0]
    times = ["DGL ms", "torch ms", "plan ms", "bare ms", "DGL/torch", "torch/bare", "launches/step"]
    assert re.split(r" {2,}", lines[1]) == ["model", "graph", "batch", "mode", *times]
    modes = ("forward", "forward+backward")
    assert [line.split()[:4] for line in lines[2:]] == [
        [model, graph, str(size), mode]
        for model, graph in (("LSTM", "chain"), ("CN3", "complete"))
        for size in (1, 2)
        for mode in modes
    ]
    for line, row in zip(lines[2:], rows, strict=True):
        dgl, ours, plan, bare = (row[f"{name}_ms"] for name in ("dgl", "torch", "plan", "bare"))
        numbers = (dgl, ours, plan, bare, dgl / (ours + plan), ours / bare)
        assert line.split()[4:] == [
            *(f"{each:.2f}" for each in numbers),
            f"{row['launches'] / max(1, row['steps']):.1f}",
        ]


def test_an_epoch():
    row = epochs.measure("reviews/bag-of-words", 100, Path(), "cpu")
    assert row["steps"] > 1
    assert row["seconds"] > 0


def test_epochs_are_told_as_they_end(capsys, monkeypatch, tmp_path):
    def measured(name, size, data, device, *, fused):
        return {"recipe": name, "batch": size, "device": device, "steps": 7, "seconds": 1.5}

    monkeypatch.setattr(epochs, "measure", measured)
    monkeypatch.setattr(epochs, "RECIPES", [("sst/tree-lstm", 25), ("sick/tree-lstm", 25)])
    assert main(["bench", "--epochs", "--data", str(tmp_path)]) == 0
    out, progress = capsys.readouterr()
    assert out.splitlines()[0] == "sst/tree-lstm    batch 25   7 steps 1.50 s"
    assert progress.splitlines() == ["sst/tree-lstm, batches of 25", "sick/tree-lstm, batches of 25"]
    assert main(["bench", "--epochs", "--data", str(tmp_path), "--json"]) == 0
    assert [row["recipe"] for row in json.loads(capsys.readouterr().out)] == ["sst/tree-lstm", "sick/tree-lstm"]


def test_long_sentences(capsys, monkeypatch):
    """Each setting is a process: one tells its row as JSON, another as a line, a third says why it cannot."""
    monkeypatch.setattr(long, "SETTINGS", [long.Setting("dense", 2, 5)])
    assert main(["bench", "--long", "--threads", "1", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    times = ["plan_ms", "forward_ms", "backward_ms", "peak_gib"]
    assert list(row) == ["layout", "batch", "words", "threads", *times]
    assert (row["layout"], row["batch"], row["words"]) == ("dense", 2, 5)
    assert all(row[key] > 0 for key in times)
    settings = [long.Setting("edges", 2, 5), long.Setting("edges", 2, "few")]
    monkeypatch.setattr(long, "SETTINGS", settings)
    assert main(["bench", "--long", "--threads", "1"]) == 2
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].endswith("1 thread; a process for each row")
    assert lines[2].split()[:3] == ["edges", "2", "5"]
    assert err.startswith("dglsent: 2 x few words, edges: ValueError: ")


def test_numbers_of_long_sentences_stand_under_their_headings(capsys, monkeypatch):
    def measured(threads):
        times = {"plan_ms": 1.5, "forward_ms": 2345.67, "backward_ms": 34567.89, "peak_gib": 4.321}
        yield {"layout": "dense", "batch": 16, "words": 400, "threads": threads, **times}

    monkeypatch.setattr(long, "rows", measured)
    assert main(["bench", "--long", "--threads", "2"]) == 0
    told, head, line = capsys.readouterr().out.splitlines()
    assert told == "CN3, forward and backward, 2 threads; a process for each row"
    headings, numbers = (list(re.finditer(r"\S+(?: \S+)*", each)) for each in (head, line))
    assert [(heading[0], number[0]) for heading, number in zip(headings, numbers, strict=True)] == [
        ("layout", "dense"),
        ("batch", "16"),
        ("words", "400"),
        ("plan ms", "1.5"),
        ("forward ms", "2345.7"),
        ("backward ms", "34567.9"),
        ("peak memory GiB", "4.32"),
    ]
    assert [heading.end() for heading in headings[1:]] == [number.end() for number in numbers[1:]]


def test_bad_arguments_are_one_line(capsys):
    assert main(["bench", "--models", "LSTM,GRU"]) == 2
    assert "--models: no model 'GRU'; there are binary Tree-LSTM, " in capsys.readouterr().err
    assert main(["bench", "--threads", "0"]) == 2
    assert "'0' is not a list of whole numbers from 1, such as 1,25" in capsys.readouterr().err
    assert main(["bench", "--long", "--models", "CN3"]) == 2
    assert capsys.readouterr().err == "dglsent: --models: not with --long; leave it out\n"
    assert main(["bench", "--peers", "--long"]) == 2
    assert "not allowed with argument" in capsys.readouterr().err
    if not torch.cuda.is_available():
        assert main(["bench", "--device", "cuda"]) == 2
        assert capsys.readouterr().err == "dglsent: --device cuda: torch sees no GPU here; use --device cpu\n"


def test_every_model_is_timed(subjects):
    assert tuple(subjects) == engines.MODELS


@pytest.mark.parametrize("model", engines.MODELS)
def test_the_bare_products_are_those_of_the_model(subjects, model):
    """Rows of every product add up: inputs once for each word that has them, recurrent ones once an inner node."""
    subject, sentences = subjects[model], 8
    batch = subject.batch(subject.graphs[:sentences])
    nodes, edges = batch.num_nodes, len(batch.edges.get("slot", ()))
    words = nodes - sentences  # of window graphs, which have a padding node each; else those that hear another
    leaves = int((np.bincount(batch.relation().ends[1], minlength=nodes) == 0).sum())
    inner = nodes - leaves
    rows, of_inputs = {}, set()
    for product in engines._products(subject.encoder, batch):
        key = (product.columns, len(product.weight))
        rows[key] = rows.get(key, 0) + product.rows
        if not product.recurrent:
            of_inputs.add(key)
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
    # Two states of 150 are as wide as a word, and wait for the step before.
    assert (
        of_inputs
        == {
            "binary Tree-LSTM": {(300, 450)},
            "child-sum Tree-LSTM": {(300, 450), (300, 150)},
            "LSTM": {(300, 600)},
            "TG-HTreeLSTM": set(),  # its words wait for the heads of phrases
            "attentive Tree-LSTM": {(300, 600), (300, 450), (300, 150)},
            "progressive attention": {(300, 450)},
            "CN3": {(300, 300)},
            "window BiLSTM": set(),
        }[subject.model]
    )


def test_real_trees(data_dir):
    binary, dependency, phrases = samples.trees_of(data_dir, np.random.default_rng(0))
    assert [len(found) for found in (binary, dependency, phrases)] == [1000] * 3
    assert 15 < np.mean([graph.size for graph in phrases]) < 21
    assert 25 < np.mean([graph.size for graph in binary]) < 50
    assert 8 < np.mean([graph.size for graph in dependency]) < 11
