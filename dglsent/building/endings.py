"""Which format a file of sentences has by the ending of its name."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal, TypeAlias

from graphs.errors import InputError

Form: TypeAlias = Literal["conllu", "brackets", "text", "tsv", "csv", "jsonl"]

_ENDINGS: Final[dict[str, Form]] = {
    ".conllu": "conllu",
    ".conll": "conllu",
    ".brackets": "brackets",
    ".ptb": "brackets",
    ".mrg": "brackets",
    ".txt": "text",
    ".tsv": "tsv",
    ".csv": "csv",
    ".jsonl": "jsonl",
}


def form_named(file: str) -> Form | None:
    """The format that the name of a file says, with or without `.gz`; None where it says none."""
    return _ENDINGS.get(Path(file.removesuffix(".gz")).suffix)


def form_of(file: str) -> Form:
    """The format of a file, which its name must say.

    Raises:
        InputError: it says none.
    """
    form = form_named(file)
    if form is None:
        raise InputError(f"{file}: its name should end in {', '.join(_ENDINGS)}, or that and .gz")
    return form


def endings(*forms: Form) -> str:
    """The endings of formats, for a text: ".tsv, .csv"."""
    return ", ".join(ending for ending, form in _ENDINGS.items() if form in forms)
