"""Parses of corpora that come without: found beside the data, and checked against the sentences they are of.

`dglsent parse` makes them: NAME.conllu and NAME.brackets (`.gz` too) hold one block or one line a sentence, in the
order of the corpus. Where the parser failed on a sentence its block is missing (`sent_id` numbers the others), its line
blank. With `--tags` it makes NAME.tags.conllu alone, whose words have tags and no heads; it is read where there are no
parses.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from dglsent.corpora.example import Example, Parsed
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import read_brackets
from graphs.formats.conllu import read_conllu
from graphs.formats.numbers import natural

VARIABLE = "DGLSENT_PARSES"

Text: TypeAlias = str | list[str]
"""A sentence as a corpus has it: raw, or as tokens."""

Parse = TypeVar("Parse", Constituency, Dependencies)

_PARSES = {"conllu": "dependencies", "brackets": "constituency"}
_TAGS = {"tags.conllu": "unparsed"}
_KINDS = tuple(map(re.escape, (*_PARSES, *_TAGS)))
_MOST_FAILED = 0.1  # more than this share of failed parses is a file cut short, or another corpus
_NOT_READ = re.compile(r"[^A-Za-z0-9]+")


def parsed(data: Path, corpus: str, name: str, texts: Sequence[Text]) -> list[Parsed | None]:
    """The sentences of a part of a corpus with their parses.

    A parser may have cut tokens anew and written brackets and accents in its own way, so a parse is taken for
    that of a sentence if both have the same ASCII letters and digits. Where its words are the sentence's own
    tokens, these stand in the parse.

    Args:
        data: the data folder.
        corpus: name of the corpus for `dglsent parse`.
        name: the parse files, without their endings.
        texts: N sentences.

    Returns:
        [N] with whatever parse files there are, None where a parse failed; the count of these is logged.
        Without any parse file, words with their tags, or words alone.

    Raises:
        InputError: there are no parses and the sentences are raw text; or the parses are of something else; or other
            parts of the corpus have parses of other kinds, as one is that was not parsed to the end.
    """
    folders = _folders(data)
    files = _find(folders, name)
    remedy = f"make parses with `dglsent parse {corpus} {folders[0]}` (docs/data.md)"
    _require_the_same(folders, corpus, name, files, remedy)
    if not files:
        return [_unparsed(text, Origin(name, 0, str(number)), remedy) for number, text in enumerate(texts, 1)]
    columns = {kind: _of_file(kind, file, texts) for kind, file in files.items()}
    failed = {place for column in columns.values() for place, found in enumerate(column) if found is None}
    if len(failed) > _MOST_FAILED * len(texts):
        file = next(iter(files.values()))
        raise InputError(f"{file}: no parse of {len(failed)} of the {len(texts)} sentences of {name}; {remedy}")
    if failed:
        logging.getLogger(__name__).warning(
            "%s: %d of %d sentences have no parse; their examples are left out", name, len(failed), len(texts)
        )
    return [
        None
        if place in failed
        else Parsed(remedy=remedy, **{(_PARSES | _TAGS)[kind]: column[place] for kind, column in columns.items()})
        for place in range(len(texts))
    ]


def parsed_pairs(
    data: Path,
    corpus: str,
    name: str,
    texts: Mapping[str, Sequence[Text]],
    targets: Sequence[Mapping[str, int | float]],
    ids: Iterable[str],
) -> list[Example]:
    """Examples of pairs; those with a failed parse are left out.

    Args:
        data: the data folder.
        corpus: name of the corpus for `dglsent parse`.
        name: the parse files, without "-a" or "-b".
        texts: N sentences of both sides, by the names of their parse files.
        targets: [N] gold values.
        ids: [N] names of the examples.
    """
    left, right = (parsed(data, corpus, f"{name}-{side}", texts[f"{name}-{side}"]) for side in "ab")
    return [
        Example((a, b), target, id_)
        for a, b, target, id_ in zip(left, right, targets, ids, strict=True)
        if a is not None and b is not None
    ]


def _folders(data: Path) -> list[Path]:
    """Where parses are looked for: the folders of the environment, then that of the data."""
    named = [Path(name) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
    for folder in named:
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder; {VARIABLE} names folders of parses (docs/data.md)")
    return [*named, data / "parsed"]


def _find(folders: Iterable[Path], name: str) -> dict[str, Path]:
    """The parse files of the first folder that has any, by their kind, or its file of tags."""
    for folder in folders:
        for kinds in (_PARSES, _TAGS):
            found = {
                kind: folder / f"{name}.{kind}{packed}"
                for kind in kinds
                for packed in (".gz", "")
                if (folder / f"{name}.{kind}{packed}").is_file()
            }
            if found:
                return found
    return {}


def _require_the_same(folders: Sequence[Path], corpus: str, name: str, files: Mapping[str, Path], remedy: str) -> None:
    """Refuses a part of a corpus whose parses are of other kinds than those of other parts.

    Parts are often classes, which a model would tell by what their sentences have.
    """
    part = re.compile(
        rf"({re.escape(corpus)}(?:-[a-z]+){{{name.count('-') - corpus.count('-')}}})\.({'|'.join(_KINDS)})(\.gz)?"
    )
    found = (part.fullmatch(file.name) for folder in folders if folder.is_dir() for file in folder.iterdir())
    for other in sorted({match[1] for match in found if match} - {name}):
        theirs = _find(folders, other)
        if theirs.keys() != files.keys():
            said = [" and ".join(sorted(kinds)) or "no parses" for kinds in (files, theirs)]
            raise InputError(f"{folders[0]}: {name} has {said[0]}, {other} has {said[1]}; {remedy}, to the end")


def _of_file(kind: str, file: Path, texts: Sequence[Text]) -> Sequence[Any]:
    """What a file has of each sentence, None where it has nothing."""
    if kind == "brackets":
        return _align(file, texts, ((tree.origin.line, tree) for tree in read_brackets(file, unescape=True)))
    # Ids that are not numbers say nothing about the place in the corpus.
    read = read_conllu(file, heads=kind == "conllu")
    named = [natural(sentence.origin.sentence) for sentence in read]
    ids = named if min(named, default=0) >= 0 else range(1, len(read) + 1)
    return _align(file, texts, zip(ids, read, strict=True))


def _unparsed(text: Text, origin: Origin, remedy: str) -> Parsed:
    if isinstance(text, str):
        raise InputError(f"{origin.file}: the corpus is raw text and has no parses; {remedy}")
    return Parsed(unparsed=Dependencies.unparsed(text, origin), remedy=remedy)


def _align(file: Path, texts: Sequence[Text], parses: Iterable[tuple[int, Parse]]) -> list[Parse | None]:
    """[N] the parse of each sentence, from parses and the numbers of their sentences, from 1."""
    aligned: list[Parse | None] = [None] * len(texts)
    for number, parse in parses:
        if not 0 < number <= len(texts):
            raise InputError(f"{file}: has a parse of sentence {number}, the corpus has {len(texts)} sentences there")
        if aligned[number - 1] is not None:
            raise SentenceError("a second parse of the same sentence", parse.origin)
        aligned[number - 1] = _with_words_of(texts[number - 1], parse)
    return aligned


def _with_words_of(text: Text, parse: Parse) -> Parse:
    """The parse with the words of its sentence, where it has as many."""
    words: list[str] = parse.words
    if text == words:
        return parse
    if _letters("".join(text)) != _letters("".join(words)):
        own = text if isinstance(text, str) else " ".join(text)
        raise SentenceError(
            f"the parse is of {' '.join(words)[:60]!r}, the corpus has {own[:60]!r} there", parse.origin
        )
    if isinstance(text, str) or [*map(_letters, text)] != [*map(_letters, words)]:
        return parse
    if isinstance(parse, Dependencies):
        return replace(parse, word=text)
    own_words = iter(text)
    return replace(parse, word=[word and next(own_words) for word in parse.word])


def _letters(text: str) -> str:
    return _NOT_READ.sub("", text)
