"""The door to DGL: what it does with builds that fit, that do not fit, that are broken or missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from subprocess import PIPE
from types import SimpleNamespace

import pytest
import torch

ROOT = Path(__file__).parents[2]
VERSION = torch.__version__.split("+")[0]

# An interpreter that has imported torch, which takes seconds, and nothing else; code runs in forks of it.
FORKS = """
import json, os, sys, traceback
import torch

for line in sys.stdin:
    site, root, code = json.loads(line)
    if not (fork := os.fork()):
        os.chdir(site)
        for number, name in ((1, "out.txt"), (2, "err.txt")):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
        sys.path[:0] = [site, root]
        status = 0
        try:
            exec(code, {"__name__": "__main__"})
        except SystemExit as end:
            status = end.code or 0
        except BaseException:
            traceback.print_exc()
            status = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def interpreter():
    """Runs `FORKS`."""
    with subprocess.Popen([sys.executable, "-c", FORKS], stdin=PIPE, stdout=PIPE, text=True, cwd=ROOT) as process:
        yield process


@pytest.fixture
def open_door(interpreter):
    """Runs code in an interpreter without DGL as yet, which finds packages in `site` before all others."""

    def run(site, code="from graphs.door import dgl; print(dgl.WHO)"):
        print(json.dumps([str(site), str(ROOT), code]), file=interpreter.stdin, flush=True)
        status = int(interpreter.stdout.readline())
        out, err = ((site / name).read_text() for name in ("out.txt", "err.txt"))
        return SimpleNamespace(returncode=status, stdout=out, stderr=err)

    return run


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


def test_a_graphbolt_that_does_not_fit_is_stood_in_for(open_door, tmp_path):
    build(tmp_path, library="2.2.1")
    assert open_door(tmp_path).stdout.strip() == "stand-in"


def test_an_official_build_is_left_alone(open_door, tmp_path):
    build(tmp_path, library=VERSION)
    assert open_door(tmp_path).stdout.strip() == "official"


def test_a_broken_dgl_is_one_line_that_says_what_to_install(open_door, tmp_path):
    build(tmp_path, init="raise OSError('libdgl.so: cannot open shared object file')")
    result = open_door(tmp_path)
    last = result.stderr.strip().splitlines()[-1]
    assert result.returncode == 1
    assert "libdgl.so: cannot open shared object file" in last
    assert "pip install dgl==2.1.0" in last
    assert str(tmp_path / "dgl") in last


def test_a_missing_dgl_is_one_line_that_says_what_to_install(open_door, tmp_path):
    hide = (
        "import importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *rest: None if name == 'dgl' else find(name, *rest)\n"
    )
    result = open_door(tmp_path, hide + "import graphs.door")
    assert result.returncode == 1
    assert "DGL is not installed; install it with: pip install dgl==2.1.0" in result.stderr.strip().splitlines()[-1]


def test_the_command_line_says_it_bare(open_door, tmp_path):
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


def test_the_torch_engine_leaves_dgl_where_it_is(open_door, tmp_path):
    code = "import sys, graphs, dglsent.inference.model\nfrom graphs.door import fn\n"
    code += "print(sorted({'dgl', 'pandas', 'networkx'} & set(sys.modules)))\n"
    code += "import dgl, dgl.function\nfrom graphs import door\nprint(door.dgl is dgl, dgl.function is fn)"
    result = open_door(tmp_path, code)
    assert (result.returncode, result.stdout, result.stderr) == (0, "[]\nTrue True\n", "")


def test_importing_says_nothing_and_needs_neither_torchtext_nor_torchdata():
    code = "import sys; sys.modules.update(torchtext=None, torchdata=None); "
    code += "from graphs.door import dgl; import dglsent.passing; print(dgl.graph(([0], [1])).num_edges())"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert (result.returncode, result.stdout, result.stderr) == (0, "1\n", "")
