"""docs/own-model.md: its files are written, its commands and scripts run, in order."""

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

PAGE = Path(__file__).parents[2] / "docs" / "own-model.md"


@pytest.fixture
def as_before():
    """What the page imports and puts on the path goes again."""
    path, modules, classes = list(sys.path), set(sys.modules), dict(registry._classes)
    yield
    sys.path[:] = path
    for name in {"mine", "skip", "rated", "gat"} & (set(sys.modules) - modules):
        del sys.modules[name]
    registry._classes.clear()
    registry._classes.update(classes)


def blocks():
    return re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.usefixtures("as_before")
def test_the_page_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    program, said, printed = Program(capsys), {}, []
    for kind, text in blocks():
        if kind == "sh":
            for line in text.splitlines():
                name, *arguments = shlex.split(line)
                assert name == "dglsent"
                code, said[line], err = program(*arguments)
                assert code == 0, err
            continue
        first, rest = text.split("\n", 1)
        file = Path(first.removeprefix("# "))
        file.write_text(rest, encoding="utf-8")
        if file.suffix == ".py" and file.name not in ("mine.py", "skip.py", "rated.py", "gat.py"):
            assert len(rest.splitlines()) < 60
            monkeypatch.setattr(sys, "argv", [file.name, "--device", "cpu"])
            runpy.run_path(str(file), run_name="__main__")
            printed += capsys.readouterr().out.splitlines()
    losses = [float(line.rpartition(" ")[2]) for line in printed if "loss" in line]
    assert losses[-1] < losses[0]
    first, second = (json.loads(line) for line in said["dglsent predict runs/mine parsed.conllu --trust"].splitlines())
    assert {first["label"], second["label"]} <= {"praise", "blame"} == set(first["probabilities"])
    assert len(list(Path("pictures").glob("*-neighbour.attention.svg"))) == 2
    tested = [line for fold in "012" for line in Path(f"folds/{fold}/test.csv").read_text().splitlines()[1:]]
    assert sorted(tested) == sorted(Path("reviews.csv").read_text().splitlines()[1:])
    accuracies = [Run(f"runs/folds/{fold}").metrics()["test"]["accuracy"] for fold in "012"]
    (mean,) = (line.removeprefix("accuracy ") for line in printed if line.startswith("accuracy "))
    assert float(mean) == pytest.approx(sum(accuracies) / 3)
    assert Run("runs/skip").config(trusted=True).graph.init_args.gap == 2
    assert Store("skip-store").manifest["graph"] == "SkipChain(gap=3)"
    assert set(Run("runs/tags").metrics()["test"]) == {"accuracy"}
    ours, saved = torch.load("weights.pt"), load_file("runs/own/weights.safetensors")
    assert {name: weight.tolist() for name, weight in saved.items()} == {name: w.tolist() for name, w in ours.items()}
    predicted = [json.loads(line)["label"] for line in said["dglsent predict runs/own trees.brackets"].splitlines()]
    scored = json.loads(said["dglsent test runs/own trees.brackets"])["trees.brackets"]
    assert scored["accuracy"] == sum(map(eq, predicted, "1010")) / 4
    program.refuses(
        "fit", "mine.yaml", "--out", "a", "--task.classes", "3", saying=["task.classes: 3", "blame, praise"]
    )
    program.refuses(
        "fit", "mine.yaml", "--out", "b", "--encoder", "BinaryTreeLSTM", saying=["BinaryTreeLSTM", "dependency graphs"]
    )
    assert not Path("a").exists()
    assert not Path("b").exists()
