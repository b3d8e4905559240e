"""MSRP: pairs of sentences from news, paraphrases or not.

Dolan, Quirk, Brockett 2004, Microsoft Research Paraphrase Corpus.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.pair_files import PairFile, pair_examples, pair_texts, read_pair_files
from dglsent.corpora.rows import binary_label
from dglsent.corpora.splits import with_dev

_FOLDERS = ("msrp", "MSRP", "MSRParaphraseCorpus", ".")
_FILES = {split: f"msr_paraphrase_{split}.txt" for split in ("train", "test")}
_LABEL, _SENTENCES = 0, (3, 4)


class MSRP(Corpus):
    """Pairs of sentences, paraphrases or not, official test split; a tenth of train is dev (`corpora.splits`).

    The sentences come as raw text, so parses are needed, whatever the graphs.
    """

    labels = ("different", "paraphrase")

    def load(self, data: Path) -> Splits:
        """Reads `msr_paraphrase_{train,test}.txt` and parses `msrp-{train,test}-{a,b}`."""
        files = self._files(data)
        texts = pair_texts("msrp", files, _SENTENCES)
        return with_dev(pair_examples(data, "msrp", files, texts, self._target))

    def texts(self, data: Path) -> dict[str, list[str]]:
        """The sentences by parse file."""
        return pair_texts("msrp", self._files(data), _SENTENCES)

    @staticmethod
    def _files(data: Path) -> dict[str, PairFile]:
        """Rows of a label, two ids and two sentences."""
        return read_pair_files(data, "MSRP", _FOLDERS, _FILES, 5, _SENTENCES, header="Quality\t")

    @staticmethod
    def _target(row: list[str], file: Path, line: int) -> dict[str, int]:
        return {"label": binary_label(row[_LABEL], file, line)}
