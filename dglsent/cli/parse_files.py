"""The files of `dglsent parse`.

Sentence i of the input is the block with `# sent_id = i` of OUT.conllu.gz and line i of OUT.brackets.gz. A sentence
that cannot be parsed has no block, a blank line of brackets, and a line in OUT.failed.txt: its number, a tab, and why.
One whose tree cannot be written, as of a word with a space, has its block all the same.
Readers skip the blank line, and `origin.line` of a tree still is the number of its sentence.
"""

from __future__ import annotations

import gzip
import io
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

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
    """Writes the files, each whole or not at all, and lists which sentences failed; returns how many."""
    failures = []
    with ExitStack() as stack:
        opened = [_open(Path(file), stack) for file in files]
        for number, result in enumerate(results, 1):
            texts, reason = _texts(result)
            if reason:
                failures.append(f"{number}\t{reason}\n")
            for file, text in zip(opened, texts, strict=False):
                file.write(text)
    if failures:
        with replacing(listed) as beside:
            beside.write_text("".join(failures), encoding="utf-8", newline="\n")
    else:
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


def _open(path: Path, stack: ExitStack) -> TextIO:
    """Opens what is to take a file's place; the same sentences give the same bytes, gzipped too."""
    file = stack.enter_context(stack.enter_context(replacing(path)).open("wb"))
    raw = stack.enter_context(gzip.GzipFile("", "wb", fileobj=file, mtime=0))
    return stack.enter_context(io.TextIOWrapper(raw, encoding="utf-8", newline="\n"))
