"""Files of a token a line, in the form of those that a tagger was trained on, with or without their classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dglsent.cli.reading import TOKEN, guess
from dglsent.inference.given import Given, given_of
from graphs.columns import Tagged
from graphs.errors import InputError, SentenceError, counted
from graphs.formats.columns import read_columns
from graphs.formats.source import Extract

if TYPE_CHECKING:
    from dglsent.inference.model import Model

_LEAST = 2  # columns of what is taken for such a file without being asked
_MOST = 0.75  # of the lines of a tagger's own files; the others are broken


@dataclass(frozen=True, slots=True)
class TokenColumns:
    """The columns of a tagger's own files.

    Attributes:
        names: of all columns, "word" among them.
        tag: of the one that has the classes.
    """

    names: tuple[str, ...]
    tag: str

    def read(self, text: str, name: str) -> list[tuple[Given, ...]]:
        """The sentences of a file in their order; what it says of classes is left out.

        Raises:
            InputError: most of its lines have neither these columns nor all but that of the classes.
        """
        bare = tuple(column for column in self.names if column != self.tag)
        counts = Counter(map(len, _lines(text)))
        if not counts:
            return []
        count = max(counts, key=counts.__getitem__)  # that of the first line, where as many lines have another
        columns = {len(self.names): self.names, len(bare): bare}.get(count)
        if columns is None:
            remedy = "give those, or a sentence a line, with --format tokens if spaces part its tokens"
            if guess("", text) == "conllu":
                remedy = "it looks like CoNLL-U; give --format conllu"
            raise InputError(
                f"{name}: {counted(count, 'column')} in most lines; the model was trained on "
                f"{', '.join(self.names)}, of which {self.tag!r} may be left out; {remedy}"
            )
        read = read_columns(Extract(text, name, 1, 1), columns, on_error="skip").in_order()
        return [(one,) for one in given_of(map(self._untold, read))]

    def _untold(self, one: Tagged | SentenceError) -> Tagged | SentenceError:
        if isinstance(one, SentenceError):
            return one
        return replace(one, columns={name: column for name, column in one.columns.items() if name != self.tag})


def of_model(model: Model) -> TokenColumns | None:
    """The columns that a model was trained on; None where its files had none."""
    from dglsent.corpora.tagged_columns import TaggedColumns

    corpus = model.recipe.corpus
    if isinstance(corpus, TaggedColumns) and corpus.tag in corpus.columns:
        return TokenColumns(corpus.columns, corpus.tag)
    return None


def are_columns(text: str, model: Model, own: TokenColumns | None) -> bool:
    """Whether a text is such a file, and no text: lines have as many columns, one of which has a tagger's classes.

    Of the classes most are known; others may be those of files that the tagger was not trained on. Of the lines most
    have the tagger's own columns, as a broken one makes no sentence of each line; without own ones all have as many.

    Args:
        text: the text.
        model: the model.
        own: its columns; without them the classes are looked for in the last.
    """
    from dglsent.tasks.tagging import Tagging

    if not isinstance(model.model.task, Tagging):
        return False
    rows = list(_lines(text))
    count = len(own.names) if own else len(rows[0]) if rows else 0
    place = own.names.index(own.tag) if own else -1
    classes = set(model.labels)
    whole = [row for row in rows if len(row) == count]
    if count < _LEAST or len(whole) < (_MOST if own else 1) * len(rows):
        return False
    return 2 * sum(row[place] in classes for row in whole) > len(rows)


def _lines(text: str) -> Iterator[Sequence[str]]:
    """The columns of each line that has any."""
    for line in text.split("\n"):
        if line.strip(" \t") and not line.startswith("-DOCSTART-"):
            yield TOKEN.findall(line)
