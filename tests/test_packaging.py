"""The files that say what to install agree with each other."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_environment_lists_what_pyproject_requires(project):
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, listed = environment["dependencies"]
    assert python == f"python{project['requires-python']}"
    assert pip == "pip"
    assert listed["pip"] == [*project["dependencies"], *project["optional-dependencies"]["notebook"], "-e ."]


def test_the_version_to_cite_is_that_of_the_package(project):
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (cited["version"], cited["license"]) == (project["version"], "Apache-2.0")


def test_lowest_versions_are_those_declared(project):
    """What `make lowest` installs, but for torch, of which not every machine has an old build."""
    pins = [line for line in (ROOT / "constraints-lowest.txt").read_text().splitlines() if line[0] != "#"]
    lowest = dict(pin.split("==") for pin in pins)
    declared = dict(re.split(r"\[\w+\]>=|>=", line) for line in project["dependencies"])
    assert lowest.keys() == declared.keys()
    for name, version in declared.items():
        if name != "torch":
            assert f"{lowest[name]}.".startswith(f"{version}."), name  # 3.20 is no 3.2


def test_every_import_is_declared(project):
    declared = {re.split(r"[\[<>=]", line)[0].lower() for line in project["dependencies"]}
    names = {"pyyaml": "yaml", "docstring-parser": "docstring_parser"}  # of a package where it is not its own
    declared |= {names[each] for each in declared & names.keys()} | {"ray", "treelstm", "graphs", "dglsent"}
    imported = {
        name
        for package in ("graphs", "dglsent")
        for path in (ROOT / package).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _roots(node)
    }
    assert imported - declared <= sys.stdlib_module_names


def _roots(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    return [alias.name.partition(".")[0] for alias in node.names] if isinstance(node, ast.Import) else []


@pytest.fixture(scope="module")
def pins():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return [Requirement(line.partition("#")[0]) for line in lines if line and not line.startswith("#")]


def test_constraints_pin_what_pyproject_names(project, pins):
    named = {re.split(r"[\[<>=]", line)[0] for line in project["dependencies"]}
    named |= {re.split(r"[\[<>=]", line)[0] for line in project["optional-dependencies"]["dev"]}
    versions = {pin.name: re.fullmatch(r"==([\w.]+)", str(pin.specifier))[1] for pin in pins}
    assert {"torch", "dgl", "stanza", "lightning", "numpy", "networkx", "pytest"} <= versions.keys()
    assert versions["torch"] == "2.13.0"
    brought_along = {"torchdata", "scipy", "pymdown-extensions"}  # by dgl and mkdocstrings
    assert versions.keys() - named <= brought_along


def test_pins_hold_on_every_python_that_they_are_for(project, pins):
    """As what is pinned and installed here says of itself."""
    pythons = [f"3.{minor}" for minor in range(10, 20) if f"3.{minor}" in SpecifierSet(project["requires-python"])]
    assert pythons == ["3.10", "3.11", "3.12"]
    installed = [(pin, distribution(pin.name)) for pin in pins]
    installed = [(pin, found) for pin, found in installed if found.version.partition("+")[0] in pin.specifier]
    assert installed
    for pin, found in installed:
        wanted = SpecifierSet(found.metadata["Requires-Python"] or "")
        for python in pythons:
            if pin.marker is None or pin.marker.evaluate({"python_version": python}):
                assert python in wanted, f"{pin} needs Python {wanted}"


def test_recipes_and_tables_come_with_the_package():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    package = ROOT / "dglsent"
    shipped = {file for pattern in settings["package-data"]["dglsent"] for file in package.glob(pattern)}
    found = {file for folder in ("recipes", "tables") for file in (package / folder).rglob("*.*")}
    assert len(found) > 20
    assert found <= shipped


def test_only_the_door_imports_dgl():
    offenders = [
        str(path.relative_to(ROOT))
        for package in ("graphs", "dglsent", "tests", "notebooks")
        for path in (ROOT / package).rglob("*")
        if path.suffix in (".py", ".ipynb")
        and path != ROOT / "graphs" / "door.py"
        and re.search(r"^\W*(import dgl\b|from dgl\b(?!sent))", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert offenders == []


def test_graphs_never_imports_dglsent():
    offenders = [
        path.name
        for path in (ROOT / "graphs").rglob("*.py")
        if re.search(r"^\s*(from|import) dglsent", path.read_text())
    ]
    assert offenders == []


def _map() -> dict[str, list[str]]:
    """The names in the map of docs/architecture.md, from top to bottom, of either package."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = re.search(r"^```\n(graphs/.*?)^```", page, re.DOTALL | re.MULTILINE)
    rooms: dict[str, list[str]] = {}
    for line in drawn[1].splitlines():
        indent, names = re.match(r"( *)(.+?)(?:  |$)", line).groups()
        if not indent:
            package = rooms.setdefault(names.strip("/"), [])
        elif len(indent) == 2:
            package += [name.strip("/") for name in names.split(", ")]
    return rooms


@pytest.mark.parametrize("package", ["graphs", "dglsent"])
def test_the_map_has_every_room_once(package):
    found = {path.stem for path in (ROOT / package).iterdir() if path.suffix == ".py" or path.is_dir()}
    drawn = _map()[package]
    assert sorted(drawn) == sorted(name for name in found if not name.startswith("__"))


def test_imports_run_up_the_map():
    rooms = _map()["dglsent"]
    for path in (ROOT / "dglsent").rglob("*.py"):
        room = path.relative_to(ROOT / "dglsent").parts[0].removesuffix(".py")
        if room not in rooms:
            continue  # the package itself and `python -m dglsent`
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in _rooms_named(node):
                assert name not in rooms or rooms.index(name) <= rooms.index(room), f"{path}: imports {name}"


def _rooms_named(node: ast.AST) -> list[str]:
    """The rooms of dglsent that a statement imports from."""
    return [name.split(".")[1] for name in _modules_named(node) if name.startswith("dglsent.")]


def _modules_named(node: ast.AST) -> list[str]:
    """The dotted names that a statement imports."""
    if isinstance(node, ast.ImportFrom):
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


@pytest.mark.parametrize(
    ("room", "never"),
    [
        ("plans", r"dglsent\.(?!passing\.plans\b)"),
        ("engines/torch", r"dglsent\.passing\.engines\.dgl"),
        ("engines/dgl", r"dglsent\.passing\.engines\.torch"),
        (".", r"dglsent\.passing\.engines"),
    ],
)
def test_imports_within_passing_run_one_way(room, never):
    """`passing/__init__.py` alone, which chooses between the engines, imports them."""
    passing = ROOT / "dglsent" / "passing"
    files = {
        "engines/dgl": sorted((passing / "engines").glob("dgl*.py")),
        ".": [path for path in sorted(passing.glob("*.py")) if path.name != "__init__.py"],
    }.get(room) or sorted((passing / room).glob("*.py"))
    assert len(files) > 2
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in _modules_named(node):
                assert not re.match(never, name), f"{path}: imports {name}"


@pytest.mark.parametrize("command", ["import graphs", "import dglsent.cli.main"])
def test_imports_stay_light(command):
    heavy = ("torch", "dgl", "stanza", "lightning", "matplotlib", "numpy")
    check = f"{command}; import sys; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True, cwd=ROOT)
    assert result.stdout.strip() == "[]"
