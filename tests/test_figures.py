"""Figures of docs/ that are drawn from recorded scores alone show what docs/results has today.

Such a figure stands below the commands that make it: `dglsent reproduce TABLE`, then an analysis of the table's runs.
The runs are put back from docs/results instead of trained.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from dglsent.cli.main import main
from dglsent.reproduction import tables
from dglsent.reproduction.ledger import Ledger

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = r"^```sh\n((?:(?!^```).)*^dglsent reproduce .*?)^```\n\n!\[[^\]]*\]\((figures/[^)]+)\)"
DRAWN = [
    (figure, commands)
    for page in sorted(DOCS.glob("*.md"))
    for commands, figure in re.findall(BLOCK, page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
]


@pytest.mark.parametrize(("figure", "commands"), DRAWN, ids=[figure for figure, _ in DRAWN])
def test_figure_of_recorded_scores_is_what_its_command_draws(figure, commands, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for table in re.findall(r"^dglsent reproduce (\S+)", commands, re.MULTILINE):
        assert not Ledger(DOCS / "results", tables.load(table)).put_back(Path("runs"))
    command = next(line for line in commands.replace("\\\n", " ").splitlines() if line.startswith("dglsent analyse"))
    assert main(_words(command)[1:]) == 0
    drawn = next(Path("analyses").rglob("*.svg")).read_text(encoding="utf-8")
    there = (DOCS / figure).read_text(encoding="utf-8")
    shown = str if _drawn_with(drawn) == _drawn_with(there) else _caption  # other versions draw the same otherwise
    assert shown(drawn) == shown(there), f"draw docs/{figure} anew: {command}"


def test_most_tables_with_figures_of_scores_are_found():
    assert {"composition-results", "pair-results", "structure-results"} <= {
        re.search(r"dglsent analyse (\S+)", commands)[1] for _, commands in DRAWN
    }


def _words(command: str) -> list[str]:
    """A command's words, as a shell with braces and globs passes them on."""
    said = subprocess.run(["bash", "-c", f"printf '%s\\n' {command}"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()


def _drawn_with(svg: str) -> str:
    return re.search(r"Matplotlib v[\d.]+", svg)[0]


def _caption(svg: str) -> str:
    """What is written below a figure, which names its runs."""
    return re.search(r"<title>(.*?)</title>", svg)[1]
