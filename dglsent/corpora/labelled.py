"""Corpora of one's own: labelled text, labelled trees, pairs, and tagged columns, each in a file a split."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.own_files import (
    NO_CLASS,
    REMEDY,
    classes,
    found,
    has_trees,
    number_of,
    read_table,
    sentence,
    splits,
)
from dglsent.corpora.tagged import tagged_examples
from graphs.columns import Constituency, Dependencies
from graphs.errors import Origin, SentenceError
from graphs.formats.brackets import read_brackets
from graphs.formats.columns import read_columns
from graphs.formats.conllu import read_conllu
from graphs.formats.numbers import decimal_number

T = TypeVar("T")


class _Files(Corpus):
    """A file a split; without one for dev, a tenth of train is dev."""

    needs_data = False
    labels_from_files = True

    def __init__(self, train: str, test: str, dev: str | None = None) -> None:
        self.train, self.dev, self.test = train, dev, test

    def _read(self, read: Callable[[Path], T]) -> dict[str, T]:
        named = {"train": self.train, "dev": self.dev, "test": self.test}
        return {split: read(found(file, split)) for split, file in named.items() if file is not None}


class LabelledText(_Files):
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

    def load(self, data: Path) -> Splits:
        """Reads the files."""
        read = self._read(self._labelled)
        self.labels = classes((label for _, label, _ in read["train"]), self.train)
        # Of all splits, so that equal cells of train and test are read alike.
        trees = has_trees(said for rows in read.values() for said, _, _ in rows if isinstance(said, str))
        made = {
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
        return splits(made["train"], made.get("dev"), made["test"])

    def _labelled(self, file: Path) -> list[tuple[Dependencies | str, str, Origin]]:
        """What a file says, the class of each, and where it stands."""
        if file.name.removesuffix(".gz").endswith((".conllu", ".conll")):
            return [(one, self._comment(one), one.origin) for one in read_conllu(file)]
        return [(row.cell(self.text), row.cell(self.label), row.origin) for row in read_table(file)]

    def _sentence(self, said: Dependencies | str, origin: Origin, trees: bool) -> Parsed:
        if isinstance(said, Dependencies):
            return Parsed(dependencies=said, remedy=REMEDY)
        return sentence(said, origin, trees)

    def _comment(self, one: Dependencies) -> str:
        for comment in one.comments:
            name, equals, value = comment.partition("=")
            if name.strip() == self.label and equals and value.strip():
                return value.strip()
        raise SentenceError(f"no comment `# {self.label} = CLASS`", one.origin)


class LabelledTrees(_Files):
    """Trees in brackets whose labels are classes, as in the Stanford Sentiment Treebank: `(3 (2 a) (4 good))`.

    The class at the root is that of the sentence; phrases with one are learnt too. "_", "-1" or no label is no class.

    Args:
        train: file of the training split, from the working folder.
        test: that of the test split.
        dev: that of the dev split; without it a tenth of train is dev.
    """

    def load(self, data: Path) -> Splits:
        """Reads the files."""
        read = self._read(lambda file: list(read_brackets(file, unescape=True)))
        named = (label for tree in read["train"] for label in tree.label if label not in NO_CLASS)
        self.labels = classes(named, self.train)
        made = {
            split: [self._example(tree, f"{split}-{number}") for number, tree in enumerate(trees, 1)]
            for split, trees in read.items()
        }
        return splits(made["train"], made.get("dev"), made["test"])

    def _example(self, tree: Constituency, name: str) -> Example:
        if tree.label[0] in NO_CLASS:
            raise SentenceError("the root has no class", tree.origin)
        labels = [-1 if label in NO_CLASS else number_of(label, self.labels, tree.origin) for label in tree.label]
        # The labels are gold classes, not tags: a model must not read them.
        bare = Constituency([""] * len(tree), tree.word, tree.parent, tree.origin)
        return Example((Parsed(bare, labels=labels, remedy=REMEDY),), {"label": labels[0]}, name)


class LabelledPairs(_Files):
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

    def load(self, data: Path) -> Splits:
        """Reads the files."""
        read = self._read(lambda file: list(read_table(file)))
        if self.score is None:
            self.labels = classes((row.cell(self.label) for row in read["train"]), self.train)
        columns = (self.first, self.second)
        # Of all splits and both columns, so that equal cells are read alike.
        trees = has_trees(row.cell(column) for rows in read.values() for row in rows for column in columns)
        made: dict[str, list[Example]] = {}
        for split, rows in read.items():
            made[split] = []
            for number, row in enumerate(rows, 1):
                target: dict[str, int | float] = {}
                if self.score is None:
                    target["label"] = number_of(row.cell(self.label), self.labels, row.origin)
                else:
                    value = decimal_number(row.cell(self.score))
                    if value is None:
                        raise SentenceError(f"{row.cell(self.score)!r} is no number", row.origin)
                    target["score"] = value
                pair = tuple(sentence(row.cell(column), row.origin, trees) for column in columns)
                made[split].append(Example(pair, target, f"{split}-{number}"))
        return splits(made["train"], made.get("dev"), made["test"])


class TaggedColumns(_Files):
    """Sentences with a class for each token: a token a line in columns, a blank line between sentences.

    Args:
        train: file of the training split, from the working folder.
        test: that of the test split.
        dev: that of the dev split; without it a tenth of train is dev.
        columns: names of all columns, one of them "word"; part-of-speech tags are "pos", which a model may read.
        tag: the column of the classes.
    """

    def __init__(
        self,
        train: str,
        test: str,
        dev: str | None = None,
        columns: Sequence[str] = ("word", "tag"),
        tag: str = "tag",
    ) -> None:
        super().__init__(train, test, dev)
        self.columns, self.tag = tuple(columns), tag
        if tag not in self.columns:
            raise ValueError(f"corpus.tag: no column {tag!r} among {', '.join(self.columns)}")

    def load(self, data: Path) -> Splits:
        """Reads the files."""
        read = self._read(lambda file: read_columns(file, self.columns))
        self.labels = classes((label for one in read["train"] for label in one.columns[self.tag]), self.train)
        made = {split: tagged_examples(split, some, self.tag, self.labels) for split, some in read.items()}
        return splits(made["train"], made.get("dev"), made["test"])
