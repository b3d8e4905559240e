"""CoNLL-2000: the chunks of sentences from the Wall Street Journal.

Tjong Kim Sang, Buchholz 2000, "Introduction to the CoNLL-2000 Shared Task: Chunking".
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.splits import with_dev
from dglsent.corpora.tagged import bio, tagged_examples
from graphs.formats.columns import read_conll2000

_FOLDERS = ("conll2000", "CoNLL2000", "conll-2000")
_KINDS = ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")


class CoNLL2000(Corpus):
    """The chunks of CoNLL-2000 as BIO tags of eleven kinds; a tenth of train is dev (`corpora.splits`).

    The model may read the POS tags, which a tagger made.
    """

    labels = bio(_KINDS)

    def load(self, data: Path) -> Splits:
        """Reads `train.txt` and `test.txt`, `word POS chunk` a line."""
        files = {split: f"{split}.txt" for split in ("train", "test")}
        folder = require_folder(data, "CoNLL-2000", _FOLDERS, list(files.values()), "{train,test}.txt")
        return with_dev(
            {
                split: tagged_examples(split, read_conll2000(folder / file), "chunk", self.labels)
                for split, file in files.items()
            }
        )
