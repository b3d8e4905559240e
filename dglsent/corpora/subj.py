"""SUBJ: sentences of plot summaries (objective) and of reviews (subjective) of movies.

Pang, Lee 2004, "A sentimental education": subjectivity dataset v1.0.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits
from dglsent.corpora.splits import check_fold
from dglsent.corpora.ten_folds import class_texts, folds_of

_FOLDERS = ("mr_subj_trec/subjectivity", "subjectivity", "rotten_imdb", "subj", "SUBJ", ".")
_FILES = {f"subj-{name}": f"{name}.tok.gt9.5000" for name in ("plot", "quote")}


class SUBJ(Corpus):
    """Sentences about films, objective and subjective, in one of the ten folds of a cross-validation.

    Published accuracies are means over the folds. Sentence i of its class is in fold i mod 10; a tenth of the other
    nine folds is dev (`corpora.splits`).

    Args:
        fold: the fold that is test, 0 to 9.

    Raises:
        InputError: there is no such fold.
    """

    labels = ("objective", "subjective")

    def __init__(self, fold: int = 0) -> None:
        self.fold = check_fold(fold)

    def load(self, data: Path) -> Splits:
        """Reads `plot.tok.gt9.5000` and `quote.tok.gt9.5000`, and parses `subj-plot` and `subj-quote`."""
        return folds_of(data, "subj", self.texts(data), self.fold)

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of the sentences by parse file, the objective ones first."""
        return class_texts(data, "SUBJ", _FOLDERS, _FILES)
