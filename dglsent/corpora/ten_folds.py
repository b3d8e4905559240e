"""Corpora of sentences in a file a class, scored by ten-fold cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dglsent.corpora.corpus import Splits, require_folder
from dglsent.corpora.example import Example
from dglsent.corpora.parses import parsed
from dglsent.corpora.rows import read_tokens
from dglsent.corpora.splits import cross_validation


def class_texts(data: Path, name: str, folders: Sequence[str], files: Mapping[str, str]) -> dict[str, list[list[str]]]:
    """The tokens of the sentences of each class.

    Args:
        data: the data folder.
        name: the corpus, for errors.
        folders: where it may lie within the data folder; the first is the one that errors name.
        files: the file of each class, by the name of its parse file; classes in order of their labels.

    Raises:
        InputError: the corpus is missing, or a line is blank.
    """
    folder = require_folder(data, name, folders, list(files.values()), " ".join(files.values()))
    return {parse: read_tokens(folder / file) for parse, file in files.items()}


def folds_of(data: Path, name: str, texts: Mapping[str, Sequence[list[str]]], fold: int) -> Splits:
    """The splits of a fold of the sentences of some classes, with their parses.

    Args:
        data: the data folder.
        name: the corpus for `dglsent parse`.
        texts: the sentences of each class, by the name of its parse file.
        fold: the fold that is test.
    """
    classes: list[list[Example | None]] = []
    for label, (parse, sentences) in enumerate(texts.items()):
        found = enumerate(parsed(data, name, parse, sentences), 1)
        classes.append([Example((one,), {"label": label}, f"{parse}-{line}") if one else None for line, one in found])
    return cross_validation(classes, fold)
