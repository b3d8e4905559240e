"""IMDB: whole reviews of films, negative and positive.

Maas et al. 2011, "Learning Word Vectors for Sentiment Analysis": Large Movie Review Dataset v1.0.
"""

from __future__ import annotations

import lzma
import re
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.example import Example, Parsed
from dglsent.corpora.splits import hold_out
from graphs.columns import Tagged
from graphs.errors import InputError, Origin
from graphs.formats.source import BREAKS, reason, unreadable

_FOLDERS = ("imdb", "aclImdb", ".")
_ARCHIVES = ("aclImdb_v1.tar.gz", "aclImdb_labelled_50k.tar.xz")
_PARTS = {"neg": 0, "pos": 1}
_NAME = re.compile(r"(?:.*/)?(train|test)/(neg|pos)/([0-9]+_[0-9]+)\.txt")
_REMEDY = "whole reviews have no parses; choose a chain, a window or a complete graph"
_TOKEN = re.compile(
    r"[0-9]+(?:[.,:][0-9]+)+"  # numbers
    r"|\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b"  # contractions, cut as in the Penn Treebank
    r"|\w+(?:-\w+)*"
    r"|\.\.+|--+|[^\w\s]",
    re.IGNORECASE,
)


class IMDB(Corpus):
    """IMDB with its official test set; a tenth of train is dev (`corpora.splits`).

    A review is one sequence of tokens, 270 on average and up to 2,742, which a regular expression cuts.
    """

    labels = ("negative", "positive")

    def load(self, data: Path) -> Splits:
        """Reads `{train,test}/{neg,pos}/ID_RATING.txt` of the archive as it was downloaded, or of its folder."""
        examples: dict[str, list[Example]] = {"train": [], "test": []}
        # By name, so that the order of an archive's members does not matter.
        for (split, part, name), text in sorted(_reviews(data)):
            id_ = f"{split}-{part}-{name}"
            review = Tagged(
                tokens(text.decode("utf-8", "replace")), origin=Origin(f"{split}/{part}/{name}.txt", 1, id_)
            )
            sentence = Parsed(unparsed=review, remedy=_REMEDY)
            examples[split].append(Example((sentence,), {"label": _PARTS[part]}, id_))
        if not all(examples.values()):
            raise InputError(
                f"{data}: IMDB is missing; expected {data / 'imdb'}/{_ARCHIVES[0]} or {data}/aclImdb/{{train,test}}/"
                "{neg,pos}/*.txt (docs/data.md)"
            )
        train, dev = hold_out(examples["train"])
        return {"train": train, "dev": dev, "test": examples["test"]}


def tokens(text: str) -> list[str]:
    """The words and punctuation marks of a review; `<br />` is none."""
    # Interned: in all there are ten million tokens of few words.
    return [sys.intern(token) for token in _TOKEN.findall(text.replace("<br />", " "))]


def _reviews(data: Path) -> Iterator[tuple[tuple[str, ...], bytes]]:
    """Split, part and name of the reviews, and their text."""
    for folder in (data / name for name in _FOLDERS):
        for archive in _ARCHIVES:
            if (folder / archive).is_file():
                yield from _packed(folder / archive)
                return
        for root in (folder, folder / "aclImdb"):
            if (root / "train" / "neg").is_dir():
                for file in root.glob("*/*/*.txt"):
                    if named := _NAME.fullmatch(file.as_posix()):
                        yield named.groups(), _bytes(file)
                return


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
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
