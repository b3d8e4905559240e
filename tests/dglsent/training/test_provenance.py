from __future__ import annotations

import ast
import hashlib
import json
import textwrap

import pytest
import torch
import yaml
from tiny import TINY

import graphs
from dglsent.training import provenance, recipe
from dglsent.training.callbacks import CodeInUse
from dglsent.training.provenance import APART, MIXED, NAMES, code_hash, code_in_use, modules, recipe_hash
from dglsent.version import version

CODE = """
import math

def area(r: float) -> float:
    return math.pi * r**2
"""
PROSE = """
'''What this is for.'''
import math


def area(r: float) -> float:  # of a circle
    '''Its area.'''
    return (
        math.pi * r**2
    )
"""


@pytest.fixture
def hashed(tmp_path, monkeypatch):
    monkeypatch.setattr(provenance, "_ROOT", tmp_path)

    def hashed(text: str, name: str = "a") -> str | None:
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        provenance._file_hash.cache_clear()
        return code_hash(name)

    return hashed


def test_prose_and_layout_do_not_count_and_everything_else_does(hashed):
    whole = hashed(CODE)
    assert hashed(PROSE) == whole
    assert hashed(CODE, "b") == whole
    for old, new in (("r**2", "r**3"), ("area", "surface"), ("math.pi", "math.e"), ("float:", "int:")):
        assert hashed(CODE.replace(old, new)) not in (None, whole)
    assert hashed("") is None
    assert hashed("class A:\n    pass\n") == hashed('class A:\n    "An A."\n')
    assert code_hash("no.such_module") is None


def test_every_python_gives_the_same_hash(hashed):
    """Pythons 3.10 to 3.13 parse or unparse these otherwise than each other."""
    code = """
    table: dict[tuple[int, str], str] = {}

    async def first(*names, width=3):
        for name in names:
            table[len(name), name] = f"{name:<{width}} is '{name.strip()!r}', " f"{{{name[0:1]}}}"
        return lambda: (yield), ..., None, 1e-30, b"\\0", *names
    """
    assert hashed(code) == "036f969cf08e8671"


def test_a_run_says_what_it_is_made_of(trees_run):
    made_of = json.loads((trees_run / "metrics.json").read_text())["provenance"]
    code = made_of["code"]
    used = {"graphs.builders", "dglsent.models.tree_lstm", "dglsent.nn.cells", "dglsent.passing.functions"}
    assert used | {"dglsent.training.data", "dglsent.tasks.classification", "dglsent.corpora.built_in"} <= code.keys()
    assert not {name for name in code if name.startswith(("dglsent.cli", "graphs.drawing", "dglsent.analysis"))}
    assert all(code_hash(name) == made for name, made in code.items())
    assert made_of["version"] == version()
    assert made_of["cpu"] == torch.backends.cpu.get_cpu_capability()
    config = recipe.resolve((trees_run / "config.yaml").read_text())
    assert made_of["recipe"] == recipe_hash(config)


def test_recipes_differ_in_what_they_say_and_not_in_where_files_lie():
    def hashed(old: str = "", new: str = "") -> str:
        return recipe_hash(recipe.resolve(TINY.replace(old, new)))

    dim = "dim: 8"
    assert hashed() == hashed("hidden: 6", "hidden:   6")
    assert hashed() != hashed("hidden: 6", "hidden: 7")
    here, there, other = (
        hashed(dim, f"{dim}, vectors: {file}") for file in ("/a/glove.gz", "/b/glove.gz", "/a/w2v.gz")
    )
    assert here == there != other


def test_an_option_younger_than_a_run_does_not_make_its_recipe_another():
    """The hash of a recipe before there was `training.clip`, and that of today."""
    config = recipe.resolve(TINY)
    without = yaml.safe_load(recipe.dump(config))
    del without["training"]["clip"]
    text = json.dumps(without, sort_keys=True)
    assert recipe_hash(config) == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert recipe_hash(recipe.resolve(TINY.replace("batch_size: 8", "batch_size: 8, clip: 1.0"))) != recipe_hash(config)


def test_an_argument_younger_than_a_run_does_not_either():
    """Before there was `corpus.score_range` MSRpar took none."""
    config = recipe.resolve("base: msrpar/dependency\n", ["--corpus.score_range", "0-5", "--task.low", "0"])
    without = yaml.safe_load(recipe.dump(config))
    del without["training"]["clip"], without["corpus"]["init_args"]
    assert recipe_hash(config) == hashlib.sha256(json.dumps(without, sort_keys=True).encode()).hexdigest()[:16]
    shifted = recipe.resolve("base: msrpar/dependency\n")
    assert recipe_hash(shifted) != recipe_hash(config)


def test_a_module_that_changes_between_the_parts_of_a_run_is_said_to_be_mixed():
    first = CodeInUse()
    assert {"dglsent.training.data", "graphs.builders"} <= first.hashes.keys()
    state = first.state_dict()
    again = CodeInUse()
    again.load_state_dict(state)
    assert again.hashes == first.hashes
    changed = {**state["hashes"], "graphs.builders": "0123", "graphs.no_more": "4567"}
    again.load_state_dict({"hashes": changed})
    assert again.hashes == {**first.hashes, "graphs.builders": MIXED, "graphs.no_more": MIXED}
    later = CodeInUse()
    later.load_state_dict({"hashes": {}})
    assert later.hashes == first.hashes
    later.hashes = {}  # what the run has used before, and has not imported again
    later.load_state_dict(state)
    assert later.hashes == first.hashes
    later.hashes = {"graphs.builders": "0123"}  # the file was edited since: what was imported is what runs
    later.load_state_dict({"hashes": {"graphs.builders": "0123"}})
    assert later.hashes == {"graphs.builders": "0123"}
    later.hashes = {}
    later.on_train_epoch_end(None, None)
    assert later.hashes == first.hashes


def test_hashes_taken_earlier_stay():
    known = {"graphs.builders": "as imported"}
    assert code_in_use(known)["graphs.builders"] == "as imported"


@pytest.mark.parametrize("name", APART)
def test_what_stands_apart_exists(name):
    parts = provenance._ROOT.joinpath(*name.split("."))
    assert parts.is_dir() or parts.with_suffix(".py").is_file()
    assert name not in modules()


def test_what_counts_takes_no_name_of_the_package_that_does_not():
    for module in modules():
        file = provenance._ROOT.joinpath(*module.split("."))
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == NAMES:
                assert {alias.name for alias in node.names}.isdisjoint(graphs.__all__), module
            if isinstance(node, ast.Import):
                assert NAMES not in {alias.name for alias in node.names}, module
