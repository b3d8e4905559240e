"""CCG supertags of CCGbank, for those who have it from the LDC.

Hockenmaier, Steedman 2007, "CCGbank".
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder, folders_in
from dglsent.corpora.tagged import tagged_examples, with_rare
from graphs.columns import Tagged
from graphs.errors import InputError
from graphs.formats.ccgbank import read_auto
from graphs.formats.pipes import read_pipes

_SECTIONS = {"train": range(2, 22), "dev": range(1), "test": range(23, 24)}
_DERIVATIONS = ("ccgbank/data/AUTO", "ccgbank_1_1/data/AUTO", "data/AUTO", "AUTO")
_LINES = ("ccgbank", "ccgbank_1_1")
_FILES = {"train": "wsj02-21.stagged", "dev": "wsj00.stagged", "test": "wsj23.stagged"}


class CCGbank(Corpus):
    """CCG categories of the words of CCGbank: sections 02-21 are train, 00 is dev, 23 is test.

    Classes are the categories of train and `RARE` for all others, so that class has nothing to be learnt from, and a
    category that is new in a test counts as an error.
    """

    def load(self, data: Path) -> Splits:
        """Reads the derivations `AUTO/SECTION/*.auto`, else `wsj*.stagged` with `word|POS|category` tokens."""
        read = {split: list(sentences) for split, sentences in _sentences(data).items()}
        self.labels = with_rare(read["train"], "category")
        return {split: tagged_examples(split, found, "category", self.labels) for split, found in read.items()}


def _sentences(data: Path) -> dict[str, Iterable[Tagged]]:
    for folder in folders_in(data, _DERIVATIONS):
        files = {
            split: [file for section in sections for file in sorted((folder / f"{section:02}").glob("*.auto"))]
            for split, sections in _SECTIONS.items()
        }
        if all(files.values()):
            return {split: chain.from_iterable(map(read_auto, found)) for split, found in files.items()}
    lines = find_folder(data, _LINES, list(_FILES.values()))
    if lines is None:
        raise InputError(
            f"{data}: CCGbank is missing; expected {data / _DERIVATIONS[0]}/{{00,02..21,23}}/*.auto or "
            f"{data / _LINES[0]}/wsj{{02-21,00,23}}.stagged (docs/data.md)"
        )
    return {split: read_pipes(lines / file) for split, file in _FILES.items()}
