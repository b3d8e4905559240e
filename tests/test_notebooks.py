"""The notebooks run from top to bottom, one after the other in one kernel, which imports torch and DGL once."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import numpy as np
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def kernel() -> Iterator[KernelManager]:
    """A running kernel. It has no data folder, so that the notebooks read the built-in corpus, and draws in them."""
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    hidden = {"DGLSENT_DATA", "DGLSENT_PARSES", "MPLBACKEND"}
    env = {name: value for name, value in os.environ.items() if name not in hidden} | {"PYTHONPATH": path}
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel(env=env, cwd=str(ROOT / "notebooks"))
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.fixture(scope="module")
def printed(kernel: KernelManager) -> Callable[[str], str]:
    """Runs a notebook by its name; returns what it printed."""

    def run(name: str) -> str:
        notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
        # Names of the notebook before are forgotten; what it imported stays loaded.
        notebook.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
        client = NotebookClient(notebook, km=kernel, timeout=300)
        before = signal.getsignal(signal.SIGINT)
        client.execute()
        client.kc.stop_channels()
        signal.signal(signal.SIGINT, before)  # the client's event loop leaves Python's own, also where it was ignored
        return text_of(notebook)

    return run


def text_of(notebook: nbformat.NotebookNode) -> str:
    """The standard output of the cells."""
    return "".join(
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output["output_type"] == "stream" and output["name"] == "stdout"
    )


def numbers(text: str, after: str) -> list[float]:
    """The numbers that follow each mention of something."""
    return [float(found) for found in re.findall(re.escape(after) + r"\s*(-?[\d.]+(?:e-?\d+)?)", text)]


def test_sentence_graphs(printed):
    text = printed("sentence_graphs")
    assert numbers(text, "test accuracy at the roots")[-1] > 0.9
    assert "node fields equal: True" in text
    assert numbers(text, "difference between the engines:")[0] < 1e-5


def test_tree_composition(printed):
    text = printed("tree_composition")
    assert numbers(text, "all phrases")[0] > 0.85
    information, control = re.search(r"mean information ([\d.]+) nats, shuffled ([\d.]+)", text).groups()
    assert float(information) > 2 * float(control)


def test_pair_attention(printed):
    text = printed("pair_attention")
    for accuracy in numbers(text, "test accuracy"):
        assert accuracy > 0.65
    assert len(numbers(text, "test accuracy")) == 2


def test_learned_structure(printed):
    text = printed("learned_structure")
    on_neighbours = dict(zip(("words", "tree"), np.reshape(numbers(text, "model"), (2, 2)).mean(1), strict=True))
    assert on_neighbours["tree"] > on_neighbours["words"] + 0.1


def test_dynamic_window(printed):
    text = printed("dynamic_window")
    assert numbers(text, "test accuracy")[0] > 0.9
    gates = [float(gate) for gate in text.split("last step")[1].split("\n")[0].split()]
    assert gates[4] > max(gates[0], gates[8]) + 0.2


def test_bring_your_own_model(printed):
    text = printed("bring_your_own_model")
    assert [difference < 1e-4 for difference in numbers(text, "largest difference")] == [True] * 3
    assert numbers(text, "accuracy: phrases")[-1] > 0.85


def test_every_notebook_is_run_and_committed_with_its_outputs():
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert f"test_{path.stem}" in globals()
        cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert all(cell.execution_count for cell in cells), path
        assert not any(output["output_type"] == "error" for cell in cells for output in cell.outputs)
        for cell in cells:
            if "plt.subplots(" in cell.source:
                assert any("image/png" in output.get("data", {}) for output in cell.outputs), (path, cell.source)
        assert path.stat().st_size < 500_000
