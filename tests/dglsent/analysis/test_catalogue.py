from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from dglsent.analysis.catalogue import ANALYSES, ATTENTIVE, NON_LOCAL, PROGRESSIVE, TREES, WINDOWS, Analysis, find
from dglsent.models.dynamic_window import WindowEncoder
from dglsent.names import HOMES

PAGES = Path(__file__).parents[3] / "docs" / "papers"
PAPERS = {
    TREES: "compose-by-tags",
    ATTENTIVE: "attentive-trees",
    WINDOWS: "dynamic-window",
    NON_LOCAL: "non-local",
    PROGRESSIVE: "to-attend-or-not",
}


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_paper_names_its_analyses(paper: str) -> None:
    made = [analysis.name for analysis in ANALYSES if analysis.paper == paper]
    text = (PAGES / f"{PAPERS[paper]}.md").read_text(encoding="utf-8")
    assert made
    assert [name for name in made if f"`{name}`" not in text and f"`dglsent analyse {name}`" not in text] == []


@pytest.mark.parametrize("analysis", [one for one in ANALYSES if one.fields], ids=lambda analysis: analysis.code)
def test_an_analysis_of_fields_names_encoders_that_there_are(analysis: Analysis) -> None:
    named = re.findall(r"[A-Z]\w+", analysis.runs)
    assert named
    assert {HOMES[name].split(".")[1] for name in named} == {"models"}


def test_gates_are_those_of_every_encoder_over_dynamic_windows() -> None:
    """Those of Elman and Jordan were not named, though training logs their gates too."""
    windows = {name: home for name, home in HOMES.items() if "window" in home}
    made = {name: getattr(import_module(home), name) for name, home in windows.items()}
    wanted = {name for name, each in made.items() if issubclass(each, WindowEncoder)}
    assert wanted >= {"WindowMLP", "WindowElman"}
    assert set(re.findall(r"[A-Z]\w+", find("gate-activity").runs)) == wanted
