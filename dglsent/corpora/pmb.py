"""CCG supertags of the Parallel Meaning Bank, English gold data.

Abzianidze et al. 2017, "The Parallel Meaning Bank"; release 4.0.0 in columns, as van Noord's DRS_parsing has it.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, require_folder
from dglsent.corpora.tagged import tagged_examples, with_rare
from graphs.formats.columns import read_pmb

_FOLDERS = ("ccg_pmb/pmb-4.0.0", "pmb-4.0.0", "pmb", "PMB")
_SPLITS = ("train", "dev", "test")


class PMB(Corpus):
    """CCG categories of words of the Parallel Meaning Bank, official splits; a second test, `eval.conll`, is left out.

    Classes are the categories of train and `RARE` for all others, so that class has nothing to be learnt from, and a
    category that is new in a test counts as an error. Sentences are short and categories in the bank's own
    notation: accuracies cannot be compared with those on CCGbank.
    """

    def load(self, data: Path) -> Splits:
        """Reads `train.conll`, `dev.conll` and `test.conll`, of which the category is the fifth column."""
        files = {split: f"{split}.conll" for split in _SPLITS}
        name, layout = "the Parallel Meaning Bank", "{train,dev,test}.conll"
        folder = require_folder(data, name, _FOLDERS, list(files.values()), layout)
        read = {split: read_pmb(folder / file) for split, file in files.items()}
        self.labels = with_rare(read["train"], "category")
        return {split: tagged_examples(split, found, "category", self.labels) for split, found in read.items()}
