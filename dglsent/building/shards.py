"""One part of a corpus -> one shard of a store, with a note beside it that says what it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeAlias

from dglsent.building.files import Files
from dglsent.building.parts import Part
from dglsent.building.read import Read
from dglsent.building.recipe_corpus import OfRecipe
from dglsent.corpora.example import Example
from dglsent.training.garbage_collection import collection_off
from dglsent.training.graphs import build, gold_classes, shape
from graphs.batching import merge
from graphs.columns import Sentence
from graphs.errors import InputError, SentenceError
from graphs.features import Counts, Vocabularies
from graphs.sentence_graph import SentenceGraph
from graphs.store import SUM, checksum, digest, write
from graphs.store_shard import VERSION, Shard, write_shard
from graphs.vocabulary import read_json

Source: TypeAlias = Files | OfRecipe
"""Where the examples of a store come from."""

_FORMAT: Final = "dglsent shard"


@collection_off()
def make(folder: Path, source: Source, part: Part) -> None:
    """Builds the graphs of a part and writes them; the same part gives the same bytes, wherever it is built.

    Raises:
        SentenceError: a sentence cannot be read or cannot become a graph, and none is to be skipped.
        InputError: no sentence can be used, or the text of the graph is another in every process.
    """
    if " at 0x" in str(source.graph):
        raise InputError(
            f"graph: {source.graph} is another text in every process, and tells a store what it holds; keep functions "
            "and caches out of its attributes, or give it a __str__ of its arguments"
        )
    read = source.read(part)
    read.examples = _with_gold(read, source)
    graphs = None
    while graphs is None:  # where some were left out, and with them their words, once more
        shaped, counts = _shaped(read, source)
        vocabularies = Vocabularies.of_counts(counts)
        graphs = _graphs(read, source, shaped, vocabularies)
    if not graphs:
        raise InputError(f"{part.file or part.name}: none of its sentences can be used; the first: {read.skipped[0]}")
    sentences = len(read.examples[0].sentences)
    rows = [example for example in read.examples for _ in example.sentences]
    path = folder / f"{part.name}.arrow"
    write_shard(
        path,
        merge(graphs),
        vocabularies,
        examples=[example.id for example in rows],
        origins=[graph.origin for graph in graphs],
        groups=[example.groups for example in rows],
        targets=_targets(rows),
        about={"graph": str(source.graph), "sentences": sentences, "classes": read.classes},
    )
    note = {
        "format": _FORMAT,
        "version": VERSION,
        "made_of": made_of(source, part),
        "place": _place(part),
        "rows": len(rows),
        "sentences": sentences,
        "classes": read.classes,
        "bytes": path.stat().st_size,
        "sha256": digest(path),
        "schema": Shard(path).schema,
        "skipped": read.skipped,
        "parser": read.parser,
        "counts": counts.to_json(),
    }
    write(note, folder / f"{part.name}.json")


def made_of(source: Source, part: Part) -> dict[str, Any]:
    """What decides the content of a shard."""
    return {**source.about(), "first": part.first, "count": part.count, "sha256": part.sha256}


def _place(part: Part) -> list[Any]:
    """Where a part begins, which the origins of its sentences tell."""
    return [Path(part.file).name, part.line, part.ordinal]


def note_of(folder: Path, source: Source, part: Part) -> dict[str, Any] | None:
    """What is noted of the shard of a part; None where there is none, or it is of something else, or damaged.

    Raises:
        InputError: it was parsed on the way, and there are no models now.
    """
    path = folder / f"{part.name}.arrow"
    try:
        note = read_json(folder / f"{part.name}.json")
        if note[SUM] != checksum(note):
            return None
        same = note["version"] == VERSION and note["made_of"] == made_of(source, part)
        same = same and note.get("place", _place(part)) == _place(part)  # older notes lack it, and the parser
        same = same and (source.skip or not note["skipped"])
        whole = same and path.stat().st_size == note["bytes"] and digest(path) == note["sha256"]
        parser = note.get("parser")
    except (InputError, OSError, KeyError, TypeError, AttributeError):
        return None
    return note if whole and (parser is None or parser == source.parser()) else None


def _shaped(read: Read, source: Source) -> tuple[list[Sentence], Counts]:
    """The sentences in the form in which their graphs read them, and their strings; examples without are left out."""
    kept: list[Example] = []
    shaped: list[Sentence] = []
    for example in read.examples:
        sentences = example.sentences
        try:
            found = [shape(source.graph, sentence) for sentence in sentences]
        except SentenceError as error:
            if not source.skip:
                raise
            read.skipped.append(str(error))
        else:
            kept.append(example)
            shaped.extend(found)
    read.examples = kept
    if source.skip:
        read.forget_unused_classes()
    return shaped, Counts.of(shaped)


def _graphs(
    read: Read, source: Source, shaped: Sequence[Sentence], vocabularies: Vocabularies
) -> list[SentenceGraph] | None:
    """The graphs of all sentences; None where examples had to be left out."""
    parsed = list(chain.from_iterable(example.sentences for example in read.examples))
    labelled = any(sentence.labels is not None for sentence in parsed)
    graphs: list[SentenceGraph] = []
    broken: set[int] = set()
    for place, (sentence, form) in enumerate(zip(parsed, shaped, strict=True)):
        labels = gold_classes(source.graph, sentence)
        try:
            graphs.append(build(source.graph, form, vocabularies, labels=labels, labelled=labelled))
        except SentenceError as error:
            if not source.skip:
                raise
            read.skipped.append(str(error))
            broken.add(place // len(read.examples[0].sentences))
    if not broken:
        return graphs
    read.examples = [example for number, example in enumerate(read.examples) if number not in broken]
    return None


def _with_gold(read: Read, source: Source) -> list[Example]:
    """The examples; those that lack a gold value which others have are left out where they may be.

    Raises:
        SentenceError: there is one, and none is to be skipped.
    """
    names = set(chain.from_iterable(example.targets for example in read.examples))
    kept = []
    for example in read.examples:
        missing = sorted(names - set(example.targets))
        if not missing:
            kept.append(example)
            continue
        error = SentenceError(f"no gold {missing[0]!r}, which others have; give it to all", example.sentences[0].origin)
        if not source.skip:
            raise error
        read.skipped.append(str(error))
    return kept


def _targets(rows: Sequence[Example]) -> dict[str, list[Any]]:
    return {name: [example.targets[name] for example in rows] for name in rows[0].targets}
