"""Corpora of one's own: labelled text, labelled trees and pairs, each in a file a split."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.own_files import (
    NO_CLASS,
    PAIR_REMEDY,
    REMEDY,
    classes,
    found,
    has_trees,
    is_conllu,
    number_of,
    of_classes,
    refuse_no_file,
    score_of,
    sentence,
    splits,
    told_class,
)
from dglsent.corpora.tables import Row, read_table
from graphs.columns import Constituency, Dependencies
from graphs.errors import InputError, Origin, SentenceError
from graphs.formats.brackets import read_brackets
from graphs.formats.conllu import read_conllu

T = TypeVar("T")

_Said: TypeAlias = tuple[Dependencies | str, str, Origin]  # a sentence, its class, and where it stands


class LabelledFiles(Corpus, Generic[T]):
    """A file a split; without one for dev, a tenth of train is dev."""

    needs_data = False
    labels_from_files = True

    def __init__(self, train: str, test: str, dev: str | None = None) -> None:
        self.train, self.dev, self.test = train, dev, test

    def load(self, data: Path) -> Splits:
        """Reads the files.

        Raises:
            InputError: a file is missing, cannot be read, has no examples, or a class that training does not have.
        """
        try:
            return self._load()
        except SentenceError as error:
            if not error.reason.startswith("no column "):
                raise
            hint = "other columns are named by options, such as --corpus.label"
            raise SentenceError(f"{error.reason}; {hint}", error.origin) from None

    def _load(self) -> Splits:
        named = {"train": self.train, "dev": self.dev, "test": self.test}
        read = {split: self._read(found(file, split)) for split, file in named.items() if file is not None}
        for split, some in read.items():
            if not some:
                raise InputError(f"{named[split]}: has no examples; corpus.{split} names it")
        self.labels = self._classes(read["train"])
        made = self._examples(read)
        return splits(made["train"], made.get("dev"), made["test"])

    def of_file(self, file: Path, labels: Sequence[str]) -> list[Example]:
        """The examples of a further file, read as those of test are.

        Args:
            file: the file.
            labels: the classes that a model knows.

        Raises:
            InputError: it has no examples, cannot be read or has other classes.
        """
        refuse_no_file(file)
        self.labels = tuple(labels)
        examples = self._examples({"test": self._read(file)})["test"]
        if not examples:
            raise InputError(f"{file}: has no examples")
        return examples

    def _read(self, file: Path) -> list[T]:
        """What a file holds."""
        raise NotImplementedError

    def _classes(self, train: Sequence[T]) -> tuple[str, ...]:
        """The classes that the training split names."""
        raise NotImplementedError

    def _examples(self, read: Mapping[str, Sequence[T]]) -> dict[str, list[Example]]:
        """The examples of what files hold, by split."""
        raise NotImplementedError


class LabelledText(LabelledFiles[_Said]):
    """Sentences with a class each.

    A table (TSV, CSV, JSON lines) has a column with the text, which is cut into tokens where it is no tree in brackets
    (`(UH Yes)` is one only where another cell has brackets within brackets); a file of CoNLL-U has dependency parses,
    and before each a comment `# label = CLASS`.

    Args:
        train: file of the training split, from the working folder.
        test: that of the test split.
        dev: that of the dev split; without it a tenth of train is dev.
        text: the column of the text.
        label: the column of the class, or the name of the comment.
    """

    def __init__(self, train: str, test: str, dev: str | None = None, text: str = "text", label: str = "label") -> None:
        super().__init__(train, test, dev)
        self.text, self.label = text, label

    def _classes(self, train: Sequence[_Said]) -> tuple[str, ...]:
        return classes((label for _, label, _ in train), self.train)

    def _examples(self, read: Mapping[str, Sequence[_Said]]) -> dict[str, list[Example]]:
        # Of all splits, so that equal cells of train and test are read alike.
        trees = has_trees(said for rows in read.values() for said, _, _ in rows if isinstance(said, str))
        return {
            split: [
                Example(
                    (self._sentence(said, origin, trees),),
                    {"label": number_of(label, self.labels, origin)},
                    f"{split}-{number}",
                )
                for number, (said, label, origin) in enumerate(rows, 1)
            ]
            for split, rows in read.items()
        }

    def _read(self, file: Path) -> list[_Said]:
        if is_conllu(file):
            return [(one, self._comment(one), one.origin) for one in read_conllu(file)]
        return [(row.cell(self.text), row.cell(self.label), row.origin) for row in read_table(file)]

    def _sentence(self, said: Dependencies | str, origin: Origin, trees: bool) -> Parsed:
        if isinstance(said, Dependencies):
            return Parsed(dependencies=said, remedy=REMEDY)
        return sentence(said, origin, trees)

    def _comment(self, one: Dependencies) -> str:
        label = told_class(one, self.label)
        if not label:
            raise SentenceError(f"no comment `# {self.label} = CLASS`", one.origin)
        return label


class LabelledTrees(LabelledFiles[Constituency]):
    """Trees in brackets whose labels are classes, as in the Stanford Sentiment Treebank: `(3 (2 a) (4 good))`.

    The class at the root is that of the sentence; phrases with one are learnt too. "_", "-1" or no label is no class.

    Args:
        train: file of the training split, from the working folder.
        test: that of the test split.
        dev: that of the dev split; without it a tenth of train is dev.
    """

    def _read(self, file: Path) -> list[Constituency]:
        return list(read_brackets(file, unescape=True))

    def _classes(self, train: Sequence[Constituency]) -> tuple[str, ...]:
        return classes((label for tree in train for label in tree.label if label not in NO_CLASS), self.train)

    def _examples(self, read: Mapping[str, Sequence[Constituency]]) -> dict[str, list[Example]]:
        return {
            split: [self._example(tree, f"{split}-{number}") for number, tree in enumerate(trees, 1)]
            for split, trees in read.items()
        }

    def _example(self, tree: Constituency, name: str) -> Example:
        return of_classes(tree, lambda label: number_of(label, self.labels, tree.origin), name, REMEDY)


class LabelledPairs(LabelledFiles[Row]):
    """Pairs of sentences, each pair with a class or a score, in a table (TSV, CSV, JSON lines).

    Args:
        train: file of the training split, from the working folder.
        test: that of the test split.
        dev: that of the dev split; without it a tenth of train is dev.
        first: the column of the first sentence: text, or a tree in brackets.
        second: that of the second one.
        label: the column of the class, for `PairClassification`; not read where there is a score.
        score: the column of a number, for `Relatedness`.
    """

    def __init__(
        self,
        train: str,
        test: str,
        dev: str | None = None,
        first: str = "first",
        second: str = "second",
        label: str = "label",
        score: str | None = None,
    ) -> None:
        super().__init__(train, test, dev)
        self.first, self.second, self.label, self.score = first, second, label, score

    def _read(self, file: Path) -> list[Row]:
        return list(read_table(file))

    def _classes(self, train: Sequence[Row]) -> tuple[str, ...]:
        return classes((row.cell(self.label) for row in train), self.train) if self.score is None else ()

    def _examples(self, read: Mapping[str, Sequence[Row]]) -> dict[str, list[Example]]:
        # Of all splits and both columns, so that equal cells are read alike.
        trees = has_trees(row.cell(column) for rows in read.values() for row in rows for column in self._columns)
        return {
            split: [self._example(row, f"{split}-{number}", trees) for number, row in enumerate(rows, 1)]
            for split, rows in read.items()
        }

    def _example(self, row: Row, name: str, trees: bool) -> Example:
        pair = tuple(sentence(row.cell(column), row.origin, trees, PAIR_REMEDY) for column in self._columns)
        if self.score is None:
            return Example(pair, {"label": number_of(row.cell(self.label), self.labels, row.origin)}, name)
        return Example(pair, {"score": score_of(row, self.score)}, name)

    @property
    def _columns(self) -> tuple[str, str]:
        return self.first, self.second
