"""CoNLL-2003: named entities in English news.

Tjong Kim Sang, De Meulder 2003, "Introduction to the CoNLL-2003 Shared Task".
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.tagged import bio, tagged_examples
from graphs.formats.columns import read_conll2003

_FOLDERS = ("conll2003", "CoNLL2003", "conll-2003")
_FILES = {"train": "eng.train", "dev": "eng.testa", "test": "eng.testb"}


class CoNLL2003(Corpus):
    """The named entities of CoNLL-2003, English, official splits, as BIO tags of four kinds made of its IOB1 tags.

    The model may read the POS tags, which a tagger made.
    """

    labels = bio(("LOC", "MISC", "ORG", "PER"))

    def load(self, data: Path) -> Splits:
        """Reads `eng.train`, `eng.testa` (dev) and `eng.testb` (test), `word POS chunk entity` a line."""
        folder = require_folder(data, "CoNLL-2003", _FOLDERS, list(_FILES.values()), "eng.{train,testa,testb}")
        return {
            split: tagged_examples(split, read_conll2003(folder / file), "ner", self.labels)
            for split, file in _FILES.items()
        }
