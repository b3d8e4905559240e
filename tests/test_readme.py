"""The README's Python runs, block after block, and says what it says."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_readme_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    namespace: dict[str, object] = {}
    exec(blocks[0], namespace)
    assert (tmp_path / "tree.svg").read_text().startswith("<svg")
    graph = namespace["graph"]
    assert graph.num_nodes() == 8
    assert set(graph.ndata) >= {"word", "tag", "position", "span"}
    assert set(graph.edata) == {"slot"}
    code, last = blocks[1].rstrip().rsplit("\n", 1)
    expression, said = last.split("#")
    exec(code, namespace)
    assert str(eval(expression, namespace)) == said.strip()


def test_linked_files_exist():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name} links to {link}"
