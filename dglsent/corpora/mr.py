"""MR: sentences of movie reviews, negative and positive.

Pang, Lee 2005, "Seeing stars": sentence polarity dataset v1.0.
"""

from __future__ import annotations

from pathlib import Path

from dglsent.corpora.corpus import Corpus, Splits, find_folder
from dglsent.corpora.example import Example
from dglsent.corpora.parses import parsed
from dglsent.corpora.rows import read_tokens
from dglsent.corpora.splits import check_fold, cross_validation
from graphs.errors import InputError

_FOLDERS = ("mr_subj_trec/sentence_polarity", "sentence_polarity", "rt-polaritydata", "mr", "MR", ".")
_CLASSES = ("neg", "pos")


class MR(Corpus):
    """MR, of which published accuracies are means over a ten-fold cross-validation.

    Sentence i of its class is in fold i mod 10; a tenth of the other nine folds is dev (`corpora.splits`).

    Args:
        fold: the fold that is test, 0 to 9.
    """

    labels = ("negative", "positive")

    def __init__(self, fold: int = 0) -> None:
        self.fold = check_fold(fold)

    def load(self, data: Path) -> Splits:
        """Reads `rt-polarity.neg` and `rt-polarity.pos`, and parses `mr-neg` and `mr-pos`."""
        classes: list[list[Example | None]] = []
        for label, (name, texts) in enumerate(self.texts(data).items()):
            found = enumerate(parsed(data, "mr", name, texts), 1)
            target = {"label": label}
            classes.append([Example((one,), target, f"{name}-{line}") if one else None for line, one in found])
        return cross_validation(classes, self.fold)

    def texts(self, data: Path) -> dict[str, list[list[str]]]:
        """The tokens of the sentences by parse file, the negative ones first."""
        folder = find_folder(data, _FOLDERS, [f"rt-polarity.{name}" for name in _CLASSES])
        if folder is None:
            raise InputError(
                f"{data}: MR is missing; expected {data / _FOLDERS[0]}/rt-polarity.{{neg,pos}} (docs/data.md)"
            )
        return {f"mr-{name}": read_tokens(folder / f"rt-polarity.{name}") for name in _CLASSES}
