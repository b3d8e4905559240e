"""MR: sentences of movie reviews, negative and positive.

Pang, Lee 2005, "Seeing stars": sentence polarity dataset v1.0.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.splits import check_fold
from dglsent.corpora.ten_folds import class_texts, folds_of

_FOLDERS = ("mr_subj_trec/sentence_polarity", "sentence_polarity", "rt-polaritydata", "mr", "MR", ".")
_FILES = {f"mr-{name}": f"rt-polarity.{name}" for name in ("neg", "pos")}


class MR(Corpus):
    """Sentences of film reviews, negative and positive, in one of the ten folds of a cross-validation.

    Published accuracies are means over the folds. Sentence i of its class is in fold i mod 10; a tenth of the other
    nine folds is dev (`corpora.splits`).

    Args:
        fold: the fold that is test, 0 to 9.

    Raises:
        InputError: there is no such fold.
    """

    labels = ("negative", "positive")

    def __init__(self, fold: int = 0) -> None:
        self.fold = check_fold(fold)

    def load(self, data: Path) -> Splits:
        """Reads `rt-polarity.neg` and `rt-polarity.pos`, and parses `mr-neg` and `mr-pos`."""
        return folds_of(data, "mr", self.texts(data), self.fold)

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of the sentences by parse file, the negative ones first."""
        return class_texts(data, "MR", _FOLDERS, _FILES)
