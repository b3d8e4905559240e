"""A run that was killed, or is finished, notices that the files which its recipe names are others now."""

from __future__ import annotations

import linecache
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny import Program

from dglsent.training import recipe as recipes
from dglsent.training.run import Run
from dglsent.training.source_files import changed, hashes, own_code
from graphs.errors import InputError

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
KNOWN = "own.vec: vectors of 2 of 3 words"


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
    program.refuses(*command, saying=said, told=KNOWN)
    run.checkpoint.unlink()
    (own / name).write_text(before)
    assert program(*command)[0] == 0
    (own / name).unlink()
    assert program(*command)[0] == 0  # finished, and needs nothing


def test_who_scores_files_that_changed_is_told(own: Path, program: Program) -> None:
    run = own / "run"
    assert program("fit", own / "own.yaml", "--out", run)[0] == 0
    assert "has changed" not in program("test", run)[2]
    (own / "own.csv").write_text(SWAPPED)
    for command in (["test", run], ["record", run, "--out", own / "table"]):
        code, _, err = program(*command)
        assert code == 0
        assert err.count(f"{own / 'own.csv'} has changed since this run began") == 1


def test_vectors_of_the_data_folder_that_changed_are_told(own: Path, program: Program) -> None:
    """Fixed ones are read anew, and a run that was killed went on with others."""
    (own / "data").mkdir()
    (own / "own.vec").rename(own / "data" / "own.vec")
    (own / "own.yaml").write_text(RECIPE.format(own).replace(f"{own}/own.vec", "own.vec"))
    command = ("fit", own / "own.yaml", "--out", own / "run", "--data", own / "data")
    assert program(*command)[0] == 0
    assert program(*command)[0] == 0
    (own / "data" / "own.vec").write_text("good 3 4\nbad 1 2\n")
    program.refuses(*command, saying=["own.vec has changed since this run began; choose another --out"])
    run = Run(own / "run")
    run.metrics_file.unlink()
    run.checkpoint.touch()  # as of a run that was killed
    program.refuses(*command, saying=["own.vec has changed since this run began; choose another --out"], told=KNOWN)


@pytest.mark.parametrize("written", range(5))
def test_stopped_as_it_begins(own: Path, program: Program, written: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However little it has written, the same command goes on."""
    command, replace, done = ("fit", own / "own.yaml", "--out", own / "run"), os.replace, []

    def stopped(source: Path, target: Path) -> None:
        if len(done) == written:
            raise KeyboardInterrupt
        done.append(target)
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stopped)
        assert program(*command)[0] == 130
    assert program(*command)[0] == 0


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


def test_without_hashes_nothing_is_said(tmp_path: Path) -> None:
    """As of runs that are older."""
    assert changed(tmp_path / "sources.json", {"a": "1"}) is None


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_damaged_hashes_are_told(tmp_path: Path, text: bytes) -> None:
    """Nothing said that files had changed, and a model could not be saved for a traceback."""
    (tmp_path / "sources.json").write_bytes(text)
    with pytest.raises(InputError, match=r"sources\.json: damaged, .*; delete it"):
        changed(tmp_path / "sources.json", {"a": "1"})


CODE = """
from dglsent.models.sequence import SeqLSTM

class Mine(SeqLSTM):
    def encode(self, batch):
        return super().encode(batch)
"""
CHANGED = CODE.replace("super().encode(batch)", "-super().encode(batch)")


@pytest.fixture
def forget_own() -> Iterator[None]:
    yield
    for name in [
        name for name in sys.modules if name.partition(".")[0] in ("own_code_of", "own_graph_of", "own_package")
    ]:
        del sys.modules[name]


GRAPH = """
import graphs
from dglsent.training.graphs import OwnGraph

class Chain(OwnGraph):
    def build(self, sentence, vocabularies):
        size = len(sentence.words)
        return graphs.over_words(sentence, vocabularies, [(i, i + 1) for i in range(size - 1)])
"""


@pytest.mark.usefixtures("forget_own")
def test_graphs_of_a_store_that_other_code_made_are_told(own: Path, program: Program) -> None:
    """Training learnt from the graphs of the old code, and called itself of the new one."""
    file, store = own / "own_graph_of.py", own / "store"
    file.write_text(GRAPH)
    (own / "own.yaml").write_text(RECIPE.format(own).replace("graph: chain", "graph: own_graph_of.Chain"))
    assert program("build", store, "--recipe", own / "own.yaml")[0] == 0
    command = ("fit", own / "own.yaml", "--corpus", "Stored", "--corpus.store", store, "--out", own / "run")
    file.write_text(GRAPH.replace("i + 1", "size - 1"))
    said = [f"{store}: code of own_graph_of has changed since this store was built; build it in another folder"]
    program.refuses(*command, saying=said, told=KNOWN)
    assert not (own / "run" / "config.yaml").exists()
    file.write_text(GRAPH.replace("class Chain", "# of mine\nclass Chain"))
    assert program(*command)[0] == 0


@pytest.mark.usefixtures("forget_own")
def test_code_that_changed_is_told(own: Path, program: Program) -> None:
    """The run kept the scores of the old code, and went on from weights that it had made."""
    file, command = own / "own_code_of.py", ("fit", own / "own.yaml", "--out", own / "run")
    file.write_text(CODE)
    (own / "own.yaml").write_text(RECIPE.format(own).replace("SeqLSTM", "own_code_of.Mine"))
    assert program(*command)[0] == 0
    assert "code of own_code_of" in (own / "run" / "sources.json").read_text()
    file.write_text(CODE.replace("class Mine", "# of mine\nclass Mine"))
    assert program(*command)[0] == 0
    file.write_text(CHANGED)
    said = ["code of own_code_of has changed since this run began; choose another --out, or delete the folder"]
    program.refuses(*command, saying=said)
    assert program("test", own / "run", "--trust")[0] == 0
    run = Run(own / "run")
    run.metrics_file.unlink()
    run.checkpoint.touch()  # as of a run that was killed
    program.refuses(*command, saying=said, told=KNOWN)
    run.checkpoint.unlink()
    run.sources_file.unlink()  # as of a run that is older
    assert program(*command)[0] == 0


@pytest.mark.usefixtures("forget_own")
def test_code_of_a_package_and_of_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_package").mkdir()
    for name, text in (("__init__", ""), ("layers", "SIZE = 1"), ("models", f"import own_package.layers\n{CODE}")):
        (tmp_path / "own_package" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    tree = {"encoder": {"class_path": "own_package.models.Mine", "init_args": {"next": {"class_path": "SeqLSTM"}}}}
    before = own_code(tree)
    assert before.keys() == {"code of own_package.layers", "code of own_package.models"}
    (tmp_path / "own_package" / "layers.py").write_text("SIZE = 2")
    assert {name for name, made in own_code(tree).items() if made != before[name]} == {"code of own_package.layers"}

    main = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    seen = []
    for cell, text in enumerate((CODE, CHANGED, CODE)):
        lines = text.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, f"<cell {cell}>", (len(text), None, lines, f"<cell {cell}>"))
        exec(compile(text, f"<cell {cell}>", "exec"), vars(main))
        seen.append(own_code({"class_path": "__main__.Mine"}))
    assert seen[0] == seen[2] != seen[1]
    assert seen[0].keys() == {"code of Mine"}
    exec("class Mine: pass\nclass Typed:\n    def f(self): pass", vars(main))
    assert not own_code({"class_path": "__main__.Typed"})  # nothing tells its source


def test_of_classes_of_dglsent_there_is_no_code() -> None:
    assert not own_code({"corpus": {"class_path": "Reviews"}, "encoder": {"class_path": "SeqLSTM"}})
