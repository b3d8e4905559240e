"""A run that was killed, or is finished, notices that the files which its recipe names are others now."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny import Program

from dglsent.training import recipe as recipes
from dglsent.training.run import Run
from dglsent.training.source_files import changed, hashes

RECIPE = """
corpus: {{class_path: LabelledText, init_args: {{train: {0}/own.csv, dev: {0}/own.csv, test: {0}/own.csv}}}}
graph: chain
embedding: {{dim: 2, vectors: [{0}/own.vec], tune: false}}
encoder: {{class_path: SeqLSTM, init_args: {{hidden: 3}}}}
task: {{class_path: Classification, init_args: {{classes: 2}}}}
training: {{epochs: 1}}
"""
TABLE = "text,label\n" + "good film,a\nbad film,b\n" * 10
SWAPPED = "text,label\n" + "good film,b\nbad film,a\n" * 10
VECTORS = "good 1 2\nbad 3 4\n"


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own.csv").write_text(TABLE)
    (tmp_path / "own.vec").write_text(VECTORS)
    (tmp_path / "own.yaml").write_text(RECIPE.format(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("name", "text"), [("own.csv", SWAPPED), ("own.vec", "good 3 4\nbad 1 2\n")])
def test_files_that_changed_are_told(own: Path, program: Program, name: str, text: str) -> None:
    """Of labels that changed places, and of vectors, no vocabulary tells."""
    command = ("fit", own / "own.yaml", "--out", own / "run")
    assert program(*command)[0] == 0
    before = (own / name).read_text()
    (own / name).write_text(text)
    said = [f"{own / name} has changed since this run began; choose another --out"]
    program.refuses(*command, saying=said)
    run = Run(own / "run")
    run.metrics_file.unlink()
    run.checkpoint.touch()  # as of a run that was killed
    program.refuses(*command, saying=said)
    run.checkpoint.unlink()
    (own / name).write_text(before)
    assert program(*command)[0] == 0
    (own / name).unlink()
    assert program(*command)[0] == 0  # finished, and needs nothing


def test_of_a_store_and_of_large_files(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "manifest.json").write_text("{}")
    stored = RECIPE.format(tmp_path).replace("LabelledText", "dglsent.corpora.stored.Stored")
    head, _, tail = stored.partition("init_args: {train")
    config = recipes.resolve(f"{head}init_args: {{store: {tmp_path / 'store'}}}}}\n{tail.partition(chr(10))[2]}")
    with (tmp_path / "own.vec").open("wb") as large:
        large.truncate(2**27)
    first = hashes(config)
    assert first.keys() == {str(tmp_path / "store"), str(tmp_path / "own.vec")}
    with (tmp_path / "own.vec").open("r+b") as large:
        large.seek(-1, 2)
        large.write(b"x")
    (tmp_path / "sources.json").write_text(f'{{"{tmp_path / "own.vec"}": "{first[str(tmp_path / "own.vec")]}"}}')
    assert changed(tmp_path / "sources.json", hashes(config)) == str(tmp_path / "own.vec")
    assert changed(tmp_path / "sources.json", first) is None


@pytest.mark.parametrize("text", ["", "[]", "{", None])
def test_without_hashes_nothing_is_said(tmp_path: Path, text: str | None) -> None:
    """As of runs that are older."""
    if text is not None:
        (tmp_path / "sources.json").write_text(text)
    assert changed(tmp_path / "sources.json", {"a": "1"}) is None
