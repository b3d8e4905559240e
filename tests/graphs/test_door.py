"""The door to DGL: what it does with builds that fit, that do not fit, that are broken or missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parents[2]
VERSION = torch.__version__.split("+")[0]


def open_door(site, code="from graphs.door import dgl; print(dgl.WHO)"):
    """Run code in a fresh interpreter that finds packages in `site` before all others."""
    path = os.pathsep.join([str(site), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}, cwd=site
    )


def build(
    site, *, library=None, init="from . import graphbolt, function\nWHO = graphbolt.__dict__.get('WHO', 'stand-in')"
):
    """A DGL of our own making: a package that imports its GraphBolt, which has a library for one torch."""
    (site / "dgl" / "graphbolt").mkdir(parents=True)
    (site / "dgl" / "__init__.py").write_text(init)
    (site / "dgl" / "function.py").write_text("")
    (site / "dgl" / "graphbolt" / "__init__.py").write_text("WHO = 'official'")
    if library:
        (site / "dgl" / "graphbolt" / f"libgraphbolt_pytorch_{library}.so").write_text("")


def test_a_graphbolt_that_does_not_fit_is_stood_in_for(tmp_path):
    build(tmp_path, library="2.2.1")
    assert open_door(tmp_path).stdout.strip() == "stand-in"


def test_an_official_build_is_left_alone(tmp_path):
    build(tmp_path, library=VERSION)
    assert open_door(tmp_path).stdout.strip() == "official"


def test_a_broken_dgl_is_one_line_that_says_what_to_install(tmp_path):
    build(tmp_path, init="raise OSError('libdgl.so: cannot open shared object file')")
    result = open_door(tmp_path)
    last = result.stderr.strip().splitlines()[-1]
    assert result.returncode == 1
    assert "libdgl.so: cannot open shared object file" in last
    assert "pip install dgl==2.1.0" in last
    assert str(tmp_path / "dgl") in last


def test_a_missing_dgl_is_one_line_that_says_what_to_install(tmp_path):
    hide = (
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'dgl' else find(name, *rest)\n"
    )
    result = open_door(tmp_path, hide + "import graphs.door")
    assert result.returncode == 1
    assert "DGL is not installed; install it with: pip install dgl==2.1.0" in result.stderr.strip().splitlines()[-1]


def test_the_command_line_says_it_bare(tmp_path):
    build(tmp_path, init="import no_such_module_anywhere")
    result = open_door(tmp_path, "import sys; from dglsent.cli.main import main; sys.exit(main(['bench']))")
    assert result.returncode == 2
    assert result.stderr.startswith("dglsent: DGL at ")
    assert len(result.stderr.strip().splitlines()) == 1


def test_the_installed_dgl_works():
    from graphs.door import dgl, fn

    graph = dgl.graph(([0, 1], [2, 2]))
    graph.ndata["x"] = torch.tensor([1.0, 2.0, 4.0])
    graph.update_all(fn.copy_u("x", "m"), fn.sum("m", "x"))
    assert graph.ndata["x"].tolist() == [0, 0, 3]
    assert [frontier.tolist() for frontier in dgl.topological_nodes_generator(graph)] == [[0, 1], [2]]


def test_importing_says_nothing():
    code = "import graphs.door, graphs.batching"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
