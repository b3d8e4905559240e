"""The notebooks run from top to bottom."""

from __future__ import annotations

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb")))
def test_notebook(name, monkeypatch):
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT / "notebooks")}}).execute()
    printed = "".join(
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream"
    )
    if name == "sentence_graphs.ipynb":
        accuracies = [float(line.split()[-1]) for line in printed.splitlines() if "test accuracy" in line]
        assert accuracies[-1] > 0.9
        assert "node fields equal: True" in printed
        assert float(printed.split("difference between the engines:")[1].split()[0]) < 1e-5
