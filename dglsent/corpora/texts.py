"""The corpora whose sentences can be parsed, by their names on the command line."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

Texts: TypeAlias = Mapping[str, Sequence[str | Sequence[str]]]
"""Sentences in file order (strings, or lists of tokens), by the name of the parse file that `load` reads."""

_HOMES: dict[str, tuple[str, ...]] = {
    "ai2": ("dglsent.corpora.ai2", "AI2"),
    "ai2-ck12v0": ("dglsent.corpora.ai2", "AI2", "ck12v0"),
    "imdb": ("dglsent.corpora.imdb", "IMDB"),
    "mr": ("dglsent.corpora.mr", "MR"),
    "msrp": ("dglsent.corpora.msrp", "MSRP"),
    "msrpar": ("dglsent.corpora.msrpar", "MSRpar"),
    "quora": ("dglsent.corpora.quora", "Quora"),
    "quora-sample": ("dglsent.corpora.quora_sample", "QuoraSample"),
    "snli": ("dglsent.corpora.snli", "SNLI"),
    "sst": ("dglsent.corpora.sst", "SST"),
    "subj": ("dglsent.corpora.subj", "SUBJ"),
    "trec": ("dglsent.corpora.trec", "TREC"),
}


def corpora_with_texts() -> dict[str, Callable[[Path], Texts]]:
    """Functions from the data folder to the sentences; a corpus is imported when its function is called."""
    return {name: partial(_texts, *home) for name, home in _HOMES.items()}


def _texts(module: str, name: str, *arguments: str | Path) -> Texts:
    *options, data = arguments
    return cast(Texts, getattr(importlib.import_module(module), name)(*options).texts(data))
