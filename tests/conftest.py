"""Fixtures that the whole test suite shares."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Files whose processes are forks of a server that first imports everything, for ten seconds. One worker of pytest-xdist
# has them all, and so the one server.
FORKING = (
    "dglsent/cli/test_reproduce_command.py",
    "dglsent/training/test_processes.py",
    "dglsent/cli/test_reproduce_stale.py",
    "dglsent/test_chaos.py",
    "dglsent/training/test_resume.py",
    "dglsent/cli/test_parse_command.py",
    "dglsent/models/test_cn3.py",
)

# Files that take longest. They come first, so that no worker is busy with one when all else is done.
LONGEST = (
    *FORKING,
    "test_notebooks.py",
    "dglsent/reproduction/test_published_rows.py",
    "dglsent/cli/test_reproduce_trainings.py",
    "graphs/test_real_corpora.py",
    "dglsent/building/test_on_ray.py",
    "dglsent/models/test_progressive_attention.py",
    "dglsent/cli/test_bench_command.py",
    "dglsent/training/test_precision.py",
    "dglsent/training/test_recipe.py",
    "dglsent/training/test_reviews_scores.py",
    "dglsent/corpora/test_sst.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """The suite is that of a CPU wherever it runs; `-m gpu` lets torch see CUDA devices."""
    if config.getoption("markexpr") != "gpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest files first and leaves all else in its order."""
    place = {Path(__file__).parent / name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A worker for each file, but one for all that fork."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Together(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "forking" if file.partition("tests/")[2] in FORKING else file

    return Together(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is imported and collected stays to the end: the garbage collector need not look at it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """What a test leaves behind on SIGINT or SIGTERM would answer the signals of later ones."""
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real corpora: $DGLSENT_DATA or ../shared/data; without either the test is skipped."""
    named = os.environ.get("DGLSENT_DATA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no corpora: {folder} does not exist (set DGLSENT_DATA to their folder)")
    return folder


@pytest.fixture(scope="session")
def stanza_dir() -> Path:
    """A folder of Stanza's models: $DGLSENT_STANZA or ../shared/stanza/stanza_resources; else the test is skipped."""
    named = os.environ.get("DGLSENT_STANZA")
    folder = Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "stanza" / "stanza_resources"
    if not (folder / "resources.json").is_file():
        pytest.skip(f"no Stanza models: {folder} has no resources.json (set DGLSENT_STANZA to their folder)")
    return folder


@pytest.fixture(scope="session")
def parses_dirs() -> list[Path]:
    """The folders of given parses: $DGLSENT_PARSES, or ../shared/tagged and ../shared/stanza/parsed."""
    shared = Path(__file__).resolve().parents[2] / "shared"
    named = os.environ.get("DGLSENT_PARSES")
    folders = (
        [Path(name) for name in named.split(os.pathsep)] if named else [shared / "tagged", shared / "stanza/parsed"]
    )
    return [folder for folder in folders if folder.is_dir()]


@pytest.fixture(scope="session")
def parses_dir(parses_dirs: list[Path]) -> Path:
    """The last of the folders of parses, Stanza's; without any the test is skipped."""
    if not parses_dirs:
        pytest.skip("no parses (set DGLSENT_PARSES to their folder)")
    return parses_dirs[-1]


@pytest.fixture(scope="session")
def tagged_dir(parses_dirs: list[Path]) -> Path:
    """The folder of SST's and TREC's binary trees with the Stanford parser's tags; without it the test is skipped."""
    found = [folder for folder in parses_dirs if (folder / "sst-train.brackets.gz").is_file()]
    if len(found) < 2:
        pytest.skip("no trees with the Stanford parser's tags (name their folder in DGLSENT_PARSES, before Stanza's)")
    return found[0]
