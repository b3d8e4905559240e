"""The files of `dglsent parse`.

Sentence i of the input is the block with `# sent_id = i` of OUT.conllu.gz and line i of OUT.brackets.gz. A sentence
that cannot be parsed has no block, a blank line of brackets, and a line in OUT.failed.txt: its number, a tab, and why.
One whose tree cannot be written, as of a word with a space, has its block all the same.
Readers skip the blank line, and `origin.line` of a tree still is the number of its sentence.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from graphs.errors import InputError, SentenceError
from graphs.files import replacing

if TYPE_CHECKING:
    from graphs.columns import Dependencies
    from graphs.parsing import Parse


def spare(source: str, files: Sequence[str]) -> None:
    """Refuse to write over the input.

    Raises:
        InputError: one of the files that will be written is it.
    """
    for file in files:
        if Path(source).exists() and Path(file).exists() and Path(file).samefile(source):
            raise InputError(f"{source}: would be overwritten; choose another OUT")


def write(results: Sequence[Parse | Dependencies | SentenceError], files: Sequence[str], listed: Path) -> int:
    """Writes the files, all of them or none, and lists which sentences failed; returns how many."""
    texts = [*map(_texts, results)]
    failures = [f"{number}\t{reason}\n" for number, (_, reason) in enumerate(texts, 1) if reason]
    with ExitStack() as stack:
        for place, file in enumerate(files):
            # None takes its place before all are whole, so that no file is of another input than its neighbour.
            _write(stack.enter_context(replacing(Path(file))), (each[place] for each, _ in texts))
        if failures:
            stack.enter_context(replacing(listed)).write_text("".join(failures), encoding="utf-8", newline="\n")
    if not failures:
        listed.unlink(missing_ok=True)
    return len(failures)


def _texts(result: Parse | Dependencies | SentenceError) -> tuple[list[str], str]:
    """What is written of a sentence, CoNLL-U and of a parse brackets too, and why some of it is not; "" if all is."""
    from graphs.formats.brackets import to_brackets
    from graphs.formats.conllu import to_conllu
    from graphs.parsing import Parse

    texts = ["", "\n"]
    if isinstance(result, SentenceError):
        return texts, result.reason
    try:
        texts[0] = to_conllu(result.dependencies if isinstance(result, Parse) else result)
        if isinstance(result, Parse):
            texts[1] = to_brackets(result.constituency, escape=True) + "\n"
    except SentenceError as error:
        return texts, error.reason
    return texts, ""


def _write(path: Path, texts: Iterable[str]) -> None:
    """Writes texts, gzipped: the same give the same bytes."""
    with ExitStack() as stack:
        file = stack.enter_context(path.open("wb"))
        raw = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
        stack.enter_context(io.TextIOWrapper(raw, encoding="utf-8", newline="\n")).writelines(texts)
