"""Corpora of sentence pairs in tab-separated files: a pair a row, a file a split."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from dglsent.corpora.corpus import require_folder
from dglsent.corpora.example import Example
from dglsent.corpora.parses import Text, parsed_pairs
from dglsent.corpora.rows import read_rows


class PairFile(NamedTuple):
    """A file and its rows.

    Attributes:
        file: the file.
        rows: the cells of its pairs.
        first: number of the line on which the first pair stands.
    """

    file: Path
    rows: list[list[str]]
    first: int


def read_pair_files(
    data: Path,
    name: str,
    folders: Sequence[str],
    files: Mapping[str, str],
    columns: int,
    sentences: Sequence[int],
    header: str = "",
) -> dict[str, PairFile]:
    """The files of a corpus by split.

    Args:
        data: the data folder.
        name: the corpus, for errors.
        folders: where it may lie within the data folder; the first is the one that errors name.
        files: a file for each split.
        columns: how many cells a row has.
        sentences: the columns, from 0, that hold sentences.
        header: how the first line starts, where it names the columns.

    Raises:
        InputError: the corpus is missing, or a row is not as expected.
    """
    folder = require_folder(data, name, folders, list(files.values()), " ".join(files.values()))
    return {
        split: PairFile(
            folder / file, read_rows(folder / file, columns, sentences=sentences, header=header), 2 if header else 1
        )
        for split, file in files.items()
    }


def pair_texts(name: str, files: Mapping[str, PairFile], sentences: Sequence[int]) -> dict[str, list[str]]:
    """The sentences by parse file, `NAME-SPLIT-a` and `NAME-SPLIT-b`."""
    return {
        f"{name}-{split}-{side}": [row[column] for row in found.rows]
        for split, found in files.items()
        for side, column in zip("ab", sentences, strict=True)
    }


def pair_examples(
    data: Path,
    name: str,
    files: Mapping[str, PairFile],
    texts: Mapping[str, Sequence[Text]],
    target: Callable[[list[str], Path, int], dict[str, Any]],
) -> dict[str, list[Example]]:
    """The examples of each split with their parses.

    Args:
        data: the data folder.
        name: the corpus for `dglsent parse`, with which the names of its parse files begin.
        files: its files.
        texts: the sentences by parse file.
        target: the gold values of a row, of which the file and the line are given too.
    """
    splits = {}
    for split, found in files.items():
        targets = [target(row, found.file, line) for line, row in enumerate(found.rows, found.first)]
        ids = [f"{split}-{number}" for number in range(1, len(targets) + 1)]
        splits[split] = parsed_pairs(data, name, f"{name}-{split}", texts, targets, ids)
    return splits
