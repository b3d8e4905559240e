"""Files that a test writes, and the corpora that are read of them."""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits


def write(folder: Path, name: str, text: str) -> str:
    """A file of some text, by its path."""
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


def load(corpus: Corpus) -> Splits:
    """The examples of a corpus that needs no data folder."""
    return corpus.load(Path())
