"""The names of the package: for type checkers, for imports and for `*` they are the same."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

import graphs


def test_the_three_lists_of_names_are_one():
    tree = ast.parse(Path(graphs.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    checked = {each.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for each in node.names}
    assert checked == graphs._HOMES
    assert sorted(graphs.__all__) == sorted(graphs._HOMES)
    assert all(getattr(graphs, name) for name in graphs.__all__)


def test_no_module_has_the_name_of_something_else():
    """An import of the module would put it in the place of what the name stands for."""
    assert [name for name in graphs.__all__ if find_spec(f"graphs.{name}")] == []
