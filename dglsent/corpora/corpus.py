"""What every corpus offers, and how its files are found."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from dglsent.corpora.example import Example
from graphs.errors import InputError, check_kind
from graphs.tokens import tokens

Splits: TypeAlias = dict[str, list[Example]]

VARIABLE = "DGLSENT_DATA"


class Corpus:
    """A corpus with its options; `load` reads it.

    Attributes:
        labels: names of the classes 0, 1, ... of target "label" or of tokens; empty where there are none. Those that
            the files alone tell are set by `load`.
        needs_data: whether `load` reads files of the data folder.
        labels_from_files: whether only the files tell the classes, so that a run keeps their names.
    """

    labels: Sequence[str] = ()
    needs_data: bool = True
    labels_from_files: bool = False

    def load(self, data: Path) -> Splits:
        """The examples of the splits "train", "dev" and "test".

        Raises:
            InputError: a file is missing, with the layout that is expected, or broken.
        """
        raise InputError(f"corpus {type(self).__name__} has no load; write load(self, data), which gives the examples")

    def tokens(self, text: str) -> list[str]:
        """The tokens of raw text as those of the corpus are, for a model trained on it that reads words alone."""
        return tokens(text)


def some_of(classes: Sequence[str]) -> str:
    """The names of the first few, for messages, with characters that nobody sees, such as spaces of no width.

    Such a one may be all that tells a name from another.
    """
    shown = [name if name.isprintable() else repr(name) for name in classes[:8]]
    return ", ".join(shown) + (", ..." if len(classes) > 8 else "")


def data_folder(given: str | os.PathLike[str] | None) -> Path:
    """The folder of corpora: the one given, else that of the environment variable DGLSENT_DATA.

    Raises:
        InputError: none is named, or it does not exist.
    """
    named = given or os.environ.get(VARIABLE)
    if not named:
        raise InputError(f"no data folder: give --data DIR or set {VARIABLE} (docs/data.md says what lies in it)")
    folder = Path(named)
    if not folder.is_dir():
        what = "--data" if given else VARIABLE
        raise InputError(f"{folder}: no such folder; {what} names the folder of corpora (docs/data.md)")
    return folder


def find_folder(data: Path, folders: Iterable[str], files: Sequence[str]) -> Path | None:
    """The first of `folders` under `data` that holds all `files`; None if none does.

    Raises:
        InputError: `data` is no path.
    """
    for folder in folders_in(data, folders):
        if all((folder / file).is_file() for file in files):
            return folder
    return None


def folders_in(data: Path, names: Iterable[str]) -> list[Path]:
    """Where a corpus may lie in the data folder.

    Raises:
        InputError: `data` is no path, as where a text is given to `load`.
    """
    check_kind(data, Path, "give load the data folder as pathlib.Path(...)")
    return [data / name for name in names]


def require_folder(data: Path, name: str, folders: Sequence[str], files: Sequence[str], layout: str) -> Path:
    """The first of `folders` under `data` that holds all `files`.

    Args:
        data: the data folder.
        name: the corpus, for the error.
        folders: where it may lie; the first is the one that the error names.
        files: what it has to hold.
        layout: these files, as the error names them.

    Raises:
        InputError: none does, or `data` is no path.
    """
    folder = find_folder(data, folders, files)
    if folder is None:
        raise InputError(f"{data}: {name} is missing; expected {data / folders[0]}/{layout} (docs/data.md)")
    return folder
