"""CoNLL-2000: the chunks of sentences from the Wall Street Journal.

Tjong Kim Sang, Buchholz 2000, "Introduction to the CoNLL-2000 Shared Task: Chunking".
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.splits import hold_out
from dglsent.corpora.tagged import bio, tagged_examples
from graphs.errors import InputError
from graphs.formats.columns import read_conll2000

_FOLDERS = ("conll2000", "CoNLL2000", "conll-2000")
_KINDS = ("ADJP", "ADVP", "CONJP", "INTJ", "LST", "NP", "PP", "PRT", "SBAR", "UCP", "VP")


class CoNLL2000(Corpus):
    """CoNLL-2000 with BIO tags of eleven kinds of chunks; a tenth of train is dev (`corpora.splits`).

    The model may read the POS tags, which a tagger made.
    """

    labels = bio(_KINDS)

    def load(self, data: Path) -> Splits:
        """Reads `train.txt` and `test.txt`, `word POS chunk` a line."""
        folder = find_folder(data, _FOLDERS, ["train.txt", "test.txt"])
        if folder is None:
            raise InputError(
                f"{data}: CoNLL-2000 is missing; expected {data / _FOLDERS[0]}/{{train,test}}.txt (docs/data.md)"
            )
        known, test = (
            tagged_examples(split, read_conll2000(folder / f"{split}.txt"), "chunk", self.labels)
            for split in ("train", "test")
        )
        train, dev = hold_out(known)
        return {"train": train, "dev": dev, "test": test}
