"""Files of parsed sentences, of raw ones, and tables, as what a store is built of."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeAlias, get_args

from dglsent.building.endings import form_of
from dglsent.building.parts import Part, lines_before, parts_of, text_of
from dglsent.building.read import Read
from dglsent.building.tables import Parsing, examples_of, unlabelled
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.own_files import of_classes, refuse_parses, told_class
from dglsent.training.graphs import GraphKind, of_tree
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import read_brackets
from graphs.formats.conllu import read_conllu
from graphs.formats.source import Extract, read_lines

Labels: TypeAlias = Literal["sentence", "nodes", "upos", "xpos"]
LABELS: tuple[Labels, ...] = get_args(Labels)

_REMEDY = "classes of tokens are for a chain, a window or a complete graph"


@dataclass(frozen=True, slots=True)
class Files:
    """Parsed sentences in files, or raw ones that Stanza parses on the way, one a line or in tables.

    Attributes:
        graph: what sentences become.
        files: by split.
        labels: where gold classes stand: "sentence" in comments `# label = CLASS` of CoNLL-U, if there are any;
            and in column `label` of tables; "nodes" in brackets, as the label of every node; "upos" or "xpos" in a
            column of CoNLL-U, one a token.
        skip: leave out sentences that cannot be read, or cannot become a graph, instead of stopping there.
        stanza_dir: Stanza's models, for raw text.
        cache: folder of the cache of parses.
        columns: of tables, names of the columns `text`, `first`, `second`, `label` and `score` that have others there;
            of CoNLL-U the name of the comment `label`.
    """

    graph: GraphKind
    files: Mapping[str, Sequence[str]]
    labels: Labels = "sentence"
    skip: bool = False
    stanza_dir: str | os.PathLike[str] | None = None
    cache: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)

    def about(self) -> dict[str, Any]:
        """What decides what a shard holds, but for the sentences."""
        columns = {"columns": dict(self.columns)} if self.columns else {}
        return {"graph": self.graph, "labels": self.labels, **columns}

    def class_names(self) -> list[str] | None:
        """The names of the classes, where the corpus numbers them."""
        return None

    def parts(self, size: int) -> Iterator[Part]:
        """The parts of all splits, `size` sentences each."""
        for split, files in self.files.items():
            yield from parts_of(split, list(files), size)

    def read(self, part: Part) -> Read:
        """The examples of a part.

        Raises:
            SentenceError: a sentence cannot be read, and none is to be skipped.
            InputError: `labels` does not go with such a file, raw text holds trees or CoNLL-U, or the file has changed.
        """
        known: dict[str, int] = {}
        read = Read([], [])

        def parse(texts: Sequence[str]) -> list[Dependencies | Constituency | SentenceError]:
            parses = self._parse(texts)
            read.parser = self.parser()
            return parses

        for found in self._examples(part, known, parse):
            if isinstance(found, Example):
                read.examples.append(found)
            elif self.skip:
                read.skipped.append(str(found))
            else:
                raise found
        read.classes = list(known)
        return read

    def parser(self) -> str:
        """Stanza's version and models, by which raw text is parsed.

        Raises:
            InputError: there are no models.
        """
        return _parser(os.fspath(self.stanza_dir) if self.stanza_dir else None)

    def _examples(self, part: Part, known: dict[str, int], parse: Parsing) -> Iterator[Example | SentenceError]:
        if form_of(part.file) in ("tsv", "csv", "jsonl"):
            if self.labels != "sentence":
                raise InputError(
                    f"{part.file}: --labels {self.labels} is not for tables; their column `label` has classes"
                )
            table = Extract(text_of(part), part.file, part.line - lines_before(part), part.ordinal)
            parsing = parse if self._reads_trees else None
            yield from examples_of(table, part.split, part.first, known, parsing, self.columns)
            return
        for number, found in enumerate(self._sentences(part, parse), part.first):
            if isinstance(found, SentenceError):
                yield found
                continue
            try:
                yield self._example(found, f"{part.split}-{number}", known)
            except SentenceError as error:
                yield error

    def _sentences(self, part: Part, parse: Parsing) -> Iterable[Dependencies | Constituency | SentenceError]:
        extract = Extract(text_of(part), part.file, part.line, part.ordinal)
        form = form_of(part.file)
        if form == "text":
            return self._parsed(extract, parse)
        if form == "brackets":
            return read_brackets(extract, unescape=True, on_error="skip").in_order()
        return read_conllu(extract, on_error="skip").in_order()

    @property
    def _reads_trees(self) -> bool:
        return self.graph == "dependency" or of_tree(self.graph)

    def _parsed(self, text: Extract, parse: Parsing) -> Iterator[Dependencies | Constituency | SentenceError]:
        lines = [(number, line) for number, line in enumerate(read_lines(text), text.line) if line.strip()]
        refuse_parses(lines, text.name, "a file of trees is named NAME.brackets, and one of CoNLL-U NAME.conllu")
        if self.labels != "sentence":
            raise InputError(f"{text.name}: raw sentences, which have no classes for --labels {self.labels}")
        parses = parse([line for _, line in lines])
        for place, ((number, _), found) in enumerate(zip(lines, parses, strict=True), text.ordinal):
            origin = Origin(text.name, number, str(place))
            if isinstance(found, SentenceError):
                yield SentenceError(found.reason, origin)
            else:
                found.origin = origin
                yield found

    def _parse(self, texts: Sequence[str]) -> list[Dependencies | Constituency | SentenceError]:
        """Stanza's parses, of each the tree that the graphs read."""
        from graphs.parsing import parse

        parses = parse(texts, stanza_dir=self.stanza_dir, cache=self.cache)
        wanted = "constituency" if of_tree(self.graph) else "dependencies"
        return [found if isinstance(found, SentenceError) else getattr(found, wanted) for found in parses]

    def _example(self, sentence: Dependencies | Constituency, name: str, known: dict[str, int]) -> Example:
        def number(label: str) -> int:
            return known.setdefault(label, len(known))

        if self.labels == "sentence":
            comment = self.columns.get("label", "label")
            label = told_class(sentence, comment) if isinstance(sentence, Dependencies) else ""
            targets = {"label": number(label)} if label else {}
            return Example((unlabelled(sentence),), targets, name)
        if self.labels == "nodes":
            if not isinstance(sentence, Constituency):
                raise SentenceError("has no nodes with labels; --labels nodes is for brackets", sentence.origin)
            return of_classes(sentence, number, name)
        if not isinstance(sentence, Dependencies):
            raise SentenceError(f"has no column {self.labels}; --labels {self.labels} is for CoNLL-U", sentence.origin)
        column = sentence.upos if self.labels == "upos" else sentence.xpos
        classes = [number(tag) if tag != "_" else -1 for tag in column]
        words = Tagged(sentence.word, {}, sentence.origin)
        return Example((Parsed(unparsed=words, labels=classes, remedy=_REMEDY),), {}, name)


@lru_cache(4)
def _parser(stanza_dir: str | None) -> str:
    from graphs.stanza_models import models

    found = models(stanza_dir)
    return f"{found.title}, {hashlib.sha256(found.identity.encode()).hexdigest()[:8]}"
