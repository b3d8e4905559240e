"""docs/own-data.md, own-model.md and own-loop.md: their files are written, their commands and scripts run, in order."""

from __future__ import annotations

import json
import re
import runpy
import shlex
import sys
from operator import eq
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tiny import Program

from dglsent import registry
from dglsent.training.run import Run
from graphs.store import Store

DOCS = Path(__file__).parents[2] / "docs"
IMPORTED = ("mine.py", "related.py", "gat.py", "skip.py", "rated.py")  # by recipes; the other scripts are run


@pytest.fixture
def as_before():
    """What a page imports and puts on the path goes again."""
    path, modules, classes = list(sys.path), set(sys.modules), dict(registry._classes)
    yield
    sys.path[:] = path
    for name in {Path(file).stem for file in IMPORTED} & (set(sys.modules) - modules):
        del sys.modules[name]
    registry._classes.clear()
    registry._classes.update(classes)


def blocks(page):
    """Its files, as (name, text), and its commands, as ("", text), in order."""
    for kind, text in re.findall(r"```(\w+)\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        first, rest = text.split("\n", 1)
        yield ("", text) if kind == "sh" else (first.removeprefix("# "), rest)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys, as_before):
    """A page's blocks in the folder of the test: (what each command prints, the lines that the scripts print)."""
    monkeypatch.chdir(tmp_path)
    program = Program(capsys)

    def whole(page):
        said, printed = {}, []
        for file, text in blocks(page):
            if not file:
                for line in text.splitlines():
                    name, *arguments = shlex.split(line)
                    assert name == "dglsent"
                    code, said[line], err = program(*arguments)
                    assert code == 0, err
                continue
            Path(file).write_text(text, encoding="utf-8")
            if file.endswith(".py") and file not in IMPORTED:
                assert len(text.splitlines()) < 60
                monkeypatch.setattr(sys, "argv", [file, "--device", "cpu"])
                runpy.run_path(file, run_name="__main__")
                printed += capsys.readouterr().out.splitlines()
        return said, printed

    return whole


def test_your_data(run):
    run("own-data.md")
    assert set(Run("runs/tags").metrics()["test"]) == {"accuracy"}
    assert set(Run("runs/chars").metrics()["test"]) == {"f1", "precision", "recall", "accuracy"}


def test_your_model(run, capsys):
    said, _ = run("own-model.md")
    first, second = (json.loads(line) for line in said["dglsent predict runs/mine parsed.conllu --trust"].splitlines())
    assert {first["label"], second["label"]} <= {"praise", "blame"} == set(first["probabilities"])
    assert len(list(Path("pictures").glob("*-neighbour.attention.svg"))) == 2
    assert Run("runs/skip").config(trusted=True).graph.init_args.gap == 2
    assert Store("skip-store").manifest["graph"] == "SkipChain(gap=3)"
    refuses = Program(capsys).refuses
    refuses("fit", "mine.yaml", "--out", "a", "--task.classes", "3", saying=["task.classes: 3", "blame, praise"])
    refuses(
        "fit", "mine.yaml", "--out", "b", "--encoder", "BinaryTreeLSTM", saying=["BinaryTreeLSTM", "dependency graphs"]
    )
    assert not Path("a").exists()
    assert not Path("b").exists()


def test_your_training_loop(run):
    for file, text in blocks("own-data.md"):
        if file == "states.py" or (file and not file.endswith(".py")):
            Path(file).write_text(text, encoding="utf-8")
    runpy.run_path("states.py")
    said, printed = run("own-loop.md")
    losses = [float(line.rpartition(" ")[2]) for line in printed if "loss" in line]
    assert losses[-1] < losses[0]
    tested = [line for fold in "012" for line in Path(f"folds/{fold}/test.csv").read_text().splitlines()[1:]]
    assert sorted(tested) == sorted(Path("reviews.csv").read_text().splitlines()[1:])
    accuracies = [Run(f"runs/folds/{fold}").metrics()["test"]["accuracy"] for fold in "012"]
    (mean,) = (line.removeprefix("accuracy ") for line in printed if line.startswith("accuracy "))
    assert float(mean) == pytest.approx(sum(accuracies) / 3)
    ours, saved = torch.load("weights.pt"), load_file("runs/own/weights.safetensors")
    assert {name: weight.tolist() for name, weight in saved.items()} == {name: w.tolist() for name, w in ours.items()}
    predicted = [json.loads(line)["label"] for line in said["dglsent predict runs/own trees.brackets"].splitlines()]
    scored = json.loads(said["dglsent test runs/own trees.brackets"])["trees.brackets"]
    assert scored["accuracy"] == sum(map(eq, predicted, "1010")) / 4
