"""IMDB: whole reviews of films, negative and positive.

Maas et al. 2011, "Learning Word Vectors for Sentiment Analysis": Large Movie Review Dataset v1.0.
"""

from __future__ import annotations

import lzma
import re
import sys
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, folders_in
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.parses import parsed
from dglsent.corpora.splits import with_dev
from graphs.columns import Dependencies, Tagged
from graphs.errors import InputError, Origin, check_whole
from graphs.features import tag_column, tags
from graphs.formats.source import BREAKS, reason, unreadable

_FOLDERS = ("imdb", "aclImdb", ".")
_ARCHIVES = ("aclImdb_v1.tar.gz", "aclImdb_labelled_50k.tar.xz")
_PARTS = {"neg": 0, "pos": 1}
_NAME = re.compile(r"(?:.*/)?(train|test)/(neg|pos)/([0-9]+_[0-9]+)\.txt")
_REMEDY = "whole reviews have no parses; choose a chain, a window or a complete graph"
_PARSED = 400  # tokens of a review whose sentences are parsed
_ENDS = frozenset({".", "!", "?", "..", "..."})
_LONGEST = 100  # tokens of a sentence
_TOKEN = re.compile(
    r"[0-9]+(?:[.,:][0-9]+)+"  # numbers
    r"|\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b"  # contractions, cut as in the Penn Treebank
    r"|\w+(?:-\w+)*"
    r"|\.\.+|--+|[^\w\s]",
    re.IGNORECASE,
)


class IMDB(Corpus):
    """Whole film reviews, negative and positive, official test set; a tenth of train is dev (`corpora.splits`).

    A review is one sequence of tokens, 270 on average and up to 2,742, which a regular expression cuts.

    Args:
        max_length: tokens of a review that are read, the first ones; all by default.
        tags: words have part-of-speech tags, from parses or from sentences that were tagged alone. Only the first 400
            tokens of a review are parsed or tagged, and no more are read then. Where a sentence has neither, its words
            have no tag.
        sentences: a review is a document of its parsed sentences, a tree each. Those after the first that end after
            `max_length` tokens are left out, and so are those without a parse and reviews without any.

    Raises:
        InputError: `max_length` is no whole number from 1.
    """

    labels = ("negative", "positive")

    def __init__(self, max_length: int | None = None, tags: bool = False, sentences: bool = False) -> None:
        if max_length is not None:
            check_whole(max_length=max_length)
        self.max_length, self.tags = min(max_length or _PARSED, _PARSED) if tags else max_length, tags
        self.sentences = sentences

    def load(self, data: Path) -> Splits:
        """Reads `{train,test}/{neg,pos}/ID_RATING.txt` of the archive as it was downloaded, or of its folder.

        With tags or sentences also parses `imdb-{train,test}-{neg,pos}`.
        """
        splits: dict[str, list[Example]] = {"train": [], "test": []}
        for (split, part), reviews in _tokens(data).items():
            tags = _tags(data, f"imdb-{split}-{part}", reviews) if self.tags else {}
            documents = self._documents(data, f"imdb-{split}-{part}", reviews) if self.sentences else {}
            for name, words in reviews.items():
                if self.sentences and not documents[name]:
                    continue
                read = words[: self.max_length]
                columns = {"pos": tags[name][: len(read)]} if tags else {}
                id_ = f"{split}-{part}-{name}"
                review = Tagged(read, columns, Origin(f"{split}/{part}/{name}.txt", 1, id_))
                sentence = Parsed(unparsed=review, remedy=_REMEDY, parts=documents.get(name, ()))
                splits[split].append(Example((sentence,), {"label": _PARTS[part]}, id_))
        return with_dev(splits)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a review, the first `max_length` of them."""
        return tokens(text)[: self.max_length]

    def _documents(self, data: Path, name: str, reviews: Mapping[str, list[str]]) -> dict[str, list[Parsed]]:
        """The parsed sentences of each review."""
        documents: dict[str, list[Parsed]] = {review: [] for review in reviews}
        read = dict.fromkeys(reviews, 0)
        for review, words, sentence in _with_parses(data, name, reviews):
            read[review] += len(words)
            short = read[review] <= (self.max_length or _PARSED)
            if sentence is not None and (short or not documents[review]):
                documents[review].append(sentence)
        return documents

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The sentences of the first 400 tokens of the reviews, by parse file."""
        return {
            f"imdb-{split}-{part}": [one for words in reviews.values() for one in _sentences(words)]
            for (split, part), reviews in _tokens(data).items()
        }


def tokens(text: str) -> list[str]:
    """The words and punctuation marks of a review; `<br />` is none."""
    # Interned: in all there are ten million tokens of few words.
    return [sys.intern(token) for token in _TOKEN.findall(text.replace("<br />", " "))]


def _sentences(words: list[str]) -> Iterator[list[str]]:
    """The first tokens of a review, cut after each mark that ends a sentence, or where it grows too long to parse."""
    start = 0
    for place, word in enumerate(words[:_PARSED], 1):
        if word in _ENDS or place - start == _LONGEST or place == min(len(words), _PARSED):
            yield words[start:place]
            start = place


def _with_parses(data: Path, name: str, reviews: Mapping[str, list[str]]) -> list[tuple[str, list[str], Parsed | None]]:
    """The sentences of reviews in order: the review of each, its words, and its parse if there is one."""
    cut = [(review, sentence) for review, words in reviews.items() for sentence in _sentences(words)]
    found = parsed(data, "imdb", name, [sentence for _, sentence in cut])
    return [(*each, parse) for each, parse in zip(cut, found, strict=True)]


def _tags(data: Path, name: str, reviews: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """The tags of the first tokens of reviews, "_" where a sentence has no parse."""
    found = _with_parses(data, name, reviews)
    tags: dict[str, list[str]] = {review: [] for review in reviews}
    for review, sentence, parse in found:
        known = () if parse is None else _tags_of(parse)
        tags[review] += known if len(known) == len(sentence) else ["_"] * len(sentence)
    if found and all(tag == "_" for tag in chain.from_iterable(tags.values())):
        remedy = next(parse.remedy for _, _, parse in found if parse is not None)
        raise InputError(f"{name}: the model reads tags; {remedy}; its --tags makes no more than these")
    return tags


def _tags_of(parse: Parsed) -> Sequence[str]:
    """The tags of a parse, or of words that were tagged alone."""
    words = parse.dependencies or parse.unparsed
    if isinstance(words, Dependencies):
        return tag_column(tags(words))
    return parse.constituency.pos if parse.constituency else ()


def _tokens(data: Path) -> dict[tuple[str, str], dict[str, list[str]]]:
    """The tokens of the reviews by split and part, and by name: the order of an archive's members does not matter."""
    read: dict[tuple[str, str], dict[str, list[str]]] = {}
    for (split, part, name), text in sorted(_reviews(data)):
        read.setdefault((split, part), {})[name] = tokens(text.decode("utf-8", "replace"))
    if not read:
        raise InputError(
            f"{data}: IMDB is missing; expected {data / 'imdb'}/{_ARCHIVES[0]} or {data}/aclImdb/{{train,test}}/"
            "{neg,pos}/*.txt (docs/data.md)"
        )
    for split, part in product(("train", "test"), _PARTS):
        if (split, part) not in read:
            raise InputError(f"{data}: IMDB has no reviews of {split}/{part}; unpack its archive again")
    return read


def _reviews(data: Path) -> Iterable[tuple[tuple[str, ...], bytes]]:
    """Split, part and name of the reviews, and their text, of the first archive or unpacked one; of none nothing."""
    for folder in folders_in(data, _FOLDERS):
        for archive in (folder / name for name in _ARCHIVES):
            if archive.is_file():
                return _packed(archive)
        for root in (folder, folder / "aclImdb"):
            if (root / "train" / "neg").is_dir():
                return _unpacked(root)
    return ()


def _unpacked(root: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    for file in root.glob("*/*/*.txt"):
        if named := _NAME.fullmatch(file.as_posix()):
            try:
                yield named.groups(), file.read_bytes()
            except OSError as error:
                raise unreadable(file, error) from None


def _packed(archive: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    try:
        with tarfile.open(archive) as opened:
            for member in opened:
                named = _NAME.fullmatch(member.name)
                file = named and opened.extractfile(member)
                if named and file:
                    yield named.groups(), file.read()
    except (tarfile.TarError, lzma.LZMAError, ValueError, *BREAKS) as error:
        raise InputError(f"{archive}: cannot be read ({reason(error)}); download it again") from None
