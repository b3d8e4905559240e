"""Rows of the published tables that no recipe trains: the page of their paper names each, as quoted and not built."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dglsent.reproduction import tables

PAGES = Path(__file__).parents[3] / "docs" / "papers"
# How the titles of a paper's tables begin.
PAPERS = {
    "compose-by-tags": "Shen, Deng",
    "attentive-trees": "Zhou, Liu",
    "dynamic-window": "Wu, Zhang",
    "non-local": "Liu, Chang",
    "to-attend-or-not": "Gupta, Zhang",
}


@pytest.mark.parametrize("page", PAPERS)
def test_a_page_names_the_rows_that_are_quoted(page: str) -> None:
    quoted = {
        row.name
        for name in tables.names()
        for row in tables.load(name).rows
        if row.paper.startswith(PAPERS[page]) and not row.recipe
    }
    (said,) = re.findall(r"^- Quoted here and not built .*?(?=^- |\Z)", (PAGES / f"{page}.md").read_text(), re.M | re.S)
    text = " ".join(said.split())
    assert quoted
    assert [row for row in sorted(quoted) if not re.search(rf"(?<![\w+-]){re.escape(row)}(?![\w+-])", text)] == []
