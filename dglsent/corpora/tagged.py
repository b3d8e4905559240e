"""Tagged sentences as examples: a gold class for every token."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dglsent.corpora.corpus import some_of
from dglsent.corpora.example import Example, Parsed
from graphs.columns import Tagged
from graphs.errors import SentenceError

RARE = "<rare>"
"""The class of tags that the training split does not have."""

_REMEDY = "the corpus has tags and no parses; choose a chain, a window or a complete graph"


def bio(kinds: Iterable[str]) -> tuple[str, ...]:
    """The BIO tags of some kinds of spans."""
    return ("O", *(f"{place}-{kind}" for kind in kinds for place in "BI"))


def with_rare(sentences: Iterable[Tagged], column: str) -> tuple[str, ...]:
    """The tags that a training split has in a column, and `RARE`."""
    return (*sorted({tag for sentence in sentences for tag in sentence.columns[column]}), RARE)


def tagged_examples(
    split: str, sentences: Iterable[Tagged], column: str, labels: Sequence[str], none: str | None = None
) -> list[Example]:
    """The sentences of a split, with the tags of one column as gold classes; the model may read the other columns.

    Args:
        split: its name; `SPLIT-17` is the 17th sentence.
        sentences: N sentences.
        column: the name of the column.
        labels: names of the classes. With `RARE` among them, it is the class of a tag that is none of them.
        none: the tag of a token that has no gold class.

    Raises:
        SentenceError: a tag is no class.
    """
    number = {label: place for place, label in enumerate(labels)}
    rare = number.get(RARE)
    if none is not None:
        number[none] = -1
    examples = []
    for ordinal, sentence in enumerate(sentences, 1):
        gold = [number.get(tag, rare) for tag in sentence.columns[column]]
        if None in gold:
            place = gold.index(None)
            tag = sentence.columns[column][place]
            raise SentenceError(f"word {place + 1}: {column} {tag!r} is none of {some_of(labels)}", sentence.origin)
        others = {name: tags for name, tags in sentence.columns.items() if name != column}
        read = Tagged(sentence.word, others, sentence.origin)
        known = [label for label in gold if label is not None]
        examples.append(Example((Parsed(unparsed=read, labels=known, remedy=_REMEDY),), id=f"{split}-{ordinal}"))
    return examples
