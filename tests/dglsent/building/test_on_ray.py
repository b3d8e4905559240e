"""Shards made by Ray's workers are those that one process makes, byte for byte, whatever happens to a worker."""

from __future__ import annotations

import gzip
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from review_files import content
from tiny import TINY

from dglsent.building.build import build
from dglsent.building.files import Files
from dglsent.building.on_ray import by_ray
from dglsent.building.recipe_corpus import OfRecipe
from dglsent.corpora.built_in import Reviews
from dglsent.corpora.corpus import Splits
from dglsent.training import recipe as recipes
from graphs.errors import InputError

ray = pytest.importorskip("ray", reason="needs the extra ray: pip install 'dglsent[ray]'")


class Deadly(Reviews):
    """Reviews whose first reader but the program itself is killed.

    Args:
        file: where the program has written its process id.
    """

    def __init__(self, file: str) -> None:
        super().__init__(train=60, dev=20, test=30)
        self.file = Path(file)

    def load(self, data: Path | None = None) -> Splits:
        killed = self.file.with_suffix(".killed")
        if self.file.read_text() != str(os.getpid()):
            try:
                killed.touch(exist_ok=False)
            except FileExistsError:
                return super().load(data)
            os.kill(os.getpid(), signal.SIGKILL)
        return super().load(data)


@pytest.fixture(scope="module", autouse=True)
def paths_of_workers() -> Iterator[None]:
    """Where Ray's workers find what they run; Ray itself is started by the code under test."""
    here = Path(__file__).parent
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", os.pathsep.join([str(here), str(here.parent), str(here.parents[2])]))
        environment.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        environment.setenv("RAY_worker_niceness", "0")  # by default 15: beside a busy process they take minutes
        yield
        ray.shutdown()


def test_a_killed_worker_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "program"
    file.write_text(str(os.getpid()))
    corpus = f"corpus: {{class_path: test_on_ray.Deadly, init_args: {{file: {file}}}}}"
    source = OfRecipe(recipes.dump(recipes.resolve(corpus + TINY[TINY.index("\ngraph:") :])))
    build(source, tmp_path / "one", size=17)
    build(source, tmp_path / "several", size=17, making=by_ray)
    assert file.with_suffix(".killed").exists()
    one = content(tmp_path / "one")
    assert len([name for name in one if name.endswith(".arrow")]) == 8
    assert content(tmp_path / "several") == one


def test_files_are_named_from_where_the_command_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers of a cluster that runs already stand elsewhere."""
    file = tmp_path / "train.brackets"
    file.write_text("(S (NP (PRP It)) (VP (VBZ rains)))\n" * 20)
    build(Files("chain", {"train": [str(file)]}), tmp_path / "first", making=by_ray)  # starts Ray, if nothing has
    monkeypatch.chdir(tmp_path)
    build(Files("chain", {"train": ["train.brackets"]}), Path("store"), size=9, making=by_ray)
    assert len([*(tmp_path / "store").glob("*.arrow")]) == 3


def test_files_are_read_by_workers(tmp_path: Path) -> None:
    table, trees = tmp_path / "train.tsv", tmp_path / "dev.brackets.gz"
    table.write_text("label\ttext\n" + "".join(f"{number % 2}\tThat is {number} .\n" for number in range(50)))
    with gzip.open(trees, "wt") as packed:
        packed.write("(S (NP (PRP It)) (VP (VBZ rains)))\n" * 20)
    source = Files("chain", {"train": [str(table)], "dev": [str(trees)]})
    build(source, tmp_path / "one", size=9)
    build(source, tmp_path / "several", size=9, making=by_ray)
    assert content(tmp_path / "several") == content(tmp_path / "one")
    build(source, tmp_path / "several", size=9, making=by_ray)  # and there is nothing to do
    assert content(tmp_path / "several") == content(tmp_path / "one")

    with table.open("a") as more:
        more.write("0\n")
    with pytest.raises(InputError, match=r"^\S*train\.tsv:52, sentence 51: 1 cells, and 2 columns: label, text$"):
        build(source, tmp_path / "several", size=9, making=by_ray)


def test_what_the_system_refuses_a_worker_is_one_line(tmp_path: Path) -> None:
    trees = tmp_path / "train.brackets"
    trees.write_text("(S (NP (PRP It)) (VP (VBZ rains)))\n")
    source = Files("chain", {"train": [str(trees)]})
    with pytest.raises(InputError, match=r"^\S+nowhere\S*: No such file or directory \(on a worker of Ray\)$"):
        list(by_ray(tmp_path / "nowhere", source, list(source.parts(9))))
