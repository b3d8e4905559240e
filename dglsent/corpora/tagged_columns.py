"""Corpora of one's own with a class for each token, each split a file of columns or of CoNLL-U."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.labelled import LabelledFiles
from dglsent.corpora.own_files import classes, is_conllu
from dglsent.corpora.tagged import tagged_examples
from graphs.columns import Dependencies, Tagged
from graphs.errors import InputError, SentenceError
from graphs.formats.columns import read_columns
from graphs.formats.conllu import read_conllu

_OF_WORDS = ("upos", "xpos", "feats")  # columns of CoNLL-U that say a word's part of speech, and tell one another
_TAGGED_REMEDY = (
    "CoNLL-U has tags and dependencies alone; choose a dependency graph, a chain, a window or a complete graph"
)


class TaggedColumns(LabelledFiles[Tagged | Dependencies]):
    """Sentences with a class for each token: a token a line in columns, a blank line between sentences; or CoNLL-U.

    A file of CoNLL-U has dependency parses, which a model may read; what it says of a word's part of speech (upos, xpos
    and feats) is a class or left out. A word whose upos or xpos is "_" has no class. Files of both kinds are named
    `.conll`: such a one is CoNLL-U where the classes are upos, xpos or feats and `columns` names no column so.

    Args:
        train: file of the training split, from the working folder.
        test: that of the test split.
        dev: that of the dev split; without it a tenth of train is dev.
        columns: names of all columns, one of them "word"; part-of-speech tags are "pos", which a model may read.
            A file of `word POS class` has the columns word, pos and tag. Not read of CoNLL-U.
        tag: the column of the classes; of CoNLL-U "upos", "xpos" or "feats".

    Raises:
        ValueError: there is no such column of classes, or `columns` is a text.
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
        if isinstance(columns, str):
            raise ValueError(f"corpus.columns is {columns!r}; give a list of names, as [word, tag]")
        self.columns, self.tag = tuple(columns), tag
        conllu = self._is_conllu(train)
        self._none = "_" if conllu and tag != "feats" else None  # "_" of features: there are none
        # The word is no class, and "" names a column that is left out.
        known = _OF_WORDS if conllu else [name for name in self.columns if name not in ("word", "")]
        if tag not in known:
            raise ValueError(f"corpus.tag: no column {tag!r} among {', '.join(known)}; set --corpus.tag to one")

    def _read(self, file: Path) -> list[Tagged | Dependencies]:
        if self._is_conllu(file):
            if self.tag in _OF_WORDS:
                return list(read_conllu(file))
            raise InputError(f"{file}: CoNLL-U, which has no column {self.tag!r}; the files are all of it, or none")
        if self.tag not in self.columns:
            raise InputError(f"{file}: no CoNLL-U, as {self.train} is; the files are all of it, or none")
        try:
            return list(read_columns(file, self.columns))
        except SentenceError as error:
            hint = f"; {self._remedy(file)}" if ", expected " in error.reason else ""
            raise SentenceError(f"{error.reason}{hint}", error.origin) from None

    def _remedy(self, file: Path) -> str:
        """What to do about a file of other columns."""
        if self.labels:  # of a trained model, whose columns are no option any more
            return f"the model was trained on {', '.join(self.columns)}"
        other = ", or of CoNLL-U give --corpus.tag upos, xpos or feats" if is_conllu(file) else ""
        return (
            f"if it has others than {', '.join(self.columns)}, name all by --corpus.columns, as [word, pos, tag]{other}"
        )

    def _classes(self, train: Sequence[Tagged | Dependencies]) -> tuple[str, ...]:
        tags = {tag for one in train for tag in self._tokens(one).columns[self.tag]} - {self._none}
        if not tags:
            raise InputError(f"{self.train}: {self.tag} of every word is {self._none!r}; name another --corpus.tag")
        return classes(tags, self.train)

    def _examples(self, read: Mapping[str, Sequence[Tagged | Dependencies]]) -> dict[str, list[Example]]:
        try:
            made = {
                split: tagged_examples(split, map(self._tokens, some), self.tag, self.labels, self._none)
                for split, some in read.items()
            }
        except SentenceError as error:  # a tag that is no class
            raise SentenceError(f"{error.reason}, the classes of {self.train}", error.origin) from None
        for split, some in read.items():
            for one, example in zip(some, made[split], strict=True):
                if isinstance(one, Dependencies):
                    (sentence,) = example.sentences
                    bare = dataclasses.replace(one, upos=(), xpos=(), feats=())
                    example.sentences = (Parsed(dependencies=bare, labels=sentence.labels, remedy=_TAGGED_REMEDY),)
        return made

    def _tokens(self, one: Tagged | Dependencies) -> Tagged:
        if isinstance(one, Tagged):
            return one
        return Tagged(one.word, {self.tag: getattr(one, self.tag)}, one.origin)

    def _is_conllu(self, file: str | Path) -> bool:
        # By names alone: a run is loaded, and knows its classes, where the files no longer are.
        if Path(file).name.removesuffix(".gz").endswith(".conllu"):
            return True
        return is_conllu(file) and self.tag in _OF_WORDS and self.tag not in self.columns
