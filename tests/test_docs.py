"""What README.md and the pages of docs/ show runs: Python as it stands, commands where they are cheap.

Blocks of a page run in their order, in one namespace and one empty folder. An expression with a comment behind it says
what it gives. A block that starts with the comment `# NAME.yaml` or `# NAME.py` is that file. Commands that need no
corpus, or one of the reader's own, run with trainings cut short; of the others, command, recipe, table and options must
exist. A block that parses, with Stanza's models in DIR, runs where $DGLSENT_STANZA names them.
"""

from __future__ import annotations

import ast
import glob
import gzip
import io
import os
import re
import shlex
from inspect import signature
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

import dglsent.passing
import graphs
from dglsent.cli.main import COMMANDS, main
from dglsent.cli.options import Parser
from dglsent.models.attentive_tree import AttentiveTreeGRU, AttentiveTreeLSTM
from dglsent.models.cn3 import CN3
from dglsent.models.decomposable_attention import DecomposableAttention
from dglsent.models.dynamic_compositional import DCRecNN
from dglsent.models.dynamic_window import WindowBiLSTM, WindowLSTM, WindowOptions
from dglsent.models.pd_graph import PDGraph
from dglsent.models.progressive_attention import ProgressiveAttention
from dglsent.models.self_attention import Transformer
from dglsent.models.sequence import BiLSTM
from dglsent.models.tag_guided import TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM
from dglsent.models.tree_lstm import BinaryTreeLSTM, ChildSumTreeLSTM
from dglsent.names import HOMES
from dglsent.nn.node_attributes import Attributes
from dglsent.reproduction import tables
from dglsent.training import recipe as recipes
from dglsent.training import recipe_files

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
FILES = [str(file.relative_to(ROOT)) for room in ("dglsent", "graphs", "tests") for file in (ROOT / room).rglob("*.py")]

CHEAP = (
    r"(fit (reviews/|mine\.)|(predict|test|record) runs/(reviews|mine)|build train-|draw |recipes|analyse --list|--)"
)
SHORT = ("--training.epochs", "1", "--training.workers", "0")
FEW = ("--corpus.train", "40", "--corpus.dev", "10", "--corpus.test", "10")

AFTER = {"docs/performance.md": "docs/large-corpora.md"}  # pages that go on from another

OWN = """\
# label = 1
1\tGood\tgood\tADJ\tJJ\t_\t2\tamod\t_\t_
2\tfilm\tfilm\tNOUN\tNN\t_\t0\troot\t_\t_

# label = 0
1\tDull\tdull\tADJ\tJJ\t_\t0\troot\t_\t_

"""


def _blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of each block of code."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def _said(line: str) -> str:
    return line.rpartition("  # ")[2].strip() if "  # " in line else ""


def _python(code: str, namespace: dict[str, object]) -> None:
    lines = code.splitlines()
    for statement in ast.parse(code).body:
        said = _said(lines[statement.end_lineno - 1])
        source = ast.get_source_segment(code, statement)
        if isinstance(statement, ast.Expr) and said:
            assert str(eval(source, namespace)) == said, source
        else:
            exec(compile(ast.Module([statement], []), "<page>", "exec"), namespace)


def _commands(block: str) -> list[list[str]]:
    """The lines of a shell block, split in words, without comments."""
    lines = block.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def _run(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if words[0] == "echo":
        pipe = words.index("|")
        given, words = words[1:pipe], words[pipe + 1 :]
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((" ".join(given) + "\n").encode())))
    if words[1] == "fit":
        words = [*words, *SHORT, *(FEW if "reviews/" in words[2] else ())]
    words = [name for word in words for name in (sorted(glob.glob(word)) if "*" in word else [word])]
    assert main(words[1:]) == 0, words


class _UnderstoodError(Exception):
    """Ends a command as soon as its options are read."""


def _check(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The command and what it names exist, and its options are read without complaint."""
    command = words[1]
    assert command in COMMANDS, words
    if command == "reproduce" and not words[2].startswith("-"):
        tables.load(words[2])
    of_recipe = command in ("fit", "build")
    reading = "parse_known_args" if of_recipe else "parse_args"
    read = getattr(Parser, reading)

    def stop(parser: Parser, *given: object) -> None:
        found = read(parser, *given)
        options, rest = found if of_recipe else (found, [])
        name = options.recipe if of_recipe else None
        if name and not Path(name).suffix:  # a recipe of one's own is not there
            file = recipe_files.find(name)
            recipes.resolve(recipe_files.read(file), rest, source=str(file))
        else:
            assert not rest or name, f"{words}: {rest}"
        raise _UnderstoodError

    with monkeypatch.context() as patch:
        patch.setattr(Parser, reading, stop)
        with pytest.raises(_UnderstoodError):
            main(words[1:])


# tests/dglsent/test_own_pages.py runs those pages, their scripts too
CODE = [name for name, page in zip(NAMES, PAGES, strict=True) if _blocks(page) and not name.startswith("docs/own-")]


@pytest.mark.parametrize("name", CODE)
def test_code_of_page(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("train-1.conllu.gz").write_bytes(gzip.compress((OWN * 10).encode()))
    for file in ("dev.conllu", "test.conllu", "parses.conllu"):
        Path(file).write_text(OWN, encoding="utf-8")
    if name in AFTER:
        _code_of(AFTER[name], monkeypatch)
    _code_of(name, monkeypatch)


def _code_of(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    namespace: dict[str, object] = {"__name__": "page"}
    models = os.environ.get("DGLSENT_STANZA")
    monkeypatch.setenv("DGLSENT_CACHE", os.path.abspath("parses"))  # not the reader's own
    for language, block in _blocks(ROOT / name):
        file = re.match(r"# ([\w-]+\.(?:yaml|py|txt|brackets|conllu))\n", block)
        if file:
            Path(file[1]).write_text(block, encoding="utf-8")
        elif language == "python" and (models or 'stanza_dir="DIR"' not in block):
            _python(block.replace('stanza_dir="DIR"', f"stanza_dir={models!r}"), namespace)
        elif language == "sh":
            for words in _commands(block):
                _command(words, monkeypatch)


def _command(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if "dglsent" not in words or "-m" in words:
        return
    program = words.index("dglsent")
    if re.match(CHEAP, " ".join(words[program + 1 :])):
        _run(words, monkeypatch)
    else:
        _check(words[program:], monkeypatch)


@pytest.mark.parametrize("name", NAMES)
def test_commands_named_in_prose_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`dglsent ([a-z]+)", text))
    assert named <= COMMANDS.keys()
    targets = set(re.findall(r"`make ([a-z]+)", text))
    assert all(re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE) for target in targets)


@pytest.mark.parametrize("name", NAMES)
def test_linked_files_exist(name):
    page = ROOT / name
    for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), f"{name} links to {link}"


def test_picture_of_the_readme_is_what_its_command_makes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (words,) = [words for _, block in _blocks(ROOT / "README.md") for words in _commands(block) if "draw" in words]
    _run(words, monkeypatch)
    (drawn,) = (tmp_path / "drawings").iterdir()
    assert f"docs/figures/{drawn.name}" in readme
    assert drawn.read_text() == (ROOT / "docs" / "figures" / drawn.name).read_text()


def test_site_builds_without_a_warning(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)  # where it looks for sources
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path), strict=True))
    assert "read_brackets" in (tmp_path / "api" / "graphs" / "index.html").read_text(encoding="utf-8")
    equation = (tmp_path / "papers" / "compose-by-tags" / "index.html").read_text(encoding="utf-8")
    assert "hyper_U" in equation  # the code of the equations
    assert "https://fonts" not in equation
    _has_what_recipes_name_and_programs_import(tmp_path)


def _has_what_recipes_name_and_programs_import(site: Path) -> None:
    pages = [page.read_text(encoding="utf-8") for room in ("api", "papers") for page in (site / room).rglob("*.html")]
    shown = set(re.findall(r' id="([\w.]+)"', "\n".join(pages)))
    homes = [(name, {module}) for name, module in HOMES.items()]
    homes += [(name, {graphs._HOMES[name], getattr(graphs, name).__module__}) for name in graphs.__all__]
    assert not [name for name, modules in homes if not shown & {f"{module}.{name}" for module in modules}]
    passing = (site / "api" / "passing" / "index.html").read_text(encoding="utf-8")
    types = set(re.findall(r"<code>(\w+)</code>", passing))  # which have no docstrings
    assert {name for name in dglsent.passing.__all__ if f"dglsent.passing.{name}" not in shown} <= types


@pytest.mark.parametrize("name", NAMES)
def test_tests_and_modules_named_in_prose_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for file, test in re.findall(r"`(tests/[\w/]+(?:\.py|/))(?:::(\w+))?`", text):
        assert (ROOT / file).exists(), file
        assert not test or f"def {test}(" in (ROOT / file).read_text(encoding="utf-8"), test
    for module in re.findall(r"`((?:\w+/)+\w+\.py)`", text):
        assert any(f"/{file}".endswith(f"/{module}") for file in FILES), module


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("compose-by-tags", 21),
        ("attentive-trees", 7),
        ("dynamic-window", 27),
        ("non-local", 7),
        ("to-attend-or-not", 32),
    ],
)
def test_the_page_of_a_paper_has_each_of_its_equations(name, last):
    text = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    spans = [span for cell in re.findall(r"^\| ([\d, -]+) \|", text, re.MULTILINE) for span in cell.split(", ")]
    ends = [[int(end) for end in span.split("-")] for span in spans]
    assert sorted(number for each in ends for number in range(each[0], each[-1] + 1)) == list(range(1, last + 1))


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("compose-by-tags", (TagGuidedHyperRecNN, TagGuidedHyperTreeLSTM, BinaryTreeLSTM, DCRecNN)),
        ("attentive-trees", (AttentiveTreeLSTM, AttentiveTreeGRU)),
        ("dynamic-window", (WindowOptions, WindowLSTM, WindowBiLSTM)),
        ("non-local", (CN3, Attributes, PDGraph, Transformer)),
        ("to-attend-or-not", (DecomposableAttention, ProgressiveAttention, ChildSumTreeLSTM, BiLSTM)),
    ],
)
def test_the_page_of_a_paper_has_each_switch_of_its_encoders(name, classes):
    """With its values, the default first."""
    switches = {}
    for each in classes:
        defaults = signature(each).parameters
        for option, kind in get_type_hints(each.__init__).items():
            values = [True, False] if kind is bool else [*get_args(kind)] if get_origin(kind) is Literal else []
            if values:
                default = defaults[option].default
                ordered = [default, *(value for value in values if value != default)]
                said = [str(value).lower() if kind is bool else value for value in ordered]
                assert switches.setdefault(option, said) == said, f"{option} of {each.__name__} differs"
    page = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## Switches\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", section, re.MULTILINE)
    assert {option: re.findall(r"`(\w+)`", values) for option, values in rows} == switches


def test_every_demand_has_an_answer():
    rows = re.findall(r"^\| (\d+) \|.*\| (\w+) \|[^|]+\|$", (ROOT / "docs" / "demands.md").read_text(), re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 33))
    assert {answer for _, answer in rows} <= {"yes", "partly", "no"}
