"""Where the examples of a store come from: files of parsed sentences, or the corpus of a recipe."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from dglsent.building.parts import Part, form_of, lines_before, parts_of, text_of
from dglsent.building.tables import Parsing, examples_of, unlabelled
from dglsent.corpora.corpus import Splits
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.own_files import NO_CLASS, is_tree
from dglsent.training.graphs import Graph, GraphKind
from graphs.columns import Constituency, Dependencies, Tagged
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import read_brackets
from graphs.formats.conllu import read_conllu
from graphs.formats.source import Extract, read_lines

Labels: TypeAlias = Literal["sentence", "nodes", "upos", "xpos"]
LABELS: tuple[Labels, ...] = get_args(Labels)

_REMEDY = "classes of tokens are for a chain, a window or a complete graph"


@dataclass(slots=True)
class Read:
    """What a part has.

    Attributes:
        examples: its examples.
        classes: names of the classes 0, 1, ... of their labels, in the order in which they are met; None where they
            are numbered by the corpus.
        skipped: why sentences were left out.
        parser: Stanza's version and models, where it parsed some on the way.
    """

    examples: list[Example]
    classes: list[str] | None = None
    skipped: list[str] = field(default_factory=list)
    parser: str | None = None

    def renumber(self, new: Mapping[int, int]) -> None:
        """Gives the classes of the examples other numbers; a node whose class has no new one has none then."""
        for example in self.examples:
            if "label" in example.targets:
                example.targets = {**example.targets, "label": new[int(example.targets["label"])]}
            for sentence in example.sentences:
                if sentence.labels is not None:
                    sentence.labels = [new.get(label, -1) for label in sentence.labels]

    def forget_unused_classes(self) -> None:
        """Numbers the classes anew, without those that only examples had that were left out."""
        if self.classes is None:
            return
        used = set(chain.from_iterable(map(labels_of, self.examples)))
        kept = [number for number in range(len(self.classes)) if number in used]
        self.renumber({number: place for place, number in enumerate(kept)})
        self.classes = [self.classes[number] for number in kept]


def labels_of(example: Example) -> Iterator[int]:
    """The numbers of all gold classes of an example; -1 where a node or a token has none."""
    if "label" in example.targets:
        yield int(example.targets["label"])
    for sentence in example.sentences:
        yield from sentence.labels or ()


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
        columns: of tables, names of the columns `text`, `first`, `second`, `label` and `score` that have others there.
    """

    graph: GraphKind
    files: Mapping[str, Sequence[str]]
    labels: Labels = "sentence"
    skip: bool = False
    stanza_dir: str | None = None
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
        return _parser(self.stanza_dir)

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
                example = self._example(found, f"{part.split}-{number}", known)
            except SentenceError as error:
                yield error
            else:
                yield example

    def _sentences(self, part: Part, parse: Parsing) -> Iterable[Dependencies | Constituency | SentenceError]:
        extract = Extract(text_of(part), part.file, part.line, part.ordinal)
        form = form_of(part.file)
        if form == "text":
            yield from self._parsed(extract, parse)
            return
        sentences: Any
        if form == "brackets":
            sentences = read_brackets(extract, unescape=True, on_error="skip")
        else:
            sentences = read_conllu(extract, on_error="skip")
        # Several trees may share a line, so equal lines keep their order.
        yield from sorted([*sentences, *sentences.skipped], key=lambda found: found.origin.line)

    @property
    def _reads_trees(self) -> bool:
        return self.graph.startswith(("dependency", "constituency"))

    def _parsed(self, text: Extract, parse: Parsing) -> Iterator[Dependencies | Constituency | SentenceError]:
        lines = [(number, line) for number, line in enumerate(read_lines(text), text.line) if line.strip()]
        trees = next((number for number, line in lines if is_tree(line.strip(), among_trees=False)), None)
        if trees is not None:
            raise InputError(
                f"{text.name}:{trees}: a tree in brackets, where raw sentences are read; a file of trees is named "
                "NAME.brackets"
            )
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
        wanted = "constituency" if self.graph.startswith("constituency") else "dependencies"
        return [found if isinstance(found, SentenceError) else getattr(found, wanted) for found in parses]

    def _example(self, sentence: Dependencies | Constituency, name: str, known: dict[str, int]) -> Example:
        if self.labels == "sentence":
            label = _comment(sentence) if isinstance(sentence, Dependencies) else ""
            targets = {"label": known.setdefault(label, len(known))} if label else {}
            return Example((unlabelled(sentence),), targets, name)
        if self.labels == "nodes":
            if not isinstance(sentence, Constituency):
                raise SentenceError("has no nodes with labels; --labels nodes is for brackets", sentence.origin)
            if sentence.label[0] in NO_CLASS:
                raise SentenceError("the root has no class", sentence.origin)
            classes = [-1 if label in NO_CLASS else known.setdefault(label, len(known)) for label in sentence.label]
            bare = Constituency([""] * len(sentence), sentence.word, sentence.parent, sentence.origin)
            return Example((Parsed(bare, labels=classes),), {"label": classes[0]}, name)
        if not isinstance(sentence, Dependencies):
            raise SentenceError(f"has no column {self.labels}; --labels {self.labels} is for CoNLL-U", sentence.origin)
        column = sentence.upos if self.labels == "upos" else sentence.xpos
        classes = [known.setdefault(tag, len(known)) if tag != "_" else -1 for tag in column]
        words = Tagged(sentence.word, {}, sentence.origin)
        return Example((Parsed(unparsed=words, labels=classes, remedy=_REMEDY),), {}, name)


@lru_cache(4)
def _parser(stanza_dir: str | None) -> str:
    from graphs.stanza_pipeline import models

    found = models(stanza_dir)
    return f"{found.title}, {hashlib.sha256(found.identity.encode()).hexdigest()[:8]}"


def _comment(sentence: Dependencies) -> str:
    """The class that a comment `label = CLASS` gives, "" without one."""
    for comment in sentence.comments:
        name, equals, value = comment.partition("=")
        if equals and name.strip() == "label":
            return value.strip()
    return ""


@dataclass(frozen=True, slots=True)
class OfRecipe:
    """The corpus of a recipe.

    Attributes:
        recipe: the resolved recipe as YAML.
        data: the data folder; None for that of the environment.
    """

    recipe: str
    data: Path | None = None
    skip: ClassVar[bool] = False

    def parser(self) -> None:
        """None: its parses lie with the corpus."""

    @property
    def graph(self) -> Graph:
        """What sentences become."""
        return _loaded(self.recipe, self.data)[0]

    def about(self) -> dict[str, Any]:
        """What decides what a shard holds, but for the sentences."""
        return {"graph": str(self.graph)}

    def class_names(self) -> list[str] | None:
        """The names of the classes."""
        return list(_loaded(self.recipe, self.data)[2])

    def parts(self, size: int) -> Iterator[Part]:
        """The parts of all splits, `size` examples each."""
        for split, examples in _loaded(self.recipe, self.data)[1].items():
            for number, begin in enumerate(range(0, len(examples), size)):
                some = examples[begin : begin + size]
                yield Part(split, number, begin + 1, len(some), _digest(some), begin=begin)

    def read(self, part: Part) -> Read:
        """The examples of a part."""
        return Read(_loaded(self.recipe, self.data)[1][part.split][part.begin : part.begin + part.count])


@lru_cache(1)
def _loaded(recipe: str, data: Path | None) -> tuple[Graph, Splits, Sequence[str]]:
    from dglsent.training import recipe as recipes
    from dglsent.training.assemble import load_corpus

    options = recipes.instantiate(recipes.resolve(recipe))
    splits = load_corpus(options, data)
    return options.graph, splits, options.corpus.labels


def _digest(examples: Iterable[Example]) -> str:
    """Hash of all that graphs and gold values are made of."""
    sha = hashlib.sha256()
    for example in examples:
        content: list[Any] = [example.id, sorted(example.targets.items()), sorted(example.groups)]
        for sentence in chain.from_iterable((one, *one.parts) for one in example.sentences):
            parses = (sentence.constituency, sentence.dependencies, sentence.unparsed)
            content.append(sentence.labels and list(sentence.labels))
            content += [None if parse is None else (str(parse.origin), _columns(parse)) for parse in parses]
        sha.update(repr(content).encode("utf-8", "surrogatepass"))
    return sha.hexdigest()


def _columns(parse: Constituency | Dependencies | Tagged) -> Any:
    if isinstance(parse, Tagged):
        return list(parse.word), {name: list(column) for name, column in parse.columns.items()}
    if isinstance(parse, Constituency):
        return list(parse.word), list(parse.label), parse.parent.tolist()
    return list(parse.word), list(parse.relation), list(parse.upos), list(parse.xpos), parse.head.tolist()


Source: TypeAlias = Files | OfRecipe
