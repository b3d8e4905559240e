"""A small published table, and trainings that take no time to start."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from background import fork
from tiny import TINY, recipe

from dglsent.reproduction import jobs

ONE_EPOCH = TINY.replace("epochs: 2", "epochs: 1").replace("classes: 5", "classes: 5, phrases: false")

HEAD = """
title: Tiny reviews
corpus: built-in reviews
split: test
scores: {accuracy: accuracy, dev.accuracy: dev accuracy}
percent: true
"""

TABLE = (
    HEAD
    + """
papers:
  - paper: Somebody 2020, table 1
    rows:
      - {name: Tree-LSTM, recipe: FOLDER/tiny.yaml, published: [50.0, null], sd: [1.5, null], note: has small states}
      - {name: Broken, recipe: FOLDER/broken.yaml, published: [1.0, 2.0]}
      - {name: Nowhere, recipe: sick/nowhere}
  - paper: Another 2021, table 2
    rows:
      - {name: Quoted, published: [60.5, null]}
"""
)

# The trainings are processes of their own, which must find `tiny` too.
_FOUND = (Path(__file__).parents[3], Path(__file__).parents[1], os.environ.get("PYTHONPATH"))
PATHS = os.pathsep.join(str(path) for path in _FOUND if path)


def environment(patch):
    patch.setenv("PYTHONPATH", PATHS)
    patch.setenv("OMP_NUM_THREADS", "1")


def train_by_forks(patch):
    """Trainings are forks of a process that has imported everything; some tests below have them as they are."""
    patch.setattr(jobs, "_start", fork)


def metrics_of(folder, seed):
    return json.loads((folder / f"runs/tiny/seed-{seed}/metrics.json").read_text())


def copied(made, folder):
    """The table and its runs in another folder, with the command that shows its one row that works."""
    shutil.copytree(made[0], folder, dirs_exist_ok=True)
    table = recipe(folder, TABLE.replace("FOLDER", str(folder)), "table.yaml")
    return ["reproduce", table, "--seeds", "1,2", "--jobs", "2", "--out", folder / "runs", "--rows", "Tree-LSTM"]
