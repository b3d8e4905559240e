"""MSRP: pairs of sentences from news, paraphrases or not.

Dolan, Quirk, Brockett 2004, Microsoft Research Paraphrase Corpus.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.parses import parsed_pairs
from dglsent.corpora.rows import binary_label, read_rows
from dglsent.corpora.splits import hold_out
from graphs.errors import InputError

_FOLDERS = ("msrp", "MSRP", "MSRParaphraseCorpus", ".")
_FILES = {split: f"msr_paraphrase_{split}.txt" for split in ("train", "test")}
_LABEL, _SENTENCES = 0, {"a": 3, "b": 4}


class MSRP(Corpus):
    """MSRP with its official test split; a tenth of train is dev (`corpora.splits`).

    The sentences come as raw text, so parses are needed, whatever the graphs.
    """

    labels = ("different", "paraphrase")

    def load(self, data: Path) -> Splits:
        """Reads `msr_paraphrase_{train,test}.txt` and parses `msrp-{train,test}-{a,b}`."""
        texts = self.texts(data)
        splits = {}
        for split, (file, rows) in self._rows(data).items():
            targets = [{"label": binary_label(row[_LABEL], file, line)} for line, row in enumerate(rows, 2)]
            ids = [f"{split}-{number}" for number in range(1, len(rows) + 1)]
            splits[split] = parsed_pairs(data, "msrp", f"msrp-{split}", texts, targets, ids)
        train, dev = hold_out(splits["train"])
        return {"train": train, "dev": dev, "test": splits["test"]}

    def texts(self, data: Path) -> dict[str, list[str]]:
        """The sentences by parse file."""
        return {
            f"msrp-{split}-{side}": [row[column] for row in rows]
            for split, (_, rows) in self._rows(data).items()
            for side, column in _SENTENCES.items()
        }

    @staticmethod
    def _rows(data: Path) -> dict[str, tuple[Path, list[list[str]]]]:
        """The files and their rows, of label, two ids and two sentences."""
        folder = find_folder(data, _FOLDERS, list(_FILES.values()))
        if folder is None:
            raise InputError(
                f"{data}: MSRP is missing; expected {data / _FOLDERS[0]}/msr_paraphrase_{{train,test}}.txt "
                "(docs/data.md)"
            )
        return {
            split: (folder / file, read_rows(folder / file, 5, sentences=list(_SENTENCES.values()), header="Quality\t"))
            for split, file in _FILES.items()
        }
