"""What a sentence graph needs to turn strings into ids, built from sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from graphs.columns import Constituency, Sentence, Tagged, check_lengths, check_sentence, check_sentences
from graphs.cooccurrence import Cooccurrence
from graphs.spelling import Spelling
from graphs.vocabulary import PADDING, SPECIAL, UNKNOWN, VERSION, Vocabulary, check_format, read_json, write_json

__all__ = ["PADDING", "SPECIAL", "UNKNOWN", "Counts", "Vocabularies", "Vocabulary", "relations", "tag_column", "tags"]

_FORMAT: Final = "dglsent vocabularies"


@dataclass(slots=True)
class Counts:
    """How often each string occurs in parsed sentences.

    Attributes:
        word: word forms.
        tag: POS tags and, of constituency trees, phrase labels.
        relation: dependency relations.
    """

    word: Counter[str] = field(default_factory=Counter)
    tag: Counter[str] = field(default_factory=Counter)
    relation: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, sentences: Iterable[Sentence]) -> Counts:
        """Counts the strings of sentences in one pass.

        Raises:
            InputError: one sentence was given, or what is no list of sentences.
            SentenceError: a sentence has columns of several lengths.
        """
        check_sentences(sentences)
        counts = cls()
        for sentence in sentences:
            check_sentence(sentence)
            check_lengths(sentence)
            columns = (sentence.word, tags(sentence), relations(sentence))
            for counter, strings in zip((counts.word, counts.tag, counts.relation), columns, strict=True):
                counter.update(string for string in strings if string is not None)
        return counts

    def add(self, other: Counts) -> None:
        """Counts those of other sentences too."""
        self.word.update(other.word)
        self.tag.update(other.tag)
        self.relation.update(other.relation)

    def to_json(self) -> dict[str, dict[str, int]]:
        """The counts as plain JSON values, in the order of the strings."""
        return {name: dict(sorted(getattr(self, name).items())) for name in ("word", "tag", "relation")}

    @classmethod
    def from_json(cls, data: Any) -> Counts:
        """Reads what `to_json` wrote."""
        return cls(*(Counter(data[name]) for name in ("word", "tag", "relation")))


@dataclass(slots=True)
class Vocabularies:
    """The vocabularies that a sentence graph needs.

    Attributes:
        word: word forms.
        tag: POS tags and, of constituency trees, phrase labels.
        relation: dependency relations; nothing but special ids where no dependencies were seen.
        spelling: of characters, affixes and shapes; with it, graphs carry the spelling of words.
        cooccurrence: of words; with it, complete graphs carry the field `pmi`.
        label: names of the classes of tokens, for models that were trained to tell them.
    """

    word: Vocabulary
    tag: Vocabulary
    relation: Vocabulary
    spelling: Spelling | None = None
    cooccurrence: Cooccurrence | None = None
    label: Vocabulary | None = None

    @classmethod
    def of(
        cls,
        sentences: Iterable[Sentence],
        *,
        lower: bool = False,
        fold_digits: bool = False,
        min_count: int = 1,
        spelling: bool = False,
    ) -> Vocabularies:
        """Counts the strings of parsed sentences in one pass.

        Args:
            sentences: parsed or tagged sentences.
            lower: lower-case words.
            fold_digits: turn every digit of a word into 9.
            min_count: words seen less often than this are left out.
            spelling: make the vocabularies of spelling too, of words as they stand.

        Raises:
            InputError: one sentence was given, or what is no list of sentences; or `min_count` is no number.
            SentenceError: a sentence has columns of several lengths.
        """
        counts = Counts.of(sentences)
        return cls.of_counts(counts, lower=lower, fold_digits=fold_digits, min_count=min_count, spelling=spelling)

    @classmethod
    def of_counts(
        cls,
        counts: Counts,
        *,
        lower: bool = False,
        fold_digits: bool = False,
        min_count: int = 1,
        spelling: bool = False,
    ) -> Vocabularies:
        """The vocabularies of strings that are counted already; otherwise as `of`."""
        return cls(
            word=Vocabulary.of(counts.word, min_count=min_count, lower=lower, fold_digits=fold_digits),
            tag=Vocabulary.of(counts.tag),
            relation=Vocabulary.of(counts.relation),
            spelling=Spelling.of(counts.word) if spelling else None,
        )

    def save(self, path: str | Path) -> None:
        """Writes everything into one JSON file.

        Raises:
            OSError: the file cannot be written.
        """
        parts = {name: getattr(self, name) for name in ("word", "tag", "relation", "spelling", "cooccurrence", "label")}
        given = {name: part.to_json() for name, part in parts.items() if part is not None}
        write_json({"format": _FORMAT, "version": VERSION, **given}, path)

    @classmethod
    def load(cls, path: str | Path) -> Vocabularies:
        """Reads what `save` wrote.

        Raises:
            InputError: the file cannot be read, or holds something else.
        """
        data = read_json(path)
        check_format(data, _FORMAT, path)
        word, tag, relation = (Vocabulary.from_json(data.get(name), file=path) for name in ("word", "tag", "relation"))
        return cls(
            word,
            tag,
            relation,
            spelling=Spelling.from_json(data["spelling"], file=path) if "spelling" in data else None,
            cooccurrence=Cooccurrence.from_json(data["cooccurrence"], file=path) if "cooccurrence" in data else None,
            label=Vocabulary.from_json(data["label"], file=path) if "label" in data else None,
        )


def tags(sentence: Sentence) -> list[str | None]:
    """The tag of each of N nodes, None where it has none.

    Of a constituency tree the node label (a POS tag at a leaf); of a dependency tree the language-specific
    tag where it is given, else the universal one; of a tagged sentence its column `pos`.
    """
    if isinstance(sentence, Constituency):
        return [label if label != "" else None for label in sentence.label]
    if isinstance(sentence, Tagged):
        pos = sentence.columns.get("pos", ["_"] * len(sentence))
        return [tag if tag != "_" else None for tag in pos]
    return [
        xpos if xpos != "_" else upos if upos != "_" else None
        for xpos, upos in zip(sentence.xpos, sentence.upos, strict=True)
    ]


def tag_column(tags: Iterable[str | None]) -> list[str]:
    """Tags as a column of words has them, from which `tags` reads them: "_" where there is none."""
    return [tag or "_" for tag in tags]


def relations(sentence: Sentence) -> list[str | None]:
    """The dependency relation of each of N nodes, None where it has none: always, unless they are dependencies."""
    if isinstance(sentence, Constituency | Tagged):
        return [None] * len(sentence)
    return [relation if relation != "_" else None for relation in sentence.relation]
